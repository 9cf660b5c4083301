"""What self-play hands to the learner: every question to a learning network, and what its round was worth.

A *path* is one seat's way through one round: all its questions share the reward of that round. Columns are plain
arrays, so that they travel between processes as buffers, with the planes packed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from simulator.record import SEATS

PATH = np.dtype([
    ("game", "u8"),  # number of the game in its seed's sequence
    ("round", "u2"),  # which round of the game, from 0, repeats counted
    ("seat", "u1"),
    ("last", "u1"),  # 1: the game ended with this round
    ("version", "u4"),  # of the policy that played, when the round was dealt
    ("reward", "f4"),  # of this round, in the units of the reward that is configured
    ("others", "f4", SEATS - 1),  # rewards of the seats on the right, across and on the left
    ("deal", "u4"),  # which round of the game and which repeat: with the game's walls it names the wall
    ("copies", "u2"),  # other games of the same walls that came to this deal; 0 where there are none
    ("elsewhere", "f4"),  # mean reward of the same seat in those
])  # fmt: skip


@dataclass(frozen=True)
class Experience:
    """Questions to one network, a row each; within a path in the order they were asked."""

    path: np.ndarray
    """u4[n]: which of the paths"""
    place: np.ndarray
    """u2[n]: how many questions to any network the round held before, whoever's"""
    planes: np.ndarray
    """uint64[n, planes of the model]: what the network saw, oracle planes not included"""
    oracle: np.ndarray
    """uint64[n, ORACLE_PLANES], or [n, 0] where no oracle learns: what it saw of the hidden tiles, after dropout"""
    hidden: np.ndarray
    """uint64[n, ORACLE_PLANES], or [n, 0] where neither a critic nor a teacher looks on: all of the hidden tiles"""
    legal: np.ndarray
    """uint64[n]: bit a: answer a was possible"""
    answer: np.ndarray
    """u1[n]: the answer taken: a kind, or NO and YES"""
    log_probability: np.ndarray
    """f4[n]: of that answer, under the policy that played"""

    def __len__(self) -> int:
        return len(self.path)

    def rows(self, which: np.ndarray | slice) -> Experience:
        """Return some of the rows: indices i64[m], bool[n] or a slice."""
        return Experience(*(getattr(self, each.name)[which] for each in fields(self)))


@dataclass(frozen=True)
class Batch:
    """Rounds that are over: their paths, and by model the questions in them."""

    paths: np.ndarray
    """PATH[m]"""
    experience: dict[str, Experience]
    """By model, of those that learn."""

    def rewards(self, model: str) -> np.ndarray:
        """Return f32[n, 4]: what the round was worth to each seat, from that of a model's question on."""
        paths = self.paths[self.experience[model].path]
        return np.concatenate([paths["reward"][:, None], paths["others"]], axis=1)

    def size(self) -> int:
        """Return how many bytes it takes."""
        columns = [getattr(each, field.name) for each in self.experience.values() for field in fields(each)]
        return int(self.paths.nbytes + sum(column.nbytes for column in columns))


def join(batches: Sequence[Batch]) -> Batch:
    """Return several batches, one at least, as one; paths are numbered on."""
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
