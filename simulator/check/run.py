"""Play many games with a rule-based player and check them: every finished round and, in some games, every step.

Game number g of a seed is the same for any number of processes and any batch size.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from simulator.check.records import CheckError, check, try_actions
from simulator.lookup import get_lookup
from simulator.players import ChooseFunction
from simulator.players.simple import choose_random, choose_tsumogiri
from simulator.processes import Sums, share_out
from simulator.rules import Rules
from simulator.tables import IllegalAction, Tables

PLAYERS: dict[str, ChooseFunction] = {"random": choose_random, "tsumogiri": choose_tsumogiri}

#: One in this many games is checked at every step.
STEPS_OF = 16
#: At one in this many steps, all legal actions and an illegal one are tried for some of the batch's decisions.
TRY_EVERY = 64
_TRIED_GAMES = 4
_BATCH = 512
#: Number of games given to a process at a time.
_CHUNK = 2048


@dataclass
class Tally(Sums):
    """The outcome of checking; only the first violations are kept as text."""

    KEPT: ClassVar[int] = 20
    games: int = 0
    rounds: int = 0
    decisions: int = 0
    records: int = 0
    """Game records checked: one per round, and those of single steps."""
    actions: int = 0
    """Actions tried in copies of games: legal ones, and illegal ones that must be refused."""
    violations: int = 0
    seconds: float = 0.0
    first_violations: list[str] = field(default_factory=list)


class _Run:
    """The games of a range of numbers, played in parallel."""

    def __init__(self, first: int, n: int, seed: int, rules: Rules, player: str | ChooseFunction) -> None:
        self.tally = Tally()
        self._choose = PLAYERS[player] if isinstance(player, str) else player
        self._seed = seed
        self._next, self._end = first, first + n
        slots = min(_BATCH, n)
        self._tables = Tables(slots, rules, seed, restart=False)
        self._start(range(slots))

    def _start(self, slots: range | np.ndarray) -> None:
        n = min(len(slots), self._end - self._next)
        self._tables.restart(slots[:n], range(self._next, self._next + n))
        self._next += n

    def play(self) -> Tally:
        step = 0
        tables = self._tables
        asked = tables.decisions()
        while len(asked):
            if step % TRY_EVERY == 0:
                self._try(step)
            actions = np.empty(len(asked), np.int64)
            self._choose(tables.games, asked.game, asked.seat, asked.legal, self._seed, actions)
            self.tally.decisions += len(asked)
            try:
                ended = tables.step(actions)
            except IllegalAction as error:  # the games of this run cannot go on
                self._note(error, tables.games[error.game])
                return self.tally
            self._check(ended.records)
            self._check(tables.games[tables.games["number"] % STEPS_OF == 0])
            if len(ended):
                self.tally.rounds += len(ended)
                over = ended.game[ended.finished]
                self.tally.games += len(over)
                self._start(over)
            asked = tables.decisions()
            step += 1
        return self.tally

    def _check(self, records: np.ndarray) -> None:
        self.tally.records += len(records)
        try:
            check(records)
        except CheckError as error:
            self._note(error, records[error.game])

    def _try(self, step: int) -> None:
        games = np.roll(self._tables.games, -step)[:_TRIED_GAMES]
        try:
            self.tally.actions += try_actions(games, step)
        except CheckError as error:
            self._note(error, games[games["pending"] > 0][error.game])

    def _note(self, error: Exception, record: np.void) -> None:
        where = f"seed {self._seed}, game {record['number']}, round {record['round']}, event {record['n_events']}"
        self.tally += Tally(violations=1, first_violations=[f"{where}: {error}"])


def check_numbers(first: int, n: int, seed: int, rules: Rules, player: str | ChooseFunction) -> Tally:
    """Play and check the games with numbers `first` to `first + n - 1` of a seed."""
    return _Run(first, n, seed, rules, player).play()


def check_games(n: int, seed: int, rules: Rules, player: str | ChooseFunction, workers: int) -> Iterator[Tally]:
    """Play and check n games in up to `workers` processes; yield the Tally so far, from time to time and at the end.

    player: a name in `PLAYERS`, or any other player as a function that can be pickled.
    """
    started = time.perf_counter()
    total = Tally()
    get_lookup()
    work = [(first, min(_CHUNK, n - first), seed, rules, player) for first in range(0, n, _CHUNK)]
    for part in share_out(check_numbers, work, workers, in_order=False):
        total += part
        total.seconds = time.perf_counter() - started
        yield total
