"""A match on disk: its settings, a line for each finished game (`run_folder.py`), and the games' logs."""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import Field, ValidationError

from simulator.files import write_whole
from simulator.record import SEATS
from suphx.config import StrictModel
from suphx.errors import InputError
from suphx.evaluation.results import GAME_RESULT, GameDone, MatchResults
from suphx.evaluation.tally import COLUMNS
from suphx.run_folder import JsonLines, settle

SETTINGS_NAME = "match.json"
GAMES_NAME = "games.jsonl"
LOGS_FOLDER = "logs"
#: Number of deals whose logs share one folder.
_DEALS_OF_FOLDER = 1000


class _Line(StrictModel, strict=True):
    """One finished game, as a line of the file."""

    deal: int = Field(ge=0)
    table: int = Field(ge=0)
    decisions: int = Field(ge=0)
    ranks: list[int] = Field(min_length=SEATS, max_length=SEATS)
    scores: list[int] = Field(min_length=SEATS, max_length=SEATS)
    counts: list[list[int]] = Field(min_length=SEATS, max_length=SEATS)
    faults: list[tuple[int, str]] = Field(default_factory=list, strict=False)
    counted: list[tuple[int, dict[str, float]]] = Field(default_factory=list, strict=False)


_BESIDE_THE_ROW = {"faults", "counted"}


class Journal(JsonLines):
    """The folder of a match, open for writing."""

    def __init__(self, folder: Path, settings: dict[str, Any], results: MatchResults) -> None:
        """Open a folder, created if needed, and add the games it contains to `results`.

        settings: everything that determines how games go, as JSON values; only the same match may resume in a folder.
        Raises InputError, naming file and line, for another match and for malformed lines.
        """
        settle(folder, SETTINGS_NAME, GAMES_NAME, settings | {"columns": COLUMNS}, "match")
        self._results, self._logs = results, bool(settings.get("logs"))
        super().__init__(folder / GAMES_NAME, self._read, "is playing this match")

    def _read(self, number: int, line: bytes) -> None:
        try:
            game = _game(_Line.model_validate_json(line), self._results)
        except (ValueError, OverflowError) as error:
            words = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise InputError(f"{self.path}, line {number}: no game of this match ({words})") from error
        if game is not None:
            self._results.add(game)

    def add_game(self, game: GameDone) -> None:
        """Write a game, its log first; after an error (a full disk) no part of the line remains."""
        row = game.row
        if self._logs and game.log is not None:
            deal, table = int(row["deal"]), int(row["table"])
            path = self.path.parent / LOGS_FOLDER / f"{deal // _DEALS_OF_FOLDER:04d}" / f"{deal:07d}-{table}.mjlog"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, game.log)
        values = {name: row[name].tolist() for name in GAME_RESULT.names or ()}
        values |= {"faults": game.faults, "counted": game.counted}
        self.add(json.dumps(values, separators=(",", ":")))


def _game(line: _Line, results: MatchResults) -> GameDone | None:
    """Return the game of a line; None if its deal is beyond those requested this time."""
    if line.table >= results.done.shape[1] or any(len(counts) != len(COLUMNS) for counts in line.counts):
        raise ValueError("a table or columns that the match does not have")
    if sorted(line.ranks) != list(range(SEATS)):
        raise ValueError(f"ranks {line.ranks}")
    if line.deal >= results.done.shape[0]:
        return None
    row = np.zeros((), GAME_RESULT)
    for name, value in line.model_dump(exclude=_BESIDE_THE_ROW).items():
        row[name] = value
    return GameDone(cast(np.void, row[()]), line.faults, counted=line.counted)


assert set(_Line.model_fields) == {*(GAME_RESULT.names or ()), *_BESIDE_THE_ROW}
