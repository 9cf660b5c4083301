"""The speed that a plan promises follows from what its parts take."""

import pytest

from suphx.networks.sizes import CRITIC, SIZES
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.pace import DECISIONS_A_GAME, QUESTIONS_A_GAME
from suphx.selfplay.roles.plan import Node
from suphx.selfplay.scaling import expected
from suphx.selfplay.scaling.costs import HOST, assumed_card, cpu_costs
from suphx.selfplay.scaling.expected import _Speed, expected_rate
from suphx.selfplay.scaling.report import measurements

QUESTIONS = sum(QUESTIONS_A_GAME.values())
MANY = [Node(cpus=1000)]


def planned(roles=None, **values) -> TrainConfig:
    return TrainConfig.model_validate({"start": "sl-weak", "roles": roles or {}} | values)


@pytest.fixture
def networks(monkeypatch):
    """Networks that take a millisecond for a position, and one for a pair."""

    def take(answer=1e-3, pair=1e-3):
        monkeypatch.setattr(expected, "_answering", lambda network, role: _Speed(answer))
        monkeypatch.setattr(expected, "_seconds_a_pair", lambda network, model, config: pair)

    take()
    return take


def test_costs_of_the_host_are_those_of_the_shipped_measurements():
    found = measurements()
    base = cpu_costs(found.selfplay, found.learner, "base")
    for name, value in vars(HOST).items():
        there = getattr(base.play, name) if hasattr(base.play, name) else getattr(base, name)
        assert value == pytest.approx(there, rel=0.02), name


def test_slow_engines_bound_a_run_and_more_of_them_help(networks):
    networks(pair=1e-6)
    config = {"side_by_side": 512}
    one, four = (
        expected_rate(planned({"simulators": {"count": n}, "engines": {"count": n}}, **config), MANY) for n in (1, 4)
    )
    assert one.limit == "engines" and not one.assumed
    assert one.games_per_s * QUESTIONS == pytest.approx(1000, rel=0.1)
    assert one.decisions_per_s == one.games_per_s * DECISIONS_A_GAME
    assert four.games_per_s == pytest.approx(4 * one.games_per_s)


def test_slow_learning_bounds_a_run(networks):
    networks(answer=1e-6)
    asked = QUESTIONS_A_GAME["discard"]
    once = expected_rate(planned(), MANY)
    assert once.limit == "servers" and once.games_per_s == pytest.approx(1000 / asked)
    twice = expected_rate(planned({"servers": {"count": 2}}, learning={"replay": {"reuse": 3}}), MANY)
    assert twice.games_per_s == pytest.approx(2000 / asked / 3)
    seat = expected_rate(planned(table={"kind": "one-against-three", "opponents": ["sl-weak"]}), MANY)
    assert seat.games_per_s == pytest.approx(4 * once.games_per_s)
    critic = expected_rate(planned(learning={"baseline": "critic"}), MANY)
    assert critic.games_per_s == pytest.approx(once.games_per_s / 2)


def test_fast_networks_leave_simulators_the_bound(networks):
    networks(answer=0, pair=1e-9)
    found = expected_rate(planned({"engines": {"count": 4}, "simulators": {"count": 4}}, side_by_side=16384), MANY)
    assert found.limit == "simulators"
    assert found.games_per_s * QUESTIONS == pytest.approx(4 / HOST.question, rel=0.2)


def test_roles_share_the_cores_that_there_are(networks):
    networks(answer=1e-3, pair=1e-3)
    config = planned({"engines": {"count": 8}, "simulators": {"count": 8}, "servers": {"count": 8}})
    free, shared = (expected_rate(config, nodes) for nodes in (MANY, [Node(cpus=1), Node(cpus=1)]))
    assert shared.limit == "cores" and shared.games_per_s < free.games_per_s
    a_game = 1e-3 * (QUESTIONS + QUESTIONS_A_GAME["discard"])
    assert shared.games_per_s == pytest.approx(2 / a_game, rel=0.2)


def test_with_the_measured_costs_of_the_networks_it_expects_what_was_measured(networks):
    found = measurements().selfplay["base"]
    networks(answer=found["play_two_cores"]["network_us"] * 1e-6, pair=1e-9)
    rate = expected_rate(planned(side_by_side=int(found["collector"]["games"])), MANY)
    assert rate.games_per_s * QUESTIONS == pytest.approx(found["play_two_cores"]["questions_per_s"], rel=0.2)


@pytest.mark.skipif(expected.torch.cuda.is_available(), reason="GPUs are measured here")
def test_gpus_that_are_not_here_are_assumed_and_that_is_said():
    roles = {"engines": {"count": 1, "gpus": 0.5}, "servers": {"gpus": 0.5}}
    half = planned(roles, learning={"baseline": "critic", "critic": {"size": "paper"}, "batch": 8192})
    found = expected_rate(half, MANY)
    assert found.assumed and found.games_per_s > 0
    card = assumed_card(SIZES["paper"])
    network = expected.ValueNetwork(SIZES["paper"], 1)
    answer = expected._answering(network, half.roles.engines)
    assert (answer.row, answer.batch) == (2 * card.answer, 2 * card.batch)
    pair = expected._seconds_a_pair(network, CRITIC, half)
    assert pair == pytest.approx(HOST.receive + 2 * (card.learn + card.step / 8192))


def test_networks_are_measured_here():
    config = planned({"engines": {"threads": 2}})
    network = expected.PolicyNetwork("discard", expected.load_agent(expected.weights_folder("sl"))["discard"].size)
    speed, half = (expected._answering(network, role) for role in (config.roles.servers, config.roles.engines))
    assert 1e-6 < speed.row < 1 and speed.batch >= 0 and half.row < speed.row * 2
    assert 1e-6 < expected._seconds_a_pair(network, "discard", config) < 1
