"""The experience that self-play hands to the learner: every question to a learning network and its round's reward.

A *path* is one seat's way through one round: all its questions share the reward of that round. Columns are plain
arrays, with the planes packed, so that they can be sent between processes as buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

#: Seats that a round's rewards go to.
SEATS = 4
PATH = np.dtype([
    ("game", "u8"),  # number of the game in its seed's sequence
    ("round", "u2"),  # which round of the game, from 0, repeats counted
    ("seat", "u1"),
    ("last", "u1"),  # 1: the game ended with this round
    ("version", "u4"),  # of the policy that was playing when the round was dealt
    ("reward", "f4"),  # of this round, in units of the configured reward
    ("others", "f4", SEATS - 1),  # rewards of the seats on the right, across and on the left
])  # fmt: skip


@dataclass(frozen=True)
class Experience:
    """Questions to one network, one per row; those of a path are in the order in which they were asked."""

    path: np.ndarray
    """u4[n]: index into the batch's paths"""
    place: np.ndarray
    """u2[n]: number of questions asked earlier in the round, to any network and seat"""
    planes: np.ndarray
    """uint64[n, planes of the model]: what the network saw, without oracle planes"""
    oracle: np.ndarray
    """uint64[n, ORACLE_PLANES], or [n, 0] if no oracle learns: the hidden tiles that the network saw, after dropout"""
    hidden: np.ndarray
    """uint64[n, ORACLE_PLANES], or [n, 0] if there is neither a critic nor a teacher: all hidden tiles"""
    legal: np.ndarray
    """uint64[n]: bit a is set if answer a was possible"""
    answer: np.ndarray
    """u1[n]: the answer taken: a kind of tile, or NO or YES"""
    log_probability: np.ndarray
    """f4[n]: log-probability of that answer under the policy that played"""

    def __len__(self) -> int:
        return len(self.path)

    def rows(self, which: np.ndarray | slice) -> Experience:
        """Return some of the rows, chosen by indices i64[m], a mask bool[n] or a slice."""
        return Experience(*(getattr(self, each.name)[which] for each in fields(self)))


@dataclass(frozen=True)
class Batch:
    """Finished rounds: their paths, and the questions in them by model."""

    paths: np.ndarray
    """PATH[m]"""
    experience: dict[str, Experience]
    """The questions by model, for models that learn."""

    def rewards(self, model: str) -> np.ndarray:
        """Return f32[n, 4] for a model's questions: the round's reward of each seat, starting with the seat asked."""
        paths = self.paths[self.experience[model].path]
        return np.concatenate([paths["reward"][:, None], paths["others"]], axis=1)

    def size(self) -> int:
        """Return the size in bytes."""
        columns = [getattr(each, field.name) for each in self.experience.values() for field in fields(each)]
        return int(self.paths.nbytes + sum(column.nbytes for column in columns))


def join(batches: Sequence[Batch]) -> Batch:
    """Return one or more batches as a single one, with paths renumbered."""
    first = np.cumsum([0, *(len(batch.paths) for batch in batches[:-1])])
    models = list(dict.fromkeys(model for batch in batches for model in batch.experience))
    experience = {}
    for model in models:
        parts = [
            (batch.experience[model], at) for batch, at in zip(batches, first, strict=True) if model in batch.experience
        ]
        columns = {
            field.name: np.concatenate([getattr(part, field.name) for part, _ in parts]) for field in fields(Experience)
        }
        columns["path"] = np.concatenate([part.path + np.uint32(at) for part, at in parts])
        experience[model] = Experience(**columns)
    return Batch(np.concatenate([batch.paths for batch in batches]), experience)
