"""Agents by name, and that they play."""

import numpy as np
import pytest
import torch

from simulator.tables import Tables
from suphx.agent.loading import RULE_PLAYERS, load_agent
from suphx.agent.network_agent import untrained_networks
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import WeightsError, save_agent


def play(agent, tables: Tables, steps: int) -> None:
    for _ in range(steps):
        tables.step(agent.act(tables.games, tables.decisions()).actions)


@pytest.mark.parametrize("name", RULE_PLAYERS)
def test_rule_based_players_by_name(name):
    agent = load_agent(name, seed=1)
    assert agent.name == name
    play(agent, Tables(16, seed=1), 100)


@pytest.mark.parametrize("temperature", [None, 1.0])
def test_weights_by_folder_play_what_the_networks_do(tmp_path, temperature):
    networks = untrained_networks(NetworkSize(filters=8, blocks=1), seed=3)
    for network in networks.values():
        torch.nn.init.constant_(network.first.bias, 0.1)
    save_agent(tmp_path, networks, "a tiny one", storage="float32")
    precision = choose_precision("cpu", "float32", threads=1)
    agent = load_agent(str(tmp_path), seed=1, temperature=temperature, precision=precision)
    assert agent.name == "a tiny one"
    play(agent, Tables(16, seed=1), 150)


def test_every_network_is_asked_with_the_planes_it_was_made_for():
    agent, tables = load_agent("untrained", seed=1, temperature=1.0), Tables(64, seed=1)
    seen = set()
    for _ in range(120):
        choice = agent.act(tables.games, tables.decisions())
        for each in choice.consultations:
            assert each.planes.shape[1] == (838 if each.model in ("discard", "riichi") else 958)
            assert each.planes.any() and np.isfinite(each.logits).all()
            seen.add(each.model)
        tables.step(choice.actions)
    assert {"discard", "chow", "pong", "kong"} <= seen


def test_names_that_are_none():
    with pytest.raises(ValueError, match="no agent 'nobody': neither one of random, tsumogiri, sensible, untrained"):
        load_agent("nobody")
    with pytest.raises(ValueError, match="no network size 'vast'"):
        load_agent("untrained:vast")


def test_a_folder_without_weights(tmp_path):
    with pytest.raises(WeightsError, match="no folder of an agent's weights"):
        load_agent(str(tmp_path))
