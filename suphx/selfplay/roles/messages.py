"""The objects that roles send each other: weights for play, and minibatches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suphx.learning.advantages import Moments
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.selfplay.play import PlayCounts


@dataclass(frozen=True)
class Published:
    """New weights for play."""

    version: int
    gamma: float
    """Share of the hidden information that is shown (`oracle.py`)."""
    at: float
    """Wall-clock time of the publication, in seconds."""
    networks: dict[str, PolicyNetwork | ValueNetwork]
    """The learning networks by model, and the critic if there is one; on the CPU."""


@dataclass
class Minibatch:
    """A minibatch of one model, or a buffer's share of it, with a part for each process of the parameter server."""

    model: str | None
    """None: some buffer had too few decisions of every model."""
    parts: list[list[Any]]
    """Ray references to rows of experience, by process; all empty without a model."""
    counts: PlayCounts
    """PlayCounts of what the buffers received since they last told."""
    metrics: list[dict[str, float]]
    """Those of each buffer that has reported (`ReplayBuffer.metrics`)."""
    moments: Moments
    """Those of the buffer that gathered it."""

    def add(self, other: Minibatch) -> None:
        """Add another buffer's share; without its rows there is no minibatch."""
        self.model = self.model if other.model else None
        self.parts = [own + more for own, more in zip(self.parts, other.parts, strict=True)]
        self.counts += other.counts
        self.metrics += other.metrics
