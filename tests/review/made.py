"""Games and decisions that the tests of reviews share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from simulator.logs.formats import read_log
from simulator.logs.model import GameLog
from simulator.record import ACTIONS, GAME, SEATS
from simulator.tables import Decisions, Tables, collect
from suphx.agent.loading import load_agent
from suphx.agent.network_agent import NetworkAgent
from suphx.networks.precision import choose_precision
from suphx.review.analysis import review_game
from suphx.review.document import Review

#: A game with every kind of call and kong, a double ron and an abortive draw, played by rule-based players.
LOG = Path(__file__).parent / "everything.mjlog"


@cache
def everything() -> GameLog:
    return read_log(LOG.read_bytes(), LOG.name)[0]


@cache
def agent() -> NetworkAgent:
    found = load_agent("sl", precision=choose_precision("cpu", "float32", 1), fixed_passes=True)
    assert isinstance(found, NetworkAgent)
    return found


@cache
def reviewed() -> Review:
    """The game reviewed for all seats by the shipped weights."""
    return review_game(everything(), agent(), "sl")


@cache
def positions(n: int, seed: int = 1) -> tuple[np.ndarray, Decisions]:
    """Return GAME[m] out of sensible play, and at least n decisions in them."""
    from simulator.lookup import get_lookup
    from simulator.players.sensible import choose_sensible

    tables = Tables(32, seed=seed)
    records: list[np.ndarray] = []
    count = step = 0
    while count < n:
        asked = tables.decisions()
        actions = np.empty(len(asked), np.int64)
        choose_sensible(get_lookup(), tables.games, asked.game, asked.seat, asked.legal, seed, actions)
        if step % 7 == 0:
            records.append(tables.games.copy())
            count += len(asked)
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
