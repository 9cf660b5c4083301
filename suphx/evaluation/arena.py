"""One challenger against three of a field, on the same deals from all four seats (the paper's protocol, section 4.2).

A wall depends on (seed, game, round, repeat counter) alone, so the four games of a deal start alike, and the luck of
the deal is shared. The deal is the unit of every interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.players import Player
from simulator.players.play import BATCH, play_games
from simulator.record import SEATS
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.agent.interface import Agent


class Seated:
    """An agent as a player of `play_games`."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent

    def choose(self, games: np.ndarray, asked: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]."""
        actions[:] = self._agent.act(games, asked).actions


@dataclass(frozen=True)
class Match:
    """What became of the challenger in each game; arrays [deals, 4], the column its seat."""

    ranks: np.ndarray
    """u8: 0 first to 3 fourth."""
    scores: np.ndarray
    """i32: points of the table at the end."""


def play_match(
    challenger: Agent,
    field: Sequence[Agent],
    deals: int,
    seed: int,
    rules: Rules | None = None,
    batch: int = BATCH,
    watch: Callable[[int], None] | None = None,
) -> Match:
    """Play deals number 0 to `deals` - 1 of a seed, each four times: the challenger on every seat.

    field: three opponents, in turn order after the challenger, or one that sits on all three seats. batch: games side
    by side. watch: told how many games are over. Raises ValueError for another number of opponents.
    """
    others = list(field) * (SEATS - 1) if len(field) == 1 else list(field)
    if len(others) != SEATS - 1:
        raise ValueError(f"{len(others)} opponents; there are three, or one that sits on three seats")
    known = {id(agent): Seated(agent) for agent in (challenger, *others)}
    ranks = np.zeros((deals, SEATS), np.uint8)
    scores = np.zeros((deals, SEATS), np.int32)
    done = 0
    for seat in range(SEATS):
        order = [challenger, *others]
        players: list[Player] = [known[id(order[(place - seat) % SEATS])] for place in range(SEATS)]
        for game in play_games(players, deals, rules, seed, batch=batch):
            result = game.rounds[-1]["result"]
            ranks[game.number, seat] = result["ranks"][seat]
            scores[game.number, seat] = result["scores"][seat]
            done += 1
            if watch:
                watch(done)
    return Match(ranks, scores)
