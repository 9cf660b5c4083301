"""Games to watch, round by round: live games between agents, and recorded games from a log.

Both yield rounds as in a review (`suphx.review.rounds`), so that the page draws all games in the same way. Live rounds
are converted through their log too: the frames of a round are made when it is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from simulator.logs.formats import read_log
from simulator.logs.from_record import game_log, round_log
from simulator.logs.model import GameLog
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from simulator.tables import Ended, Tables
from suphx.agent.interface import Agent
from suphx.review.document import Round
from suphx.review.game import played, replay
from suphx.review.rounds import Standing, round_of, standing_of
from suphx.web.agents import choose


class Play(Protocol):
    """A game to watch."""

    def rounds(self) -> Iterator[tuple[Round, Standing]]:
        """Yield each round and the standing after it; the next round is played only when it is requested.

        Raises LogError and InputError, with messages for the viewer.
        """
        ...

    def log(self) -> GameLog:
        """Return the log of the rounds yielded so far, or of the whole game if it is recorded."""
        ...


class LivePlay:
    """A live game between four agents."""

    def __init__(self, agents: Sequence[Agent], names: Sequence[str], seed: int, source: str) -> None:
        """agents, names: by seat; one agent may have several seats. seed: of the walls. source: name of the log."""
        if len(agents) != SEATS or len(names) != SEATS:
            raise ValueError(f"a game has {SEATS} agents, not {len(agents)}")
        self._agents, self._names, self._seed, self._source = agents, list(names), seed, source
        self._rules = Rules.tenhou()
        self._records = np.zeros(0, GAME)

    def rounds(self) -> Iterator[tuple[Round, Standing]]:
        """Play; yield each round when it is over."""
        tables = Tables(1, self._rules, self._seed, restart=False)
        agents = dict(enumerate(self._agents))
        while len(asked := tables.decisions()):
            ended = tables.step(choose(agents, tables.games, asked))
            if len(ended):
                yield self._round(ended)

    def _round(self, ended: Ended) -> tuple[Round, Standing]:
        self._records = np.concatenate([self._records, ended.records])
        log = GameLog(self._rules, [round_log(ended.records[0], self._rules)], names=self._names, source=self._source)
        return round_of(played(log, ended.records), 0), standing_of(ended.records[0])

    def log(self) -> GameLog:
        """Return the log of the rounds so far."""
        return game_log(self._records, self._rules, self._names, self._source)


class LoggedPlay:
    """The first game of a log."""

    def __init__(self, data: bytes, source: str) -> None:
        """data: mjlog, Tenhou's JSON or mjai. source: name of the file. Raises LogError for anything else."""
        self._log = read_log(data, source)[0]

    def rounds(self) -> Iterator[tuple[Round, Standing]]:
        """Replay the log and yield each round; raises LogError, naming file and place, if it does not fit the rules."""
        game = replay(self._log)
        for number, end in enumerate(game.ends):
            yield round_of(game, number), standing_of(end)

    def log(self) -> GameLog:
        """Return the whole log."""
        return self._log
