"""Oracle guiding: widened and narrowed networks, the schedule of dropout (formula 5)."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from suphx.features.layout import ORACLE_PLANES
from suphx.learning.config import LearningConfig, OracleConfig
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from tests.learning.toy_experience import ALL, TINY, as_input, random_planes


def with_exact_sums(network: PolicyNetwork) -> PolicyNetwork:
    """Round the first layer so that its sums are exact in any order: what remains is the same computation."""
    with torch.no_grad():
        network.first.weight.mul_(256).round_().div_(256)
    return network


@pytest.mark.parametrize("model", MODELS)
def test_a_widened_network_is_the_same_function_whatever_is_hidden(model: str) -> None:
    torch.manual_seed(0)
    network = with_exact_sums(PolicyNetwork(model, TINY))
    wide = network.with_planes(network.planes + ORACLE_PLANES)
    assert wide.planes == network.planes + ORACLE_PLANES
    planes, hidden = random_planes(9, network.planes), random_planes(9, ORACLE_PLANES, seed=1)
    with torch.inference_mode():
        assert torch.equal(network(as_input(planes)), wide(as_input(np.concatenate([planes, hidden], axis=1))))


@pytest.mark.parametrize("model", ["discard", "kong"])
def test_a_narrowed_network_is_the_same_function_without_the_planes(model: str) -> None:
    torch.manual_seed(0)
    wide = with_exact_sums(PolicyNetwork(model, TINY, planes=40 + ORACLE_PLANES))
    planes = random_planes(9, 40)
    nothing = np.zeros((9, ORACLE_PLANES), np.uint64)
    with torch.inference_mode():
        narrowed = wide.with_planes(40)(as_input(planes))
        assert torch.equal(narrowed, wide(as_input(np.concatenate([planes, nothing], axis=1))))
        assert not torch.equal(narrowed, wide(as_input(np.concatenate([planes, nothing + ALL], axis=1))))


def test_the_new_planes_learn() -> None:
    wide = PolicyNetwork("discard", TINY, planes=5).with_planes(8)
    assert not wide.first.weight[:, 5:].any()
    planes = as_input(random_planes(9, 8))
    (wide(planes)[:, 0].sum()).backward()
    assert wide.first.weight.grad is not None and wide.first.weight.grad[:, 5:].any()


def test_narrowing_undoes_widening() -> None:
    network = PolicyNetwork("riichi", TINY, planes=6)
    back = network.with_planes(6 + ORACLE_PLANES).with_planes(6).state_dict()
    assert all(torch.equal(each, back[name]) for name, each in network.state_dict().items())


def test_gamma_is_full_then_falls_then_gone() -> None:
    config = LearningConfig(oracle=OracleConfig(full_games=100, decay_games=200))
    assert [config.gamma_at(games) for games in (0, 99, 100, 200, 299, 300, 10_000)] == [
        1, 1, 1, 0.5, pytest.approx(0.005), 0, 0,
    ]  # fmt: skip
    assert LearningConfig(oracle=OracleConfig(full_games=0, decay_games=0)).gamma_at(0) == 0
