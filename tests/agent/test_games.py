"""Whole games: no illegal action ever, and the same actions from the same seeds in any batch."""

import numpy as np
import pytest
import torch
from stand_in import StandInEncoder

from simulator.players import player
from simulator.rules import Rules
from simulator.tables import Tables
from suphx.agent.flow import Flow, Sampling
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.registry import NetworkAgent, untrained_networks
from suphx.networks.models import MODELS, OUTPUTS
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize


class FlowAgent:
    """A flow of networks whose answers are some function of what they see."""

    name = "stand-in"

    def __init__(self, sampling: Sampling, eagerness: float = 0.0) -> None:
        networks = {model: self._network(OUTPUTS[model], eagerness) for model in MODELS}
        self.act = Flow(networks, StandInEncoder(), sampling).act

    @staticmethod
    def _network(outputs: int, eagerness: float):
        def logits(planes: np.ndarray) -> np.ndarray:
            mixed = (planes[:, :1] + np.arange(1, outputs + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            values = (mixed >> np.uint64(40)).astype(np.float32) / 2**24 * 4 - 2
            values[:, -1] += eagerness
            return values

        return logits


def play(agent: Agent, tables: Tables, rounds: int) -> list[tuple]:
    """Play until each game has had so many rounds; return what happened in those, in order of games."""
    happened: dict[int, list] = {game: [] for game in range(len(tables))}
    while min(map(len, happened.values())) < rounds:
        ended = tables.step(agent.act(tables.games, tables.decisions()).actions)
        for game, record in zip(ended.game.tolist(), ended.records, strict=True):
            happened[game].append((record["events"].tobytes(), record["scores"].tolist()))
    return [tuple(map(str, each[:rounds])) for each in happened.values()]


@pytest.mark.parametrize("temperature", [None, 1.0])
@pytest.mark.parametrize("eagerness", [-1.0, 2.0])
@pytest.mark.parametrize("rules", [Rules(), Rules(red_fives=False, dealer_stop="choice", length="east")])
def test_no_action_is_illegal(temperature, eagerness, rules):
    agent = FlowAgent(Sampling(temperature, seed=3), eagerness)
    play(agent, Tables(128, rules, seed=1), rounds=8)


@pytest.mark.parametrize("temperature", [None, 1.0])
def test_actions_do_not_depend_on_the_batch(temperature):
    agent = FlowAgent(Sampling(temperature, seed=3), eagerness=1.0)
    together = play(agent, Tables(24, seed=5), rounds=4)
    fewer = play(agent, Tables(7, seed=5), rounds=4)
    assert together[:7] == fewer


def test_another_seed_samples_other_actions_and_the_same_seed_the_same():
    first, again, other = (play(FlowAgent(Sampling(1.0, seed)), Tables(4, seed=5), rounds=2) for seed in (3, 3, 4))
    assert first == again
    assert first != other


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan")])
def test_a_temperature_is_above_zero(temperature):
    with pytest.raises(ValueError, match="a temperature is above 0"):
        Sampling(temperature)


def test_log_probabilities_add_up_over_the_questions_of_a_decision():
    agent, tables = FlowAgent(Sampling(1.0, seed=3), eagerness=1.0), Tables(64, seed=2)
    asked_twice = 0
    for _ in range(60):
        decisions = tables.decisions()
        choice = agent.act(tables.games, decisions)
        count = np.zeros(len(decisions), int)
        for each in choice.outputs:
            rows = np.arange(len(each.action))
            assert each.legal[rows, each.action].all()
            scaled = np.where(each.legal, each.logits, -np.inf)
            expected = scaled[rows, each.action] - np.log(np.exp(scaled).sum(axis=1))
            assert each.log_probability == pytest.approx(expected, abs=1e-5)
            np.add.at(count, each.decision, 1)
        asked_twice += int((count > 1).sum())
        tables.step(choice.actions)
    assert asked_twice


def test_sampled_answers_come_as_often_as_they_should():
    agent = FlowAgent(Sampling(1.0, seed=9))
    tables = Tables(2000, seed=4)
    choice = agent.act(tables.games, tables.decisions())
    (discards,) = [each for each in choice.outputs if each.model == "discard"]
    scaled = np.where(discards.legal, np.exp(discards.logits), 0)
    expected = (scaled / scaled.sum(axis=1, keepdims=True)).sum(axis=0)
    found = np.bincount(discards.action, minlength=34)
    assert np.abs(found - expected).max() < 5 * np.sqrt(expected.max())


def test_untrained_networks_play():
    networks = untrained_networks(NetworkSize(filters=8, blocks=1))
    precision = choose_precision(device="cpu", dtype="float32", threads=1)
    agent = NetworkAgent("untrained", networks, StandInEncoder(), precision, Sampling(1.0))
    play(agent, Tables(8, seed=1), rounds=1)


def test_untrained_networks_are_the_same_for_the_same_seed_and_leave_torch_alone():
    torch.manual_seed(1)
    wanted = torch.rand(1)
    torch.manual_seed(1)
    first, second, third = (untrained_networks(NetworkSize(filters=4, blocks=1), seed)["riichi"] for seed in (0, 0, 1))
    assert torch.rand(1) == wanted
    assert torch.equal(first.first.weight, second.first.weight)
    assert not torch.equal(first.first.weight, third.first.weight)


@pytest.mark.parametrize("name", ["random", "tsumogiri"])
def test_rule_based_players_are_agents(name):
    agent: Agent = RuleAgent(player(name, seed=7))
    tables = Tables(8, seed=1)
    choice = agent.act(tables.games, tables.decisions())
    assert choice.outputs == []
    play(agent, tables, rounds=2)
