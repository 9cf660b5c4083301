"""Earlier versions of a run: kept in turn, as they were, without what is hidden."""

from __future__ import annotations

import pytest
import torch
from selfplay_tables import tiny_networks

from suphx.learning.oracle import widen
from suphx.networks.models import MODEL_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.selfplay.earlier import EarlierVersions
from suphx.selfplay.seating import EarlierConfig


def learning(seed: int = 0) -> dict[str, PolicyNetwork]:
    networks = tiny_networks(seed)
    return {model: networks[model] for model in ("discard", "chow")}


def is_same(one: dict[str, PolicyNetwork], other: dict[str, PolicyNetwork]) -> bool:
    return one.keys() == other.keys() and all(
        torch.equal(weight, other[model].state_dict()[name])
        for model, network in one.items()
        for name, weight in network.state_dict().items()
    )


def test_the_newest_replaces_the_oldest_and_the_start_fills_the_rest():
    versions = EarlierVersions(EarlierConfig(count=2, every=10), learning(0))
    assert all(is_same(each, learning(0)) for each in versions.kept)
    places = [versions.keep_if_due(games, learning(games)) for games in (9, 10, 19, 25, 30, 35)]
    assert places == [None, 0, None, 1, None, 0]
    assert is_same(versions.kept[0], learning(35)) and is_same(versions.kept[1], learning(25))


def test_what_is_kept_does_not_learn_on():
    networks = learning(1)
    versions = EarlierVersions(EarlierConfig(count=1, every=1), learning(0))
    versions.keep_if_due(1, networks)
    with torch.no_grad():
        for weight in networks["discard"].parameters():
            weight += 1
    assert is_same(versions.kept[0], learning(1))


def test_an_oracle_is_kept_without_what_is_hidden():
    networks = learning(1)
    wide = {model: widen(network, 3) for model, network in networks.items()}
    with torch.no_grad():
        wide["discard"].first.weight[:, -3:] = 1
    versions = EarlierVersions(EarlierConfig(count=1, every=1), learning(0))
    versions.keep_if_due(1, wide)
    assert {model: each.planes for model, each in versions.kept[0].items()} == {m: MODEL_PLANES[m] for m in networks}
    assert is_same(versions.kept[0], networks)


def test_all_goes_on_as_it_was():
    config = EarlierConfig(count=3, every=5)
    versions = EarlierVersions(config, learning(0))
    for games in (5, 10, 15, 20):
        versions.keep_if_due(games, learning(games))
    again = EarlierVersions(config, learning(0))
    again.load(versions.state, versions.tensors())
    assert all(is_same(one, other) for one, other in zip(versions.kept, again.kept, strict=True))
    assert [each.keep_if_due(24, learning(24)) for each in (versions, again)] == [None, None]
    assert [each.keep_if_due(25, learning(25)) for each in (versions, again)] == [1, 1]
    with pytest.raises(RuntimeError):
        EarlierVersions(config, learning(0)).load(versions.state, {})


def test_without_a_configuration_nothing_is_kept():
    versions = EarlierVersions(None, learning(0))
    assert versions.keep_if_due(1_000_000, learning(1)) is None
    assert not versions.kept and not versions.tensors()
