"""Checkpoints: the complete state of a training in one safetensors file, so that it resumes exactly after a kill."""

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
    """Progress of a training; each kind of training adds its own counters."""

    model_config = ConfigDict(extra="forbid")

    purpose: str
    """Hash of the configuration and the inputs of the training: only the same training may resume from here."""


P = TypeVar("P", bound=TrainingProgress)


def purpose_of(*what: object) -> str:
    """Return the hash that identifies the training a checkpoint belongs to."""
    return hashlib.sha256(repr(what).encode()).hexdigest()[:16]


def save_checkpoint(path: Path, progress: TrainingProgress, tensors: dict[str, torch.Tensor]) -> None:
    """Write a checkpoint, atomically replacing an existing one."""
    plain = {name: each.detach().contiguous() for name, each in tensors.items()}
    write_whole(path, save(plain, {_METADATA_KEY: progress.model_dump_json()}))


def load_checkpoint(path: Path, purpose: str, kind: type[P]) -> tuple[P, dict[str, torch.Tensor]] | None:
    """Return the progress and the tensors of a checkpoint, or None if there is no file.

    Raises InputError, naming the file, if it is broken or belongs to another training, so that nothing is silently
    overwritten.
    """
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            progress = kind.model_validate_json((file.metadata() or {}).get(_METADATA_KEY, ""))
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, ValidationError) as error:
        raise InputError(f"{path}: no checkpoint, or not whole ({error}); remove it to start from scratch") from error
    if progress.purpose != purpose:
        raise InputError(
            f"{path}: a checkpoint of a training with another configuration, with input files (weights, predictor, "
            "games) or planes that have changed since, or from an earlier version of this program; give the run "
            f"another name, or remove {path.parent}"
        )
    return progress, tensors


def tensors_below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """Return the tensors whose names start with a prefix, under their names without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
