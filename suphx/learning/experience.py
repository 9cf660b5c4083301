"""What is learned from: every decision of a learning network, with its action and the rewards of its round.

Experience is one structured array from the table to the gradient: the collector writes its rows, the buffer stores
them, a minibatch is some of them. A *trajectory* is one seat's decisions in one round: they share that round's reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from suphx.networks.convolution import Packed, masks_on
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


def experience_dtype(planes: int, outputs: int, hidden: int = 0) -> np.dtype:
    """Return the type of a decision, without gaps, so that bytes compare.

    planes: number of planes that the network sees, those that are shown to an oracle included. outputs: number of its
    logits. hidden: number of hidden planes for a critic.
    """
    return np.dtype([
        ("planes", "u8", (planes,)),  # what the network saw; last, what an oracle was shown of the hidden tiles
        ("hidden", "u8", (hidden,)),  # all hidden tiles
        ("trajectory", "u4"),  # index into the batch's trajectories
        ("version", "u4"),  # of the policy that was playing when the round was dealt
        ("log_probability", "f4"),  # of the action under the policy that played
        ("advantage", "f4"),  # of the action; 0 until it is known
        ("rewards", "f4", (SEATS,)),  # of the round to each seat, starting with the one that decides
        ("round", "u2"),  # which round of the game
        ("step", "u2"),  # number of earlier decisions in the round, of any network and seat
        ("seat", "u1"),  # the one that decides
        ("action", "u1"),  # the action taken: a kind of tile, or NO or YES
        ("legal", "?", (outputs,)),  # which actions were legal
    ])  # fmt: skip


#: What followed the planes in checkpoints of earlier versions, which packed `legal` into bits.
_PACKED = np.dtype([
    ("legal", "u8"), ("trajectory", "u4"), ("version", "u4"), ("log_probability", "f4"), ("advantage", "f4"),
    ("rewards", "f4", (SEATS,)), ("round", "u2"), ("step", "u2"), ("seat", "u2"), ("action", "u2"),
])  # fmt: skip


def rows_of(data: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the rows of an `experience_dtype` whose bytes u8[n, bytes] a checkpoint contains, as a copy."""
    if data.shape[1] == dtype.itemsize:
        return data.copy().view(dtype).reshape(-1)
    assert dtype.fields is not None
    start = dtype.fields["trajectory"][1]
    rows, packed = np.zeros(len(data), dtype), data[:, start:].copy().view(_PACKED).reshape(-1)
    rows.view(np.uint8).reshape(len(data), -1)[:, :start] = data[:, :start]
    for name in set(_PACKED.names or ()) - {"legal"}:
        rows[name] = packed[name]
    outputs = np.arange(rows["legal"].shape[1], dtype=np.uint64)
    rows["legal"] = packed["legal"][:, None] >> outputs & np.uint64(1)
    return rows


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


def planes_of(experience: np.ndarray, precision: Precision) -> Packed:
    """Return the packed planes of decisions; where a GPU computes, they are sent to it, once for all networks."""
    planes: np.ndarray = experience["planes"]
    return masks_on(planes, precision.device) if precision.device.type == "cuda" else planes


def input_of(packed: Packed, planes: int) -> Packed:
    """Return the first of packed planes [n, k] as the input [n, planes] of a network, row by row.

    Raises ValueError if there are fewer.
    """
    if packed.shape[1] < planes:
        raise ValueError(f"a network of {planes} planes cannot see {packed.shape[1]}")
    first = packed[:, :planes]
    return first.contiguous() if isinstance(first, torch.Tensor) else np.ascontiguousarray(first)
