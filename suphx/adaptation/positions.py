"""A position to adapt to: a round as one seat sees it, and how the game's rounds started, needed for the reward."""

from dataclasses import dataclass

import numpy as np

from simulator.players.simple import decision_key
from simulator.record import PHASE_TURN
from suphx.reward.games import START


@dataclass(frozen=True)
class Position:
    """A round in play, seen from one seat."""

    game: np.void
    """GAME: the table. Whatever the seat cannot see in it has no influence on the results."""
    seat: int
    """The seat that adapts, 0 to 3."""
    history: np.ndarray
    """START[k]: how the game's rounds started, this one last; rounds that were not recorded are missing."""

    def __post_init__(self) -> None:
        asked = int(self.game["pending"]) >> self.seat & 1
        begins = self.game["phase"] == PHASE_TURN and self.game["n_events"] == 1
        if not asked and not begins:
            raise ValueError("a position must be one where its seat is asked, or the beginning of a round")

    def key(self, seed: int) -> int:
        """Return u64: the key of this position's deals under a seed, different for each game, round, seat and turn."""
        return int(decision_key(np.uint64(seed), self.game, self.seat))


def start_of(game: np.void) -> np.ndarray:
    """Return START[1]: how the table's round started."""
    start = np.zeros(1, START)
    start["scores"], start["bets"] = game["start_scores"], game["start_bets"]
    start["round"], start["repeat_counter"] = game["round"], game["repeat_counter"]
    return start
