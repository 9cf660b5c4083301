"""Where the training of a model stands."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from suphx.checkpoint import TrainingProgress


class Validation(BaseModel):
    """What the average of the weights was worth on validation pairs."""

    model_config = ConfigDict(extra="forbid")

    pairs: int
    """Pairs trained on before."""
    accuracy: float
    loss: float
    """Mean of -log(probability of the answer)."""


class Progress(TrainingProgress):
    """Where a training stands."""

    chunk: int = 0
    """The next chunk."""
    pairs: int = 0
    """Trained on so far."""
    steps: int = 0
    seconds: float = 0
    done: bool = False
    best: Validation | None = None
    validations: list[Validation] = Field(default_factory=list)
