"""The hands that an experiment adapts to: rounds of the agent's own games, or constructed ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from simulator.efficiency import shanten_batch
from simulator.record import GAME, PHASE_DEAL, SEATS
from simulator.rules import Rules
from simulator.tables import Tables
from suphx.adaptation.rollouts import RolloutPosition
from suphx.agent.interface import Agent
from suphx.config import Config
from suphx.errors import InputError
from suphx.reward.kinds import start_of_rounds

Situation = Literal["any", "last", "behind", "lead"]


class LastRoundScores(NamedTuple):
    """Points before a constructed South 4.

    The leader is the dealer, with enough points that the game ends with this round: if the dealer would deal again,
    it is first with the target reached and stops; otherwise somebody has reached the target, whatever was won.
    (Exceptions are abortive draws, nagashi mangan, some wins of two seats on one tile, and rules with other targets or
    `dealer_stop`.)
    """

    own: int
    dealer: int | None
    """Points of the dealer; None if the seat itself is the dealer."""
    others: int
    """Points of each other seat."""


#: Points in constructed last rounds, by situation.
#: `behind`: 11,000 behind the next two. Without bets a mangan (8,000), by tsumo or from the dealer, is too little
#: for a better place, while 12,000 pass both; a direct hit counts double: 6,400 from one of the two pass that one.
#: `lead`: 28,000 ahead of all. The dealer pays half of another seat's tsumo, and keeps the lead unless it deals
#: into 16,000 or another seat wins 24,000 by tsumo.
CONSTRUCTED = {
    "behind": LastRoundScores(10_000, 48_000, 21_000),
    "lead": LastRoundScores(46_000, None, 18_000),
}
#: Number of the round South 4, and its dealer.
_LAST_ROUND, _LAST_DEALER = 7, 3
#: A dealt hand is called good up to the first shanten number, and poor from the second on.
GOOD, POOR = 2, 4
#: Games played side by side to find rounds, and most games per requested hand.
_GAMES, _GAMES_PER_HAND = 64, 20


class HandsConfig(Config):
    """Which hands of one situation to adapt to."""

    situation: Situation = "any"
    """`any`: a random round of a game. `last`: South 4 or later. `behind`, `lead`: a
    constructed South 4 that ends the game, in which the seat needs 12,000 points (or 6,400 by a direct hit) to leave
    last place, or is the dealer and 28,000 points ahead of all (`LastRoundScores`, `CONSTRUCTED`)."""
    count: int = Field(default=200, ge=1)
    """Number of hands, each from a different game."""


@dataclass(frozen=True)
class ExperimentHand:
    """A hand of an experiment."""

    situation: str
    position: RolloutPosition

    @property
    def shanten(self) -> int:
        """Shanten of the hand as dealt, including the dealer's first tile."""
        return int(shanten_batch(self.position.game["hand"][self.position.seat][None])[0])

    @property
    def kind(self) -> str:
        """`good`, `poor` or `middle`, by shanten."""
        return "good" if self.shanten <= GOOD else "poor" if self.shanten >= POOR else "middle"


def find_hands(config: HandsConfig, agent: Agent, rules: Rules, seed: int) -> list[ExperimentHand]:
    """Find hands in games that `agent` plays, the same ones for a seed; raises InputError if there are too few."""
    if config.situation in CONSTRUCTED:
        positions = _construct(config, rules, seed)
    else:
        positions = _choose(_play_games(agent, rules, seed, config.count), config, seed)
    if len(positions) < config.count:
        raise InputError(f"{len(positions)} hands of situation {config.situation!r}, not {config.count}")
    return [ExperimentHand(config.situation, position) for position in positions]


def _random(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, number])


def _construct(config: HandsConfig, rules: Rules, seed: int) -> list[RolloutPosition]:
    points = CONSTRUCTED[config.situation]
    tables = Tables(config.count, rules, seed, restart=False)
    games = np.zeros(config.count, GAME)
    for name in ("rules", "seed", "number"):
        games[name] = tables.games[name]
    games["phase"], games["round"], games["dealer"] = PHASE_DEAL, _LAST_ROUND, _LAST_DEALER
    games["deals"] = _LAST_ROUND
    games["scores"] = points.others
    seats = np.full(config.count, _LAST_DEALER)
    if points.dealer is not None:
        games["scores"][:, _LAST_DEALER] = points.dealer
        seats[:] = [_random(seed, number).integers(_LAST_DEALER) for number in range(config.count)]
    games["scores"][np.arange(config.count), seats] = points.own
    starts = start_of_rounds(tables.games)
    tables.restore(games)
    return [
        RolloutPosition(game.copy(), int(seat), np.array([start, last]))
        for game, seat, start, last in zip(tables.games, seats, starts, start_of_rounds(tables.games), strict=True)
    ]


def _choose(games: Iterator[np.ndarray], config: HandsConfig, seed: int) -> list[RolloutPosition]:
    """Pick one round from each game, GAME[rounds] as dealt, that has one of the situation, until there are enough."""
    positions: list[RolloutPosition] = []
    for number, rounds in enumerate(games):
        fitting = np.flatnonzero(rounds["round"] >= (_LAST_ROUND if config.situation == "last" else 0))
        if len(fitting):
            random = _random(seed, number)
            which, seat = int(random.choice(fitting)), int(random.integers(SEATS))
            positions.append(RolloutPosition(rounds[which].copy(), seat, start_of_rounds(rounds[: which + 1])))
        if len(positions) == config.count:
            break
    return positions


def _play_games(agent: Agent, rules: Rules, seed: int, count: int) -> Iterator[np.ndarray]:
    for first in range(0, _GAMES_PER_HAND * count, _GAMES):
        tables = Tables(_GAMES, rules, seed, restart=False)
        tables.restart(range(_GAMES), range(first, first + _GAMES))
        rounds = [[game.copy()] for game in tables.games]
        while len(decisions := tables.decisions()):
            ended = tables.step(agent.act(tables.games, decisions).actions)
            for place in ended.game[~ended.finished].tolist():
                rounds[place].append(tables.games[place].copy())
        yield from (np.array(each, GAME) for each in rounds)
