"""Positions and tiny networks that the tests of adaptation share."""

from __future__ import annotations

import numpy as np
import torch

from simulator.players import player
from simulator.record import PHASE_TURN, SEATS
from simulator.rules import Rules
from simulator.tables import Ended, Tables
from suphx.adaptation.players import Original
from suphx.adaptation.positions import Position, start_of
from suphx.agent.network_agent import untrained_networks
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.reward.games import Games
from suphx.reward.kinds import RoundRewards
from suphx.reward.rounds import PointRewards

PRECISION = Precision(torch.device("cpu"), torch.float32, 1, "for tests")
#: Tiles left in the wall, at most.
LATE = 12
FIRST_HONOUR = 27
TINY = NetworkSize(filters=4, blocks=2)


def tiny_agent(seed: int = 0, lively: float = 30.0) -> Original:
    """Fresh networks whose answers are not all alike; `lively` makes their logits larger."""
    networks = untrained_networks(TINY, seed)
    with torch.no_grad():
        networks["discard"].head.score.weight.mul_(lively)
    return Original("tiny", networks, PRECISION)


def first_rounds(n: int, seed: int = 5) -> list[Position]:
    """The beginnings of n games, each seen from another seat."""
    games = Tables(n, Rules.tenhou(), seed).games
    return [Position(games[place].copy(), place % SEATS, start_of(games[place])) for place in range(n)]


def late_positions(n: int, seed: int = 6) -> list[Position]:
    """Positions of n games, nobody in riichi, late in a round that will soon end."""
    tables, found = Tables(n, Rules.tenhou(), seed), {}
    player_of_all = player("tsumogiri")
    while len(found) < n:
        decisions = tables.decisions()
        for game, seat, situation in zip(
            decisions.game.tolist(), decisions.seat.tolist(), decisions.situation, strict=True
        ):
            record = tables.games[game]
            late = record["next_draw"] - record["kongs"] < 14 + LATE
            if game not in found and late and situation == PHASE_TURN and seat == game % SEATS:
                found[game] = Position(record.copy(), seat, start_of(record))
        actions = np.empty(len(decisions), np.int64)
        player_of_all.choose(tables.games, decisions, actions)
        tables.step(actions)
    return [found[game] for game in range(n)]


class Honours(RoundRewards):
    """A reward that a seat can do much about in a few turns: 1 for each of its last four discards that is an honor."""

    def of(self, ended: Ended, games: Games) -> np.ndarray:
        rewards = np.zeros((len(ended), SEATS))
        for row, record in enumerate(ended.records):
            for seat in range(SEATS):
                tiles = record["river"][seat, : record["n_river"][seat]] & 255
                rewards[row, seat] = (tiles[-4:] >> 2 >= FIRST_HONOUR).sum()
        return rewards


def points() -> RoundRewards:
    return PointRewards(10_000)
