"""What is learned from: every decision of a learning network, with its action and the rewards of its round.

Experience is one structured array from the table to the gradient: the collector writes its rows, the buffer stores
them, a minibatch is some of them. A *trajectory* is one seat's decisions in one round: they share that round's reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from suphx.networks.inference import GPU_CHUNK
from suphx.networks.precision import Precision

#: Seats that a round's rewards go to.
SEATS = 4
#: Positions per learning pass on a CPU: more are no faster, and activations stay in memory until the backward pass.
CPU_LEARNING_CHUNK = 512

TRAJECTORY = np.dtype([
    ("game", "u8"),  # number of the game in its seed's sequence
    ("round", "u2"),  # which round of the game, from 0, repeats counted
    ("seat", "u1"),
    ("last", "u1"),  # 1: the game ended with this round
    ("version", "u4"),  # of the policy that was playing when the round was dealt
    ("rewards", "f4", SEATS),  # of this round, in the reward's units: to the seat, on its right, across, on its left
])  # fmt: skip


def experience_dtype(planes: int, oracle: int = 0, hidden: int = 0) -> np.dtype:
    """Return the type of a decision: packed planes of each kind, and the rest; without gaps, so that bytes compare."""
    return np.dtype([
        ("planes", "u8", (planes,)),  # what the network saw, without hidden planes
        ("oracle", "u8", (oracle,)),  # the hidden tiles that a learning oracle saw, after dropout
        ("hidden", "u8", (hidden,)),  # all hidden tiles, for a critic or a teacher
        ("legal", "u8"),  # bit a is set if action a was legal
        ("trajectory", "u4"),  # index into the batch's trajectories
        ("version", "u4"),  # of the policy that was playing when the round was dealt
        ("log_probability", "f4"),  # of the action under the policy that played
        ("advantage", "f4"),  # of the action; 0 until it is known
        ("rewards", "f4", (SEATS,)),  # of the round to each seat, starting with the one that decides
        ("round", "u2"),  # which round of the game
        ("step", "u2"),  # number of earlier decisions in the round, of any network and seat
        ("seat", "u2"),  # the one that decides
        ("action", "u2"),  # the action taken: a kind of tile, or NO or YES
    ])  # fmt: skip


@dataclass(frozen=True)
class Batch:
    """Finished rounds: their trajectories, and the decisions in them by model."""

    trajectories: np.ndarray
    """TRAJECTORY[m]"""
    experience: dict[str, np.ndarray]
    """`experience_dtype`[n] by model, for models that learn; those of a trajectory in the order of play."""

    def fill(self) -> Batch:
        """Write to every decision what its trajectory says: version, round, seat and rewards; return the batch."""
        for rows in self.experience.values():
            trajectories = self.trajectories[rows["trajectory"]]
            for name in ("version", "round", "seat", "rewards"):
                rows[name] = trajectories[name]
        return self

    def size(self) -> int:
        """Return the size in bytes."""
        return int(self.trajectories.nbytes + sum(rows.nbytes for rows in self.experience.values()))


def join(batches: Sequence[Batch]) -> Batch:
    """Return one or more batches with the same models as a single one, with trajectories renumbered."""
    first = np.cumsum([0, *(len(batch.trajectories) for batch in batches[:-1])])
    experience = {}
    for model in batches[0].experience:
        parts = [batch.experience[model] for batch in batches]
        experience[model] = np.concatenate(parts)
        experience[model]["trajectory"] += np.repeat(first, [len(part) for part in parts]).astype(np.uint32)
    return Batch(np.concatenate([batch.trajectories for batch in batches]), experience)


def microbatches(n: int, precision: Precision) -> list[slice]:
    """Return the rows of each learning pass: no more than the device handles without losing speed or memory."""
    size = CPU_LEARNING_CHUNK if precision.device.type == "cpu" else GPU_CHUNK
    return [slice(a, b) for a, b in pairwise([*range(0, n, size), n])]


def with_hidden(packed: np.ndarray, hidden: np.ndarray, planes: int) -> np.ndarray:
    """Return the packed planes for a network with `planes` input planes: `packed` alone, or followed by `hidden`.

    packed: uint64[n, a]; hidden: uint64[n, b]. The result lies in memory row by row, as networks need it. Raises
    ValueError if `planes` is neither a nor a + b.
    """
    if planes == packed.shape[1]:
        return np.ascontiguousarray(packed)
    if planes != packed.shape[1] + hidden.shape[1]:
        raise ValueError(f"a network of {planes} planes cannot see {packed.shape[1]} and {hidden.shape[1]} hidden ones")
    return np.concatenate([packed, hidden], axis=1)
