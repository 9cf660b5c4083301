"""Checkpoints: the complete state of a training in one safetensors file, so that it resumes exactly after a kill.

Each contains a hash of its content. The one before it is kept beside it, in case the last one is damaged.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from pydantic import ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from simulator.files import write_whole
from suphx.config import StrictModel
from suphx.errors import InputError

_METADATA_KEY, _HASH_KEY = "progress", "sha256"


class TrainingProgress(StrictModel):
    """Progress of a training; each kind of training adds its own counters."""

    purpose: str
    """Hash of the configuration and the inputs of the training: only the same training may resume from here."""


P = TypeVar("P", bound=TrainingProgress)
V = TypeVar("V", torch.Tensor, np.ndarray)


def purpose_of(*what: object) -> str:
    """Return the hash that identifies the training a checkpoint belongs to."""
    return hashlib.sha256(repr(what).encode()).hexdigest()[:16]


def save_checkpoint(path: Path, progress: TrainingProgress, tensors: dict[str, torch.Tensor]) -> None:
    """Write a checkpoint, and keep the one that it replaces as `before_of(path)`; a kill leaves one of them whole."""
    plain = {name: each.detach().cpu().contiguous() for name, each in tensors.items()}
    words = progress.model_dump_json()
    fresh = path.with_name(f".{path.name}.new")
    write_whole(fresh, save(plain, {_METADATA_KEY: words, _HASH_KEY: _hash(words, plain)}))
    if path.exists():
        os.replace(path, before_of(path))
    os.replace(fresh, path)


def before_of(path: Path) -> Path:
    """Return where the checkpoint before the last one is kept."""
    return path.with_stem(f"{path.stem}-before")


def _hash(words: str, tensors: dict[str, torch.Tensor]) -> str:
    """Return a hash of a checkpoint's content; tensors: contiguous and on the CPU."""
    digest = hashlib.sha256(words.encode())
    for name, each in sorted(tensors.items()):
        digest.update(f"{name} {each.dtype} {list(each.shape)}".encode())
        flat = each.reshape(-1)
        if flat.stride() != (1,):  # of one element or none, where it means nothing, but bytes need it
            flat = torch.empty(len(flat), dtype=flat.dtype).copy_(flat)
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _read(path: Path, kind: type[P]) -> tuple[P, dict[str, torch.Tensor]]:
    """Return the content of a checkpoint; raises InputError if it is damaged."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            words = metadata.get(_METADATA_KEY, "")
            progress = kind.model_validate_json(words)
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, ValidationError) as error:
        raise InputError(f"{path}: no checkpoint, or not whole ({error})") from error
    if _HASH_KEY not in metadata:
        raise InputError(f"{path}: it has no hash of its content; an earlier version of suphx wrote it")
    if metadata[_HASH_KEY] != _hash(words, tensors):
        raise InputError(f"{path}: damaged: its content is not that of its hash")
    return progress, tensors


def load_checkpoint(path: Path, purpose: str, kind: type[P]) -> tuple[P, dict[str, torch.Tensor]] | None:
    """Return the progress and the tensors of a checkpoint, or None if there is no file.

    Raises InputError, naming the file, if it is damaged or belongs to another training, so that nothing is silently
    overwritten; if the checkpoint before a damaged one is whole, it says how to go on from that.
    """
    before = before_of(path)
    if not path.exists() and before.exists():  # killed between the two
        path = before
    if not path.exists():
        return None
    try:
        progress, tensors = _read(path, kind)
    except InputError as error:
        advice = "remove it to start from scratch"
        if path != before and before.exists():
            advice = "so is the one before it; remove both to start from scratch"
            with suppress(InputError):
                _read(before, kind)
                advice = f"the checkpoint before it is whole; to go on from that, remove {path}"
        raise InputError(f"{error}; {advice}") from error
    if progress.purpose != purpose:
        raise InputError(
            f"{path}: a checkpoint of a training with another configuration, with input files (weights, predictor, "
            "games) or planes that have changed since, or from an earlier version of this program; give the run "
            f"another name, or remove {path.parent}"
        )
    return progress, tensors


def joined(parts: Mapping[str, Mapping[str, V]]) -> dict[str, V]:
    """Return the tensors or arrays of several parts together, each named PART.NAME; see `tensors_below`."""
    return {f"{part}.{name}": each for part, tensors in parts.items() for name, each in tensors.items()}


def tensors_below(tensors: Mapping[str, V], prefix: str) -> dict[str, V]:
    """Return the tensors or arrays whose names start with a prefix, under their names without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
