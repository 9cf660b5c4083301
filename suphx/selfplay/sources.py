"""The files that a training learns from: whether they are still those that its checkpoint was written with."""

from __future__ import annotations

import hashlib
from pathlib import Path

from suphx.agents import fingerprint
from suphx.errors import InputError
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.rewards import SHIPPED_PREDICTOR, PhiReward
from suphx.selfplay.seating import opponents


def fingerprints(config: TrainConfig) -> dict[str, str]:
    """Return what tells whether files are still the same, by what they are to the training; names alone do not tell.

    Raises InputError for what cannot be read.
    """
    found = {"start": fingerprint(config.start)}
    found |= {f"opponent {name}": fingerprint(name) for name in opponents(config.table)}
    if config.teacher is not None:
        found |= {
            f"teacher {model}": hash_of_file(config.teacher / f"{model}.safetensors")
            for model in config.learning.models
        }
    if isinstance(config.reward, PhiReward):
        found["predictor"] = hash_of_file(config.reward.predictor or SHIPPED_PREDICTOR)
    return found


def hash_of_file(path: Path) -> str:
    """Return what tells one content of a file from another; raises InputError where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
