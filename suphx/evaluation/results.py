"""The results of a match: one row per game, each counted once, in whatever order games end.

On disk they are a line for each finished game, beside the match's settings and the games' logs.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from pydantic import Field

from simulator.files import write_whole
from simulator.players.play import PlayedGame
from simulator.record import SEATS
from suphx.config import StrictModel
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.tally import COLUMN, COLUMNS, tally
from suphx.run_folder import JsonLines, settle

SETTINGS_NAME = "match.json"
GAMES_NAME = "games.jsonl"
LOGS_FOLDER = "logs"
#: Number of deals whose logs share one folder.
_DEALS_OF_FOLDER = 1000

GAME_RESULT = np.dtype([
    ("deal", "u4"),  # number of the deal, which is the game's number under its seed
    ("table", "u2"),  # which of the plan's tables
    ("decisions", "u4"),  # decisions of all four players
    ("ranks", "u1", SEATS),  # 0 first to 3 fourth
    ("scores", "i4", SEATS),  # points at the end of the game
    ("counts", "i4", (SEATS, len(COLUMNS))),  # counts of each seat, as from `tally`
])  # fmt: skip


@dataclass(frozen=True)
class GameDone:
    """A finished game of a match."""

    row: np.void
    """GAME_RESULT"""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Faults of external agents in it: index of the agent in the plan, and a description."""
    log: bytes | None = None
    """Its log, if logs are requested."""
    counted: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    """Counts of `agent.interface.Counting` agents in it: index of the agent in the plan, and its counts by name."""


def result_row(game: PlayedGame) -> np.void:
    """Return the GAME_RESULT of a game; its seating's version is the plan's table."""
    last, seating = game.rounds[-1]["result"], game.seating
    head = seating.number, seating.version, game.decisions
    return _row(*head, last["ranks"], last["scores"], tally(game.rounds))


def _row(*values: Any) -> np.void:
    """Return a GAME_RESULT of the values of its fields."""
    return cast(np.void, np.array([values], GAME_RESULT)[0])


class MatchResults:
    """The results of a match; memory for all its games is allocated at the start, so that it does not grow."""

    def __init__(self, plan: MatchPlan, deals: int) -> None:
        """deals: number of deals to play."""
        self.plan = plan
        self.games = np.empty((deals, len(plan.tables)), GAME_RESULT)
        """GAME_RESULT[deals, tables]"""
        self.games[:] = np.zeros((), GAME_RESULT)  # written now, so that the memory is really allocated
        self.done = np.zeros((deals, len(plan.tables)), np.bool_)
        """bool[deals, tables]: which games are over."""
        self.faults: dict[tuple[int, str], int] = {}
        """Number of faults by (index of the agent in the plan, description)."""
        self.counted: dict[int, dict[str, float]] = {}
        """Total counts of `Counting` agents, by index of the agent in the plan."""
        self._complete = 0

    def add(self, game: GameDone) -> bool:
        """Add a game; return False, and change nothing, if it was added before."""
        place = int(game.row["deal"]), int(game.row["table"])
        if self.done[place]:
            return False
        self.games[place] = game.row
        self.done[place] = True
        for fault in game.faults:
            self.faults[fault] = self.faults.get(fault, 0) + 1
        for agent, counts in game.counted:
            so_far = self.counted.setdefault(agent, {})
            so_far |= {name: so_far.get(name, 0) + value for name, value in counts.items()}
        return True

    def missing(self, together: int = 1) -> list[tuple[int, int]]:
        """Return (deal, table) of the unfinished games, in the best order to play them in.

        together: number of deals among which games of the same agents are grouped, so that each network gets larger
        batches than if all of a plan's agents played at the same time.
        """
        deals, tables = np.nonzero(~self.done)
        agents = [tuple(sorted(set(table.agents))) for table in self.plan.tables]
        first = np.array([agents.index(each) for each in agents])  # the first table with the same agents
        order = np.lexsort((tables, deals, first[tables], deals // together))
        return [*zip(deals[order].tolist(), tables[order].tolist(), strict=True)]

    def complete_deals(self) -> int:
        """Return the number of leading deals that are complete; only these are evaluated."""
        while self._complete < len(self.done) and self.done[self._complete].all():
            self._complete += 1
        return self._complete

    def units(self, side: int, deals: int | None = None) -> np.ndarray:
        """Return i64[deals, columns]: a side's counts on the leading deals, by default those that are complete."""
        counts = self.games["counts"][: self.complete_deals() if deals is None else deals]
        units = np.zeros((len(counts), len(COLUMNS)), np.int64)
        for number, table in enumerate(self.plan.tables):
            for seat in range(SEATS):
                if table.sides[seat] == side:
                    units += counts[:, number, seat]
        return units

    def units_of_agent(self, agent: str, deals: int | None = None) -> np.ndarray:
        """Return i64[deals, columns]: the same, summed over all sides of an agent."""
        sides = [number for number, name in enumerate(self.plan.sides) if name == agent]
        return np.sum([self.units(side, deals) for side in sides], axis=0)

    def average_ranks(self, side: int, deals: int | None = None) -> np.ndarray:
        """Return f64[deals]: a side's average rank, 1 to 4, on each deal."""
        units = self.units(side, deals)
        return units[:, COLUMN["rank_sum"]] / units[:, COLUMN["games"]]


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


class Journal(JsonLines):
    """The folder of a match, open for writing."""

    def __init__(self, folder: Path, settings: dict[str, Any], results: MatchResults) -> None:
        """Open a folder, created if needed, and add the games it contains to `results`.

        settings: everything that determines how games go, as JSON values; only the same match may resume in a folder.
        Raises InputError, naming file and line, for another match and for malformed lines.
        """
        settle(folder, SETTINGS_NAME, GAMES_NAME, settings | {"columns": COLUMNS}, "match")

        def read(line: bytes) -> None:
            if game := _game(_Line.model_validate_json(line), results):
                results.add(game)

        super().__init__(folder / GAMES_NAME, read, "is playing this match", "game of this match")

    def add_game(self, game: GameDone) -> None:
        """Write a game, its log first; after an error (a full disk) no part of the line remains."""
        row = game.row
        if game.log is not None:
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
    values = line.model_dump()
    return GameDone(_row(*map(values.get, GAME_RESULT.names or ())), line.faults, counted=line.counted)


assert list(_Line.model_fields) == [*(GAME_RESULT.names or ()), "faults", "counted"]
