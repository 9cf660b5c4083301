"""A training that takes a second."""

from __future__ import annotations

from suphx.supervised.config import PretrainConfig


def tiny_config(**changes: object) -> PretrainConfig:
    values: dict = {
        "name": "tiny",
        "size": {"filters": 8, "blocks": 1},
        "models": {"riichi": {"pairs": 1500, "shuffle_suits": True}},
        "validation_pairs": 200,
        "validations": 4,
        "average_steps": 5,
        "weak": 0.3,
        "checkpoint_seconds": 1000,
    }
    return PretrainConfig.model_validate(values | changes)
