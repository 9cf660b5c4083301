"""A training's whole state in one safetensors file, so that it goes on after a kill as if nothing had happened."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TypeVar

import torch
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from simulator.files import write_whole
from suphx.errors import InputError

_METADATA_KEY = "progress"


class TrainingProgress(BaseModel):
    """Where a training stands; each kind of training adds what it counts."""

    model_config = ConfigDict(extra="forbid")

    purpose: str
    """Hash of what is trained on what: only the same goes on from here."""


P = TypeVar("P", bound=TrainingProgress)


def purpose_of(*what: object) -> str:
    """Return the hash that tells whether a checkpoint belongs to what is asked for."""
    return hashlib.sha256(repr(what).encode()).hexdigest()[:16]


def save_checkpoint(path: Path, progress: TrainingProgress, tensors: dict[str, torch.Tensor]) -> None:
    """Write a checkpoint; one that is there is replaced at once."""
    plain = {name: each.detach().contiguous() for name, each in tensors.items()}
    write_whole(path, save(plain, {_METADATA_KEY: progress.model_dump_json()}))


def load_checkpoint(path: Path, purpose: str, kind: type[P]) -> tuple[P, dict[str, torch.Tensor]] | None:
    """Return what was saved, or None if there is nothing.

    Raises InputError, naming the file, if it is broken or belongs to another training: nothing is overwritten silently.
    """
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            progress = kind.model_validate_json((file.metadata() or {}).get(_METADATA_KEY, ""))
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, ValidationError) as error:
        raise InputError(f"{path}: no checkpoint, or not whole ({error}); remove it to start anew") from error
    if progress.purpose != purpose:
        raise InputError(
            f"{path}: a checkpoint of a training with another configuration, from other files (weights, predictor, "
            "games) or planes than those that are there now, or of an earlier version of this program; give the run "
            f"another name, or remove {path.parent}"
        )
    return progress, tensors


def tensors_below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """Return the tensors whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
