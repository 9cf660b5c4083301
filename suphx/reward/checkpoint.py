"""Checkpoints of a training in one safetensors file: weights, optimizer moments, best weights and progress."""

from __future__ import annotations

from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict, Field

from suphx.checkpoint import TrainingProgress, load_checkpoint, save_checkpoint, tensors_below
from suphx.reward.network import RewardNetwork


class Pass(BaseModel):
    """The losses of a pass over the training games, as in formula 4, in squares of the prizes' spread."""

    model_config = ConfigDict(extra="forbid")

    training_loss: float
    """Mean over the pass, with dropout."""
    validation_loss: float


class Progress(TrainingProgress):
    """The progress of a training."""

    passes: list[Pass] = Field(default_factory=list)
    best_pass: int = 0
    """Index of the pass with the lowest validation loss."""


def save_training(
    path: Path,
    progress: Progress,
    network: RewardNetwork,
    optimizer: torch.optim.Optimizer,
    best: dict[str, torch.Tensor],
) -> None:
    """Write a training's state, atomically replacing an existing file."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
    save_checkpoint(path, progress, tensors)


def load_training(
    path: Path, purpose: str, network: RewardNetwork, optimizer: torch.optim.Optimizer
) -> tuple[Progress, dict[str, torch.Tensor]] | None:
    """Restore network and optimizer, and return the progress and the best weights; None if there is no file.

    Raises InputError as `load_checkpoint` does.
    """
    found = load_checkpoint(path, purpose, Progress)
    if found is None:
        return None
    progress, tensors = found
    network.load_state_dict(tensors_below(tensors, "network."))
    state: dict[int, dict[str, torch.Tensor]] = {}
    for place, tensor in tensors_below(tensors, "optimizer.").items():
        number, name = place.split(".")
        state.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    return progress, tensors_below(tensors, "best.")
