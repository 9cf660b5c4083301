"""What is learned from: every question to a learning network, with its answer and the rewards of its round.

Experience is one structured array from the table to the gradient: the collector makes its rows, the buffer keeps them,
a minibatch is some of them. A *path* is one seat's way through one round: all its questions share that round's reward.
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

PATH = np.dtype([
    ("game", "u8"),  # number of the game in its seed's sequence
    ("round", "u2"),  # which round of the game, from 0, repeats counted
    ("seat", "u1"),
    ("last", "u1"),  # 1: the game ended with this round
    ("version", "u4"),  # of the policy that was playing when the round was dealt
    ("reward", "f4"),  # of this round, in units of the configured reward
    ("others", "f4", SEATS - 1),  # rewards of the seats on the right, across and on the left
])  # fmt: skip


def experience_dtype(planes: int, oracle: int = 0, hidden: int = 0) -> np.dtype:
    """Return the type of a question: packed planes of each kind, and the rest; without gaps, so that bytes compare."""
    return np.dtype([
        ("planes", "u8", (planes,)),  # what the network saw, without hidden planes
        ("oracle", "u8", (oracle,)),  # the hidden tiles that a learning oracle saw, after dropout
        ("hidden", "u8", (hidden,)),  # all hidden tiles, for a critic or a teacher
        ("legal", "u8"),  # bit a is set if answer a was possible
        ("path", "u4"),  # index into the batch's paths
        ("version", "u4"),  # of the policy that was playing when the round was dealt
        ("log_probability", "f4"),  # of the answer under the policy that played
        ("advantage", "f4"),  # of the answer; 0 until it is known
        ("rewards", "f4", (SEATS,)),  # of the round to each seat, starting with the one that was asked
        ("round", "u2"),  # which round of the game
        ("place", "u2"),  # number of questions asked earlier in the round, to any network and seat
        ("seat", "u2"),  # the one that was asked
        ("answer", "u2"),  # the answer taken: a kind of tile, or NO or YES
    ])  # fmt: skip


@dataclass(frozen=True)
class Batch:
    """Finished rounds: their paths, and the questions in them by model."""

    paths: np.ndarray
    """PATH[m]"""
    experience: dict[str, np.ndarray]
    """`experience_dtype`[n] by model, for models that learn; those of a path in the order in which they were asked."""

    def fill(self) -> Batch:
        """Write to every question what its path says: version, round, seat and rewards; return this batch."""
        for rows in self.experience.values():
            paths = self.paths[rows["path"]]
            for name in ("version", "round", "seat"):
                rows[name] = paths[name]
            rows["rewards"][:, 0], rows["rewards"][:, 1:] = paths["reward"], paths["others"]
        return self

    def size(self) -> int:
        """Return the size in bytes."""
        return int(self.paths.nbytes + sum(rows.nbytes for rows in self.experience.values()))


def join(batches: Sequence[Batch]) -> Batch:
    """Return one or more batches with the same models as a single one, with paths renumbered."""
    first = np.cumsum([0, *(len(batch.paths) for batch in batches[:-1])])
    experience = {}
    for model in batches[0].experience:
        parts = [batch.experience[model] for batch in batches]
        experience[model] = np.concatenate(parts)
        experience[model]["path"] += np.repeat(first, [len(part) for part in parts]).astype(np.uint32)
    return Batch(np.concatenate([batch.paths for batch in batches]), experience)


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
