"""The speed that a plan promises follows from what its parts take."""

import math

import pytest
import torch

from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import SIZES
from suphx.networks.timing import Seconds, answering_seconds, assumed_seconds, learning_seconds
from suphx.selfplay import expected
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.expected import Times, bounds, expected_rate
from suphx.selfplay.pace import DECISIONS_A_GAME, MODEL_DECISIONS_A_GAME
from suphx.selfplay.roles.plan import Node

QUESTIONS, DISCARDS = sum(MODEL_DECISIONS_A_GAME.values()), MODEL_DECISIONS_A_GAME["discard"]
MANY = [Node(cpus=1000)]
NO_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="GPUs are measured here")


def planned(roles=None, **values) -> TrainConfig:
    return TrainConfig.model_validate({"start": "sl-weak", "roles": roles or {}} | values)


@pytest.fixture
def networks(monkeypatch):
    """Networks that take a millisecond for a position, and one for a pair."""

    def take(answer=1e-3, pair=1e-3):
        monkeypatch.setattr(expected, "_seconds", lambda network, role, learns: Seconds(pair if learns else answer, 0))

    take()
    return take


def test_slow_engines_bound_a_run_and_more_of_them_help(networks):
    networks(pair=1e-6)
    one, four = (
        expected_rate(planned({"simulators": {"count": n}, "engines": {"count": n}}, side_by_side=512), MANY)
        for n in (1, 4)
    )
    assert one.limit == "engines" and not one.assumed
    assert one.games_per_s * QUESTIONS == pytest.approx(1000, rel=0.1)
    assert one.decisions_per_s == one.games_per_s * DECISIONS_A_GAME
    assert four.games_per_s == pytest.approx(4 * one.games_per_s)


def test_slow_learning_bounds_a_run(networks):
    networks(answer=1e-6)
    once = expected_rate(planned(), MANY)
    assert once.limit == "servers" and once.games_per_s == pytest.approx(1000 / DISCARDS, rel=0.01)
    thrice = expected_rate(planned({"servers": {"count": 2}}, learning={"replay": {"reuse": 3}}), MANY)
    assert thrice.games_per_s == pytest.approx(once.games_per_s * 2 / 3)
    seat = expected_rate(planned(table={"kind": "one-against-three", "opponents": ["sl-weak"]}), MANY)
    assert seat.games_per_s == pytest.approx(4 * once.games_per_s)
    critic = expected_rate(planned(learning={"baseline": "critic"}), MANY)
    assert critic.games_per_s == pytest.approx(once.games_per_s / 2, rel=0.01)


def test_roles_share_the_cores_that_there_are(networks):
    config = planned({"engines": {"count": 8}, "simulators": {"count": 8}, "servers": {"count": 8}}, side_by_side=512)
    free, shared = (expected_rate(config, nodes) for nodes in (MANY, [Node(cpus=1), Node(cpus=1)]))
    assert shared.limit == "cores" and shared.games_per_s < free.games_per_s
    assert shared.games_per_s == pytest.approx(2 / (1e-3 * (QUESTIONS + DISCARDS)), rel=0.2)


def test_each_part_bounds_what_its_work_is():
    free = Times(0, 0, 0, 0)
    config = planned({"engines": {"count": 4}, "simulators": {"count": 4}}, side_by_side=16384)
    rates = bounds(config, free, math.inf)
    assert rates["simulators"] * QUESTIONS == pytest.approx(4 / expected.QUESTION, rel=0.1)
    assert rates["minibatches"] == pytest.approx(1 / (DISCARDS * expected.HAND_OUT))
    many = planned({"buffers": {"count": 50}}, learning={"batch": 10_000})
    calls = DISCARDS / 10_000 * 2 * 49 * expected.CALL
    assert bounds(many, free, math.inf)["minibatches"] == pytest.approx(1 / (calls + DISCARDS * expected.HAND_OUT / 50))
    slow = planned({"servers": {"count": 100}}, learning={"batch": 1000})
    assert bounds(slow, Times(0, 0, 0, 0.5), math.inf)["servers"] == pytest.approx(2 * 1000 / DISCARDS, rel=0.01)


def test_what_a_batch_costs_is_shared_by_the_simulators_of_an_engine():
    batch = Times(0, 10.0, 0, 0)
    one, four = (
        bounds(planned({"simulators": {"count": n}, "engines": {"count": 1}}), batch, math.inf)["engines"]
        for n in (1, 4)
    )
    assert four == pytest.approx(4 * one, rel=0.01)


def test_simulators_with_networks_of_their_own_ask_nobody(networks):
    networks(pair=1e-6)
    found = expected_rate(planned({"simulators": {"count": 3}}), MANY)
    assert found.limit == "simulators"
    assert found.games_per_s * QUESTIONS == pytest.approx(3 / (1e-3 + expected.QUESTION))


@NO_GPU
def test_gpus_that_are_not_here_are_assumed_and_that_is_said():
    half = planned({"engines": {"count": 1, "gpus": 0.5}, "servers": {"gpus": 0.5}})
    found = expected_rate(half, MANY)
    assert found.assumed and found.games_per_s > 0
    network, size = PolicyNetwork("discard", SIZES["small"]), SIZES["small"]
    for role, learns in ((half.roles.engines, False), (half.roles.servers, True)):
        whole = assumed_seconds(size, learns)
        assert expected._seconds(network, role, learns) == Seconds(2 * whole.row, 2 * whole.batch)


def test_networks_are_measured_here():
    network, precision = PolicyNetwork("discard", SIZES["small"]), choose_precision("cpu", None, 1)
    answer, gradient = (take(network, precision, 0.01) for take in (answering_seconds, learning_seconds))
    assert 1e-6 < answer.row < 1 and answer.batch >= 0 and 1e-6 < gradient.row < 1
