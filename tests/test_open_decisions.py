"""Batches in which some decisions are left open, and snapshots taken before a deal."""

import numpy as np
import pytest

from simulator import IllegalAction, Tables, build_wall
from simulator.players.simple import choose_random
from simulator.record import NO_ACTION, PHASE_DEAL, PHASE_TURN


def play(tables, waiting, steps=20_000):
    """Play every game to its end, each decision left open with the given probability; return the final scores."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        decisions = tables.decisions()
        if not len(decisions):
            return tables.games["scores"].tolist()
        actions = np.empty(len(decisions), np.int64)
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, 5, actions)
        actions[rng.random(len(decisions)) < waiting] = NO_ACTION
        tables.step(actions, may_wait=True)
    raise AssertionError("the games do not end")


def test_a_game_is_the_same_however_long_its_players_wait():
    at_once, later = (play(Tables(8, seed=3, restart=False), waiting) for waiting in (0, 0.5))
    assert at_once == later


def test_an_open_decision_stays_due_and_its_game_stands_still():
    tables = Tables(3, seed=1)
    before = tables.snapshot()
    actions = np.full(3, NO_ACTION)
    actions[1] = np.flatnonzero(tables.decisions().legal[1])[0]
    tables.step(actions, may_wait=True)
    assert tables.games[0] == before[0] and tables.games[2] == before[2]
    assert tables.games[1]["n_events"] > before[1]["n_events"]
    assert {0, 2} <= set(tables.decisions().game.tolist())


def test_a_decision_is_not_left_open_by_mistake():
    tables = Tables(2, seed=1)
    with pytest.raises(IllegalAction, match="no action"):
        tables.step(np.full(2, NO_ACTION))


def test_a_round_that_is_due_in_a_snapshot_is_dealt():
    tables = Tables(2, seed=1)
    start = tables.snapshot()
    wall = build_wall(["123m456p789s1122z"])
    start[1]["phase"], start[1]["wall_given"], start[1]["wall"], start[1]["round"] = PHASE_DEAL, 1, wall, 4
    tables.restore(start)
    assert tables.games[1]["phase"] == PHASE_TURN and tables.games[1]["round"] == 4
    assert tables.games[1]["wall"].tolist() == wall.tolist()
    assert tables.decisions().game.tolist() == [0, 1]
