"""A position to adapt to: a round as one seat sees it, and how the game's rounds started, needed for the reward."""

from dataclasses import dataclass

import numpy as np

from simulator.players.simple import decision_key
from simulator.record import PHASE_TURN


@dataclass(frozen=True)
class RolloutPosition:
    """A round in play, seen from one seat."""

    game: np.void
    """GAME: the table. Whatever the seat cannot see in it has no influence on the results."""
    seat: int
    """The seat that adapts, 0 to 3."""
    history: np.ndarray
    """START[k]: how the game's rounds started, this one last; rounds that were not recorded are missing."""

    def __post_init__(self) -> None:
        has_decision = int(self.game["pending"]) >> self.seat & 1
        is_beginning = self.game["phase"] == PHASE_TURN and self.game["n_events"] == 1
        if not has_decision and not is_beginning:
            raise ValueError("a position must be a decision of its seat or the beginning of a round")

    def key(self, seed: int) -> int:
        """Return u64: the key of this position's deals under a seed, different for each game, round, seat and turn."""
        return int(decision_key(np.uint64(seed), self.game, self.seat))
