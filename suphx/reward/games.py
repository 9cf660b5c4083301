"""Games as the reward predictor sees them: the state at the start of each round, and the points at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.record import SEATS

#: The state when a round starts; the dealer is seat `round % 4`, because seat 0 deals first.
START = np.dtype([
    ("scores", "i4", (SEATS,)),  # points; riichi bets on the table belong to nobody
    ("round", "u1"),  # 0 = East 1 .. 11 = West 4
    ("repeat_counter", "u1"),
    ("bets", "u1"),  # riichi bets on the table
])  # fmt: skip

#: Fields of `Rules` that determine when a game ends and who is first; a predictor is for one set of their values.
RULES_OF_REWARD = (
    "length",
    "starting_points",
    "target_points",
    "bust",
    "dealer_stop",
    "west_entry",
    "sudden_death",
    "ties",
    "repeat_points",
    "leftover_bets",
)


@dataclass(frozen=True)
class Games:
    """A batch of games, finished or not, padded to the longest."""

    starts: np.ndarray
    """START[n, k]: the rounds of game i are starts[i, :n_starts[i]]; the rest is padding."""
    n_starts: np.ndarray
    """i64[n]: number of started rounds, 1 to k."""
    ended: np.ndarray
    """bool[n]: whether the last round was played and ended the game."""
    final_scores: np.ndarray
    """i4[n, 4]: points at the end, leftover bets included; only meaningful for games that have ended."""

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, which: np.ndarray) -> Games:
        """Return some of the games, by indices or a mask, padded only as far as they need."""
        n_starts = self.n_starts[which]
        width = max(int(n_starts.max(initial=1)), 1)
        return Games(self.starts[which][:, :width], n_starts, self.ended[which], self.final_scores[which])
