"""The state of a training in one safetensors file: weights, the optimizer's moments, the best weights, and words."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from simulator.files import write_whole
from suphx.errors import InputError
from suphx.reward.network import RewardNetwork

_METADATA_KEY = "progress"


class Pass(BaseModel):
    """What came of a pass over the training games; losses are formula 4's, in units of the prizes' spread."""

    model_config = ConfigDict(extra="forbid")

    training_loss: float
    """Mean over the pass, dropout included."""
    validation_loss: float


class Progress(BaseModel):
    """Where a training stands."""

    model_config = ConfigDict(extra="forbid")

    purpose: str
    """Hash of what is trained on what: only the same goes on from here."""
    passes: list[Pass] = []
    best_pass: int = 0
    """Index of the one with the lowest validation loss."""


def purpose_of(*what: object) -> str:
    """Return the hash that tells whether a checkpoint belongs to what is asked for."""
    return hashlib.sha256(repr(what).encode()).hexdigest()[:16]


def save_checkpoint(
    path: Path,
    progress: Progress,
    network: RewardNetwork,
    optimizer: torch.optim.Optimizer,
    best: dict[str, torch.Tensor],
) -> None:
    """Write a checkpoint; one that is there is replaced at once."""
    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
    plain = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(plain, {_METADATA_KEY: progress.model_dump_json()}))


def load_checkpoint(
    path: Path, purpose: str, network: RewardNetwork, optimizer: torch.optim.Optimizer
) -> tuple[Progress, dict[str, torch.Tensor]] | None:
    """Set network and optimizer to what was saved, and return the progress and the best weights; None without a file.

    Raises InputError, naming the file, if it is broken or belongs to another training: nothing is overwritten silently.
    """
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            progress = Progress.model_validate_json((file.metadata() or {}).get(_METADATA_KEY, ""))
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, ValidationError) as error:
        raise InputError(f"{path}: no checkpoint, or not whole ({error}); remove it to start anew") from error
    if progress.purpose != purpose:
        raise InputError(
            f"{path}: a checkpoint of a training with another configuration or other games; "
            f"give the run another name, or remove {path.parent}"
        )
    network.load_state_dict(_below(tensors, "network."))
    state: dict[int, dict[str, torch.Tensor]] = {}
    for place, tensor in _below(tensors, "optimizer.").items():
        number, name = place.split(".")
        state.setdefault(int(number), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    return progress, _below(tensors, "best.")


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
