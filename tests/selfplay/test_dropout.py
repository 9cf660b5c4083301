"""Dropout of what a learning oracle is shown (formula 5)."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.tables import Tables
from simulator.tiles import KINDS
from suphx.selfplay.dropout import drop, dropout_keys
from tests.learning.toy_experience import ALL, random_planes


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
    neighbors = np.corrcoef(bits[..., :-1].ravel(), bits[..., 1:].ravel())[0, 1]
    rows = np.corrcoef(bits[:-1].ravel(), bits[1:].ravel())[0, 1]
    assert max(abs(neighbors), abs(rows)) < 5 / bits.size**0.5


def test_nothing_is_dropped_at_1_everything_at_0_and_nothing_ever_added() -> None:
    planes = random_planes(50, 10)
    assert (drop(planes, 1.0, keys(50)) == planes).all()
    assert not drop(planes, 0.0, keys(50)).any()
    assert not (drop(planes, 0.5, keys(50)) & ~planes).any()


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
    decisions = tables.decisions()
    rows = np.zeros(len(decisions), np.int64)
    found = dropout_keys(tables.games, decisions.game, decisions.seat, rows, seed=1)
    assert len(set(found.tolist())) == len(decisions)
    assert (dropout_keys(tables.games, decisions.game, decisions.seat, rows, seed=1) == found).all()
    assert not set(found.tolist()) & set(
        dropout_keys(tables.games, decisions.game, decisions.seat, rows, seed=2).tolist()
    )
    assert not set(found.tolist()) & set(
        dropout_keys(tables.games, decisions.game, decisions.seat, rows + 1, seed=1).tolist()
    )
