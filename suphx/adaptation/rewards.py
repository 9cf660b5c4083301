"""The rewards of rollouts, by the same kinds of reward as in self-play (`reward.kinds`)."""

from collections.abc import Sequence

import numpy as np

from simulator.tables import Ended
from suphx.adaptation.positions import Position
from suphx.adaptation.rollouts import Rolled
from suphx.reward.games import START
from suphx.reward.kinds import RoundRewards, games_after


def rewards_of(rewards: RoundRewards, positions: Sequence[Position], rolled: Rolled) -> np.ndarray:
    """Return f64[rollouts]: the reward of each rollout's round for the seat of its position."""
    which = rolled.rollouts["position"].astype(np.int64)
    seats = np.array([position.seat for position in positions])[which]
    lengths = np.array([len(position.history) for position in positions])
    starts = np.zeros((len(positions), lengths.max() + 1), START)
    for row, position in zip(starts, positions, strict=True):
        row[: len(position.history)] = position.history
    ended = Ended(which, rolled.ended)
    by_seat = rewards.of(ended, games_after(starts[which], lengths[which], ended))
    return by_seat[np.arange(len(which)), seats].astype(np.float64)
