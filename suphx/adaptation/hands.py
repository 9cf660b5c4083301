"""The hands that an experiment adapts to: rounds of the agent's own games, of logs, or made to be of a certain kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from simulator.efficiency import shanten_batch
from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.model import GameLog, LogError, SkippedLog
from simulator.record import GAME, PHASE_DEAL, SEATS
from simulator.rules import Rules
from simulator.tables import Tables
from suphx.adaptation.positions import Position, start_of
from suphx.agent.interface import Agent
from suphx.config import Config
from suphx.errors import InputError
from suphx.features.positions import start_round

Situation = Literal["first", "any", "last", "behind", "lead"]


class Standing(NamedTuple):
    """Points before a South 4 that is made.

    Who leads deals, with so much that the game ends with the round: a dealer who would deal again, first with the
    target reached, stops, and when the deal goes on somebody has it, whoever has won what. (Left are abortive draws,
    nagashi mangan and some wins of two seats on one tile, and rules with other targets or `dealer_stop`.)
    """

    own: int
    dealer: int | None
    """None: the seat itself deals."""
    others: int
    """Of each of the others."""


#: Points in last rounds that are made, by situation.
#: `behind`: 11,000 behind the next two. Without bets a mangan (8,000), drawn or won from the dealer, is too little for
#: a better place, and 12,000 pass both; a direct hit counts double: 6,400 from one of the two pass that one.
#: `lead`: 28,000 ahead of all. Who deals pays half of what another seat draws, and keeps the lead unless it deals into
#: 16,000 or another draws 24,000.
MADE = {"behind": Standing(10_000, 48_000, 21_000), "lead": Standing(46_000, None, 18_000)}
#: South 4, by number, and its dealer.
_LAST_ROUND, _LAST_DEALER = 7, 3
#: Shanten of a hand as dealt, up to which it is called good and from which it is called poor.
GOOD, POOR = 2, 4
#: Games that are played side by side to find rounds, and at most for each hand that is wanted.
_GAMES, _GAMES_PER_HAND = 64, 20


class HandsConfig(Config):
    """Which hands."""

    situation: Situation = "any"
    """`first`: East 1 of a game. `any`: a round of a game, drawn from all of them. `last`: South 4 or later. `behind`,
    `lead`: a South 4 that is made and ends the game, in which the seat needs 12,000 points (or 6,400 by a direct hit)
    to be no longer last, or deals and is 28,000 ahead of all (`Standing`, `MADE`)."""
    count: int = Field(default=200, ge=1)
    """How many; each is of another game."""
    logs: tuple[Path, ...] = ()
    """Logs to take the games from; without, the agent plays them itself. For `any` and `last`."""

    @model_validator(mode="after")
    def _fits(self) -> HandsConfig:
        if self.logs and self.situation not in ("any", "last"):
            raise ValueError(f"logs: hands of situation {self.situation!r} are not taken from logs")
        return self


@dataclass(frozen=True)
class Hand:
    """A hand of an experiment."""

    situation: str
    position: Position

    @property
    def shanten(self) -> int:
        """Of the hand as dealt, with the dealer's first tile."""
        return int(shanten_batch(self.position.game["hand"][self.position.seat][None])[0])

    @property
    def kind(self) -> str:
        """`good`, `poor` or `middle`, by shanten."""
        return "good" if self.shanten <= GOOD else "poor" if self.shanten >= POOR else "middle"


def find_hands(config: HandsConfig, agent: Agent, rules: Rules, seed: int) -> list[Hand]:
    """Return hands; the same for the same seed. agent: who plays the games that they are taken from.

    Raises InputError where logs hold too few.
    """
    if config.situation == "first":
        games = Tables(config.count, rules, seed, restart=False).games
        positions = [Position(game.copy(), _seat(seed, n), start_of(game)) for n, game in enumerate(games)]
    elif config.situation in MADE:
        positions = _made(config, rules, seed)
    else:
        rounds = _of_logs(config.logs, rules) if config.logs else _of_games(agent, rules, seed, config.count)
        positions = _chosen(rounds, config, seed)
    if len(positions) < config.count:
        raise InputError(f"{len(positions)} hands of situation {config.situation!r} were found, not {config.count}")
    return [Hand(config.situation, position) for position in positions]


def _random(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, number])


def _seat(seed: int, number: int) -> int:
    return int(_random(seed, number).integers(SEATS))


def _made(config: HandsConfig, rules: Rules, seed: int) -> list[Position]:
    standing = MADE[config.situation]
    tables = Tables(config.count, rules, seed, restart=False)
    games = np.zeros(config.count, GAME)
    for name in ("rules", "seed", "number"):
        games[name] = tables.games[name]
    games["phase"], games["round"], games["dealer"] = PHASE_DEAL, _LAST_ROUND, _LAST_DEALER
    games["deals"] = _LAST_ROUND
    games["scores"] = standing.others
    seats = np.full(config.count, _LAST_DEALER)
    if standing.dealer is not None:
        games["scores"][:, _LAST_DEALER] = standing.dealer
        seats[:] = [_random(seed, number).integers(_LAST_DEALER) for number in range(config.count)]
    games["scores"][np.arange(config.count), seats] = standing.own
    beginnings = [start_of(game) for game in tables.games]
    tables.restore(games)
    return [
        Position(game.copy(), int(seat), np.concatenate([beginning, start_of(game)]))
        for game, seat, beginning in zip(tables.games, seats, beginnings, strict=True)
    ]


#: The rounds of a game as they stood when they were dealt: GAME[k].
_Rounds = np.ndarray


def _chosen(games: Iterator[_Rounds], config: HandsConfig, seed: int) -> list[Position]:
    """Return a round of each game that has one of the situation, until there are enough."""
    found: list[Position] = []
    for number, rounds in enumerate(games):
        fitting = np.flatnonzero(rounds["round"] >= (_LAST_ROUND if config.situation == "last" else 0))
        if len(fitting):
            random = _random(seed, number)
            which, seat = int(random.choice(fitting)), int(random.integers(SEATS))
            history = np.concatenate([start_of(each) for each in rounds[: which + 1]])
            found.append(Position(rounds[which].copy(), seat, history))
        if len(found) == config.count:
            break
    return found


def _of_games(agent: Agent, rules: Rules, seed: int, count: int) -> Iterator[_Rounds]:
    for first in range(0, _GAMES_PER_HAND * count, _GAMES):
        tables = Tables(_GAMES, rules, seed, restart=False)
        tables.restart(range(_GAMES), range(first, first + _GAMES))
        rounds = [[game.copy()] for game in tables.games]
        while len(asked := tables.decisions()):
            ended = tables.step(agent.act(tables.games, asked).actions)
            for place in ended.game[~ended.finished].tolist():
                rounds[place].append(tables.games[place].copy())
        yield from (np.array(each, GAME) for each in rounds)


def _of_logs(paths: tuple[Path, ...], rules: Rules) -> Iterator[_Rounds]:
    for source, data in open_logs(paths):
        if isinstance(data, LogError):
            raise data
        try:
            games = read_log(data, source)
        except SkippedLog:
            continue
        for log in games:
            if log.rounds and log.rules == rules:
                yield _dealt(log)


def _dealt(log: GameLog) -> _Rounds:
    games = np.concatenate([start_round(log.rules, each) for each in log.rounds])
    games["deals"] = np.arange(len(games))
    tables = Tables(len(games), log.rules, restart=False)
    tables.restore(games)
    return tables.snapshot()
