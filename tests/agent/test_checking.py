"""An agent as the player of a check."""

import pickle

import numpy as np
import pytest

from simulator.check import check
from simulator.tables import Tables
from suphx.agent.checking import AgentPlayer
from suphx.errors import InputError


def test_games_of_networks_keep_every_property():
    player, tables = AgentPlayer("untrained", seed=1, temperature=1.0, threads=1), Tables(32, seed=3)
    for _ in range(150):
        asked = tables.decisions()
        actions = np.empty(len(asked), np.int64)
        player(tables.games, asked.game, asked.seat, asked.legal, 0, actions)
        check(tables.step(actions).records)
        check(tables.games)


def test_it_goes_to_another_process_as_its_name():
    player = AgentPlayer("untrained", seed=1, threads=1)
    before = len(pickle.dumps(player))
    assert player.agent.name == "untrained"
    assert len(pickle.dumps(player)) == before < 500
    assert pickle.loads(pickle.dumps(player)).agent.name == "untrained"


def test_an_agent_that_is_not_there():
    with pytest.raises(InputError, match="no agent 'nobody'"):
        _ = AgentPlayer("nobody").agent
