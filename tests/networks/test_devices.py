"""Inference and learning steps on a GPU that computes nothing: no tensor is on the wrong device."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from fake_gpu import fake_gpu
from selfplay_tables import collect, tiny_collector, tiny_networks
from torch._subclasses.fake_tensor import FakeTensor

from suphx.learning.config import CriticConfig, LearningConfig
from suphx.learning.learner import Learner
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.networks.policy import ValueNetwork
from suphx.networks.sizes import NetworkSize
from suphx.supervised.policy_training import PolicyTraining
from tests.dataset.made_games import sensible_games
from tests.supervised.tiny_config import tiny_config

SIZE = NetworkSize(filters=4, blocks=1)


@pytest.mark.parametrize("batch_invariant", [False, True])
def test_inference(batch_invariant):
    networks = [*tiny_networks().values(), ValueNetwork(SIZE, MODEL_PLANES["discard"])]
    with fake_gpu() as precision:
        for network in networks:
            evaluator = Evaluator(network, precision, batch_invariant)
            parts = [np.zeros((n, network.planes), np.uint64) for n in (300, 1, 1500)]
            assert evaluator.start(parts)().shape == (1801, OUTPUTS.get(network.model, 4))
            assert evaluator.logits(parts[0]).shape == (300, OUTPUTS.get(network.model, 4))


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_a_step_of_the_learner(optimizer):
    config = LearningConfig(
        models=["discard", "chow"], batch=32, baseline="critic", critic=CriticConfig(size=SIZE), optimizer=optimizer
    )
    batch = collect(tiny_collector(models=("discard", "chow"), hidden=True), 4)
    with fake_gpu() as precision:
        learner = Learner(tiny_networks(), config, precision)
        learner.advantages_of(batch)
        for model, rows in batch.experience.items():
            metrics = learner.learn(model, rows[:32], 0)
            assert metrics.keys() == {model, "critic"}
        assert all(isinstance(each, FakeTensor) for each in learner.networks["discard"].parameters())
        assert {each.device for each in learner.networks["discard"].parameters()} == {precision.device}


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_supervised_steps(optimizer, tmp_path):
    config, games = tiny_config(optimizer=optimizer, models={"discard": {"pairs": 1000}}), sensible_games()
    with fake_gpu() as precision:
        training = PolicyTraining("discard", config, games, tmp_path, precision)
        pairs = training.held_out()
        assert training._steps(pairs.take(slice(64)))[0]["loss"] == 0.5  # which is all that such a GPU has to say
        assert training.validate(pairs).keys() == {"loss", "accuracy"}
        assert {each.device for each in training.network.parameters()} == {precision.device}


def test_a_tensor_on_the_wrong_device_is_found():
    with fake_gpu() as precision, pytest.raises(RuntimeError, match="same device"):
        torch.ones(3).to(precision.device) + torch.ones(3)
