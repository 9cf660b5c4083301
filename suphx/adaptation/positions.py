"""A position to adapt from: a round as one seat sees it, and how the game's rounds started, which its worth needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.players.simple import decision_key
from simulator.record import GAME, PHASE_TURN, SEATS
from suphx.reward.games import START


@dataclass(frozen=True)
class Position:
    """A round in play, seen from one seat."""

    game: np.void
    """GAME: the table. What the seat cannot see in it has no influence on anything that is made of it."""
    seat: int
    """Who looks and will be adapted, 0 to 3."""
    history: np.ndarray
    """START[k]: how the game's rounds started, this one last; rounds that nobody noted are left out."""

    def __post_init__(self) -> None:
        if not 0 <= self.seat < SEATS:
            raise ValueError(f"a seat is 0 to {SEATS - 1}, not {self.seat}")
        if self.history.dtype != START or self.history.ndim != 1 or not len(self.history):
            raise ValueError("a position needs the start of its own round at least, as START[k]")
        asked = int(self.game["pending"]) >> self.seat & 1
        begins = self.game["phase"] == PHASE_TURN and self.game["n_events"] == 1
        if not asked and not begins:
            raise ValueError("a position is one where its seat is asked, or the beginning of a round")

    def key(self, seed: int) -> int:
        """Return u64: the name of this position's deals under a seed; each game, round, seat and turn has another."""
        return int(decision_key(np.uint64(seed), self.game, self.seat))


def stacked(positions: Sequence[Position]) -> np.ndarray:
    """Return GAME[n]: the tables of positions."""
    records = np.zeros(len(positions), GAME)
    for place, position in enumerate(positions):
        records[place] = position.game
    return records


def start_of(game: np.void) -> np.ndarray:
    """Return START[1]: how the round of a table started."""
    start = np.zeros(1, START)
    start["scores"], start["bets"] = game["start_scores"], game["start_bets"]
    start["round"], start["repeat_counter"] = game["round"], game["repeat_counter"]
    return start
