"""Positions that the tests of reviews share."""

from __future__ import annotations

from functools import cache

import numpy as np

from simulator.players import choose_function
from simulator.record import ACTIONS, GAME, SEATS
from simulator.tables import Decisions, Tables, collect


@cache
def positions(n: int, seed: int = 1) -> tuple[np.ndarray, Decisions]:
    """Return GAME[m] out of sensible play, and at least n decisions in them."""
    tables = Tables(32, seed=seed)
    records: list[np.ndarray] = []
    count = step = 0
    while count < n:
        decisions = tables.decisions()
        actions = np.empty(len(decisions), np.int64)
        choose_function("sensible")(tables.games, decisions.game, decisions.seat, decisions.legal, seed, actions)
        if step % 7 == 0:
            records.append(tables.games.copy())
            count += len(decisions)
        tables.step(actions)
        step += 1
    games = np.concatenate(records)
    assert games.dtype == GAME
    return games, decisions_due(games)


def decisions_due(games: np.ndarray) -> Decisions:
    most = SEATS * len(games)
    game, seat, situation = np.empty(most, np.int32), np.empty(most, np.uint8), np.empty(most, np.uint8)
    legal = np.empty((most, ACTIONS), np.bool_)
    n = collect(games, game, seat, situation, legal)
    return Decisions(game[:n], seat[:n], situation[:n], legal[:n])
