"""An agent as the player of a check."""

import json
import pickle
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from simulator.check.records import check
from simulator.check.run import check_numbers
from simulator.rules import Rules
from simulator.tables import Tables
from suphx.agent.interface import AgentPlayer
from suphx.agent.registry import load_agent
from suphx.cli import app
from suphx.errors import InputError


def test_games_of_networks_keep_every_property():
    player, tables = AgentPlayer(partial(load_agent, "untrained", 1, 1.0)), Tables(32, seed=3)
    for _ in range(150):
        decisions = tables.decisions()
        actions = np.empty(len(decisions), np.int64)
        player(tables.games, decisions.game, decisions.seat, decisions.legal, 0, actions)
        check(tables.step(actions).records)
        check(tables.games)


def test_it_goes_to_another_process_as_the_call_that_makes_it():
    player = AgentPlayer(partial(load_agent, "untrained", 1))
    before = len(pickle.dumps(player))
    assert player.agent.name == "untrained"
    assert len(pickle.dumps(player)) == before < 500
    assert pickle.loads(pickle.dumps(player)).agent.name == "untrained"


def test_an_agent_that_is_not_there():
    with pytest.raises(InputError, match="no agent 'nobody'"):
        _ = AgentPlayer(partial(load_agent, "nobody")).agent


@pytest.mark.full
def test_the_command_plays_and_checks_games_of_an_agent():
    words = ["check", "--agent", "untrained", "--temperature", "1", "--games", "2", "--workers", "1", "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    numbers = json.loads(result.stdout)
    assert numbers["games"] == 2 and numbers["violations"] == 0


def test_the_command_says_what_is_wrong_with_an_agent(tmp_path):
    result = CliRunner().invoke(app, ["check", "--agent", str(tmp_path), "--games", "1"])
    assert result.exit_code == 2
    assert "agent.json" in result.stderr


def test_an_illegal_action_is_a_violation():
    def illegal(games, index, seats, legal, seed, actions):
        actions[:] = legal.argmin(axis=1)

    tally = check_numbers(0, 4, 0, Rules(), illegal)
    assert tally.violations == 1
    assert "is not legal" in tally.first_violations[0]
