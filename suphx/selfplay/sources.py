"""The files that a training learns from: whether they are still those that its checkpoint was written with."""

from __future__ import annotations

from suphx.agents import fingerprint
from suphx.hashes import hash_of_file
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.rewards import predictor_hash
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
    return found | predictor_hash(config.reward)
