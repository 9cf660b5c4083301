"""Oracle guiding: widened and narrowed networks, dropout, its schedule (formula 5)."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from simulator.tables import Tables
from simulator.tiles import KINDS
from suphx.features.layout import ORACLE_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import MODELS
from suphx.selfplay.learning_config import OracleConfig
from suphx.selfplay.oracle import drop, dropout_keys, gamma_at, narrow, widen
from tests.selfplay.toy_experience import ALL, TINY, as_input, random_planes


def with_exact_sums(network: PolicyNetwork) -> PolicyNetwork:
    """Round the first layer so that its sums are exact in any order: what remains is the same computation."""
    with torch.no_grad():
        network.first.weight.mul_(256).round_().div_(256)
    return network


@pytest.mark.parametrize("model", MODELS)
def test_a_widened_network_is_the_same_function_whatever_is_hidden(model: str) -> None:
    torch.manual_seed(0)
    network = with_exact_sums(PolicyNetwork(model, TINY))
    wide = widen(network)
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
        found = narrow(wide)(as_input(planes))
        assert torch.equal(found, wide(as_input(np.concatenate([planes, nothing], axis=1))))
        assert not torch.equal(found, wide(as_input(np.concatenate([planes, nothing + ALL], axis=1))))


def test_the_new_planes_learn() -> None:
    wide = widen(PolicyNetwork("discard", TINY, planes=5), 3)
    assert not wide.first.weight[:, 5:].any()
    planes = as_input(random_planes(9, 8))
    (wide(planes)[:, 0].sum()).backward()
    assert wide.first.weight.grad is not None and wide.first.weight.grad[:, 5:].any()


def test_narrowing_undoes_widening() -> None:
    network = PolicyNetwork("riichi", TINY, planes=6)
    back = narrow(widen(network)).state_dict()
    assert all(torch.equal(each, back[name]) for name, each in network.state_dict().items())


def keys(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1 << 63, n, dtype=np.uint64)


@pytest.mark.parametrize("gamma", [0.03, 0.3, 0.5, 0.85])
def test_each_element_is_kept_with_probability_gamma(gamma: float) -> None:
    n, planes = 400, 20
    kept = drop(np.full((n, planes), ALL), gamma, keys(n))
    bits = (kept[..., None] >> np.arange(KINDS, dtype=np.uint64) & np.uint64(1)).astype(float)
    error = (gamma * (1 - gamma)) ** 0.5
    assert bits.mean() == pytest.approx(gamma, abs=4 * error / bits.size**0.5)
    for axes, cells in (((0, 1), n * planes), ((0, 2), n * KINDS), ((1, 2), planes * KINDS)):
        assert np.abs(bits.mean(axis=axes) - gamma).max() < 5 * error / cells**0.5
    neighbours = np.corrcoef(bits[..., :-1].ravel(), bits[..., 1:].ravel())[0, 1]
    rows = np.corrcoef(bits[:-1].ravel(), bits[1:].ravel())[0, 1]
    assert max(abs(neighbours), abs(rows)) < 5 / bits.size**0.5


def test_nothing_is_dropped_at_1_everything_at_0_and_nothing_ever_added() -> None:
    planes = random_planes(50, 10)
    assert (drop(planes, 1.0, keys(50)) == planes).all()
    assert not drop(planes, 0.0, keys(50)).any()
    assert not (drop(planes, 0.5, keys(50)) & ~planes).any()
    with pytest.raises(ValueError, match=r"a probability, not 1\.5"):
        drop(planes, 1.5, keys(50))


def test_dropout_follows_from_the_key_alone() -> None:
    planes = random_planes(50, 10)
    whole = drop(planes, 0.4, keys(50))
    some = [7, 3, 30]
    assert (drop(planes[some], 0.4, keys(50)[some]) == whole[some]).all()
    assert (drop(planes, 0.4, keys(50, seed=1)) != whole).any()


def test_less_gamma_shows_less_of_the_same() -> None:
    planes = random_planes(50, 10)
    assert not (drop(planes, 0.3, keys(50)) & ~drop(planes, 0.6, keys(50))).any()


def test_keys_name_the_question() -> None:
    tables = Tables(8, seed=5)
    asked = tables.decisions()
    rows = np.zeros(len(asked), np.int64)
    found = dropout_keys(tables.games, asked.game, asked.seat, rows, seed=1)
    assert len(set(found.tolist())) == len(asked)
    assert (dropout_keys(tables.games, asked.game, asked.seat, rows, seed=1) == found).all()
    assert not set(found.tolist()) & set(dropout_keys(tables.games, asked.game, asked.seat, rows, seed=2).tolist())
    assert not set(found.tolist()) & set(dropout_keys(tables.games, asked.game, asked.seat, rows + 1, seed=1).tolist())


def test_gamma_is_full_then_falls_then_gone() -> None:
    config = OracleConfig(full_games=100, decay_games=200)
    assert [gamma_at(config, games) for games in (0, 99, 100, 200, 299, 300, 10_000)] == [
        1, 1, 1, 0.5, pytest.approx(0.005), 0, 0,
    ]  # fmt: skip
    assert gamma_at(OracleConfig(full_games=0, decay_games=0), 0) == 0
