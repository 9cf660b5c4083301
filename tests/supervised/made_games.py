"""A few games by rule-based players, prepared once for the tests of a process."""

from __future__ import annotations

from functools import cache

from simulator.logs.generate import generate_games
from suphx.supervised.config import PretrainConfig
from suphx.supervised.prepare import prepare_games
from suphx.supervised.prepared import Prepared


@cache
def sensible_games() -> Prepared:
    return prepare_games(generate_games(40, seed=5), "made")


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
