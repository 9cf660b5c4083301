"""Positions and tiny networks that the tests of adaptation share."""

from __future__ import annotations

import numpy as np
import torch

from simulator.players import player
from simulator.record import GAME, PHASE_TURN, SEATS
from simulator.rules import Rules
from simulator.tables import Ended, Tables
from suphx.adaptation.players import OriginalAgent
from suphx.adaptation.rollouts import RolloutPosition
from suphx.agent.registry import untrained_networks
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.reward.games import Games
from suphx.reward.kinds import RoundRewards, start_of_rounds
from suphx.reward.rounds import PointRewards

PRECISION = Precision(torch.device("cpu"), torch.float32, 1, "for tests")
#: Tiles left in the wall, at most.
LATE = 12
FIRST_HONOR = 27
TINY = NetworkSize(filters=4, blocks=2)


def tiny_agent(seed: int = 0, lively: float = 30.0) -> OriginalAgent:
    """Fresh networks whose actions are not all alike; `lively` makes their logits larger."""
    networks = untrained_networks(TINY, seed)
    with torch.no_grad():
        networks["discard"].head.score.weight.mul_(lively)
    return OriginalAgent("tiny", networks, PRECISION)


def start_of(game: np.void) -> np.ndarray:
    return start_of_rounds(np.array([game], GAME))


def first_rounds(n: int, seed: int = 5) -> list[RolloutPosition]:
    """The beginnings of n games, each seen from another seat."""
    games = Tables(n, Rules.tenhou(), seed).games
    return [RolloutPosition(games[place].copy(), place % SEATS, start_of(games[place])) for place in range(n)]


def late_positions(n: int, seed: int = 6) -> list[RolloutPosition]:
    """Positions of n games, nobody in riichi, late in a round that will soon end."""
    tables, positions = Tables(n, Rules.tenhou(), seed), {}
    player_of_all = player("tsumogiri")
    while len(positions) < n:
        decisions = tables.decisions()
        for game, seat, situation in zip(
            decisions.game.tolist(), decisions.seat.tolist(), decisions.situation, strict=True
        ):
            record = tables.games[game]
            late = record["next_draw"] - record["kongs"] < 14 + LATE
            if game not in positions and late and situation == PHASE_TURN and seat == game % SEATS:
                positions[game] = RolloutPosition(record.copy(), seat, start_of(record))
        actions = np.empty(len(decisions), np.int64)
        player_of_all.choose(tables.games, decisions, actions)
        tables.step(actions)
    return [positions[game] for game in range(n)]


class Honors(RoundRewards):
    """A reward that a seat can do much about in a few turns: 1 for each of its last four discards that is an honor."""

    def of(self, ended: Ended, games: Games) -> np.ndarray:
        rewards = np.zeros((len(ended), SEATS))
        for row, record in enumerate(ended.records):
            for seat in range(SEATS):
                tiles = record["river"][seat, : record["n_river"][seat]] & 255
                rewards[row, seat] = (tiles[-4:] >> 2 >= FIRST_HONOR).sum()
        return rewards


def points() -> RoundRewards:
    return PointRewards(10_000)
