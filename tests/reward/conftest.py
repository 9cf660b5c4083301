"""Games that the tests of the reward predictor share."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from simulator.logs.generate import generate_games
from suphx.dataset.prepare import prepare_games
from suphx.dataset.prepared import Prepared
from suphx.reward.games import INPUTS, RULES_OF_REWARD
from suphx.reward.predictor import Description, RewardNetwork, RewardPredictor, RewardShape
from suphx.reward.training import RewardConfig, RewardSelection, select_games


@pytest.fixture(scope="session")
def prepared() -> Prepared:
    return prepare_games(list(generate_games(120, seed=5)))


@pytest.fixture(scope="session")
def selection(prepared) -> RewardSelection:
    return select_games(prepared, "east_south")


@pytest.fixture(scope="session")
def config() -> RewardConfig:
    return RewardConfig(seed=3, hidden=8, batch=16, epochs=4, patience=4, bootstrap=20)


@pytest.fixture
def predictor(selection) -> RewardPredictor:
    torch.manual_seed(0)
    network = RewardNetwork(RewardShape(inputs=len(INPUTS), hidden=8))
    rules = {name: getattr(selection.rules, name) for name in RULES_OF_REWARD}
    config = RewardConfig()
    return RewardPredictor(
        network,
        Description(
            games="east_south", rules=rules, target=config.target, scale=80, start=(2, 1, 0, -3), shape=network.shape
        ),
    )


@pytest.fixture
def saved(tmp_path, predictor) -> Path:
    path = tmp_path / "reward.safetensors"
    predictor.save(path)
    return path
