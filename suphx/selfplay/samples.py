"""Sample games of a training, saved as logs: now and then a game at the first table."""

from pathlib import Path

import numpy as np

from simulator.files import write_whole
from simulator.logs.from_record import game_log
from simulator.logs.mjlog_writer import write_mjlog
from simulator.record import GAME
from simulator.rules import Rules
from simulator.tables import Ended
from suphx.selfplay.collect import as_bytes, from_bytes
from suphx.selfplay.config import TableConfig, seated

#: The table whose rounds are kept while they are played.
SAMPLED_TABLE = 0


class SampleGames:
    """Keeps the rounds of the game at the first table, and writes the finished game if a sample is due."""

    def __init__(self, folder: Path, every: int, rules: Rules, table: TableConfig) -> None:
        """every: number of games of the whole training between samples; 0 for no samples."""
        self._folder, self._every, self._rules, self._seating = folder, every, rules, table
        self._rounds = np.zeros(0, GAME)
        self._due = 0

    def note(self, ended: Ended, games: int, learner: str) -> None:
        """Process the rounds that ended. games: finished games of the training. learner: the learning player's name."""
        rows = np.flatnonzero(ended.game == SAMPLED_TABLE)
        if not self._every or not len(rows):
            return
        self._rounds = np.concatenate([self._rounds, ended.records[rows]])
        played = self._rounds["deals"]
        if int(played[-1]) != len(played):  # a different game from the one kept: its simulator was lost
            self._rounds = self._rounds[-1:] if played[-1] == 1 else self._rounds[:0]
        if not len(self._rounds) or not ended.finished[rows].any():
            return
        if games >= self._due:
            number = int(self._rounds[-1]["number"])
            self._folder.mkdir(parents=True, exist_ok=True)
            players = (learner, *self._seating.opponents)
            names = [players[player] for player in seated(self._seating, np.array([number]))[0]]
            log = game_log(self._rounds, self._rules, names, f"game {number}")
            write_whole(self._folder / f"{games:08d}-{number:08d}.mjlog", write_mjlog(log))
            self._due = games + self._every
        self._rounds = np.zeros(0, GAME)

    def state(self) -> dict[str, np.ndarray]:
        """Return the rounds of the game in progress, and when the next sample is due."""
        return {"rounds": as_bytes(self._rounds), "due": np.array([self._due], np.int64)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from what `state` returned."""
        self._rounds = from_bytes(state["rounds"])
        self._due = int(state["due"][0])
