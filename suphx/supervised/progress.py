"""The progress of the training of a model, as stored in its checkpoint."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from suphx.checkpoint import TrainingProgress


class Validation(BaseModel):
    """The accuracy and loss of the averaged weights on validation pairs."""

    model_config = ConfigDict(extra="forbid")

    pairs: int
    """Number of pairs trained on so far."""
    accuracy: float
    loss: float
    """Mean of -log(probability of the answer)."""


class Progress(TrainingProgress):
    """The progress of a training."""

    chunk: int = 0
    """Number of the next chunk."""
    pairs: int = 0
    """Number of pairs trained on so far."""
    steps: int = 0
    seconds: float = 0
    done: bool = False
    best: Validation | None = None
    validations: list[Validation] = Field(default_factory=list)
