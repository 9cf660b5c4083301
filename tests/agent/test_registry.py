"""Agents by name, and that they play."""

import re
import sys

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from simulator.players import PLAYERS
from simulator.record import NO_ACTION
from simulator.tables import Decisions, Tables
from simulator.walls import DEAD_WALL, URA_INDICATORS
from suphx import cli
from suphx.agent.interface import AgentOutput
from suphx.agent.registry import AGENTS, fingerprint, has_networks, is_external, kind_of, load_agent, untrained_networks
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import WeightsError, save_agent
from suphx.plugins import PLUGINS_VARIABLE, load_plugins


def play(agent, tables: Tables, steps: int) -> None:
    for _ in range(steps):
        tables.step(agent.act(tables.games, tables.decisions()).actions)


@pytest.mark.parametrize("name", PLAYERS)
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
        for each in choice.outputs:
            assert each.planes.shape[1] == (838 if each.model in ("discard", "riichi") else 958)
            assert each.planes.any() and np.isfinite(each.logits).all()
            seen.add(each.model)
        tables.step(choice.actions)
    assert {"discard", "chow", "pong", "kong"} <= seen


def hide_differently(game: np.void, seat: int, generator: np.random.Generator) -> None:
    """Let two others exchange their hands, forget their answers, and shuffle what is left of the wall."""
    first, second = [other for other in range(4) if other != seat][:2]
    for field in ("hand", "copies", "suit_keys", "waits"):
        game[field][[first, second]] = game[field][[second, first]]
    for other in range(4):
        if other != seat:
            game["legal"][other] = 0
            game["answers"][other] = NO_ACTION
    game["pending"] = 1 << seat
    live = slice(DEAD_WALL, int(game["next_draw"]) + 1)
    game["wall"][live] = generator.permutation(game["wall"][live])
    swap = [int(URA_INDICATORS[0]), DEAD_WALL]
    game["wall"][swap] = game["wall"][swap[::-1]]


def chances(choice: AgentOutput, n: int) -> np.ndarray:
    """The joint log-probability f32[n] of the answers behind each of n decisions."""
    total = np.zeros(n, np.float32)
    for each in choice.outputs:
        np.add.at(total, each.decision, each.log_probability)
    return total


def test_actions_follow_from_what_the_seat_sees():
    agent = load_agent("untrained", seed=1, temperature=1.0)
    tables, generator = Tables(64, seed=8), np.random.default_rng(0)
    compared = 0
    for _ in range(40):
        decisions = tables.decisions()
        choice = agent.act(tables.games, decisions)
        closed = tables.games["n_melds"][decisions.game].sum(axis=1) == 0  # hands that can be exchanged
        rows = np.flatnonzero(closed)
        games = tables.games[decisions.game[rows]]
        for game, seat in zip(games, decisions.seat[rows], strict=True):
            hide_differently(game, int(seat), generator)
        index = np.arange(len(rows), dtype=np.int32)
        other = Decisions(index, decisions.seat[rows], decisions.situation[rows], decisions.legal[rows])
        found = agent.act(games, other)
        assert found.actions.tolist() == choice.actions[rows].tolist()
        assert np.allclose(chances(found, len(rows)), chances(choice, len(decisions))[rows], atol=1e-5)
        compared += len(rows)
        tables.step(choice.actions)
    assert compared > 500


def test_the_help_names_every_agent():
    words = CliRunner().invoke(cli.app, ["evaluate", "--help"], env={"COLUMNS": "2000"}).output
    assert all(re.search(rf"\b{entry.name}\b", words) and entry.description for entry in AGENTS)


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    """A user's own agent, `quiet`, in a module of theirs."""
    (tmp_path / "quiet_plugin.py").write_text(
        "from suphx.agent.registry import AGENTS, AgentKind, load_agent\n"
        "load = lambda name, settings: load_agent('tsumogiri', settings.seed)\n"
        "AGENTS.register('quiet', 'says little', lambda: AgentKind(load))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(PLUGINS_VARIABLE, "quiet_plugin")
    load_plugins.cache_clear()
    yield
    load_plugins.cache_clear()
    AGENTS._entries.pop("quiet")
    sys.modules.pop("quiet_plugin")


def test_a_users_agent_is_an_agent_everywhere(quiet):
    play(load_agent("quiet"), Tables(2, seed=1), 20)
    assert fingerprint("quiet").startswith("quiet, ") and not has_networks("quiet") and not is_external("quiet")


def test_names_that_are_none():
    with pytest.raises(ValueError, match=r"no agent 'nobody': neither one of random, tsumogiri, sensible, .*untrained"):
        load_agent("nobody")
    with pytest.raises(ValueError, match="no network size 'vast'"):
        load_agent("untrained:vast")


@pytest.mark.parametrize(
    ("name", "is_agents"),
    [
        *((name, True) for name in ("sensible", "sl", "untrained:small", "adapted:sl,a=0", "bot:x")),
        *((name, False) for name in ("nobody", "", "python bot.py", 300 * "x")),
    ],
)
def test_names_are_told_from_the_commands_of_bots(name, is_agents):
    assert (kind_of(name) is not None) == is_agents


def test_a_folder_without_weights(tmp_path):
    with pytest.raises(WeightsError, match="no folder of an agent's weights"):
        load_agent(str(tmp_path))


def test_weights_are_told_by_their_files_whatever_their_folder_is_called(tmp_path, monkeypatch):
    for name, seed in (("untrained-1", 1), ("same", 1), ("other", 2)):
        save_agent(tmp_path / name, untrained_networks(NetworkSize(filters=8, blocks=1), seed), "a tiny one")
    monkeypatch.chdir(tmp_path)
    assert fingerprint("untrained-1") == fingerprint("same") != fingerprint("other")
    assert fingerprint("untrained").startswith("untrained, ")
