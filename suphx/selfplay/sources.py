"""Fingerprints of the files that a training uses, to check that they are those its checkpoint was written with."""

from __future__ import annotations

from suphx.agents import fingerprint
from suphx.hashes import hash_of_file
from suphx.reward.rounds import predictor_hash
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.seating import opponents


def fingerprints(config: TrainConfig) -> dict[str, str]:
    """Return hashes of the files' contents, by their part in the training.

    Raises InputError if a file cannot be read.
    """
    found = {"start": fingerprint(config.start)}
    found |= {f"opponent {name}": fingerprint(name) for name in opponents(config.table)}
    if config.teacher is not None:
        found |= {
            f"teacher {model}": hash_of_file(config.teacher / f"{model}.safetensors")
            for model in config.learning.models
        }
    return found | predictor_hash(config.reward)
