"""Play many games with a rule-based player and check them; a seed's games do not depend on processes or batches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from simulator.check.records import CheckError, check, try_actions
from simulator.lookup import get_lookup
from simulator.players import ChooseFunction, IllegalPlayer
from simulator.players.play import Seating, play_seated
from simulator.players.simple import choose_random, choose_tsumogiri
from simulator.processes import Sums, share_out
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from simulator.tables import Decisions

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


class _Checked:
    """A player that checks the games which it plays: what is on the tables before each of its choices."""

    name = "the checked player"

    def __init__(self, choose: ChooseFunction, seed: int) -> None:
        self.tally = Tally()
        self.games = np.empty(0, GAME)
        """GAME[tables]: the games in play."""
        self._choose, self._seed, self._step = choose, seed, 0

    def choose(self, games: np.ndarray, decisions: Decisions, actions: np.ndarray) -> None:
        self.games = games
        if self._step % TRY_EVERY == 0:
            self._try(np.roll(games, -self._step)[:_TRIED_GAMES])
        self._step += 1
        self.check(games[games["number"] % STEPS_OF == 0])
        self._choose(games, decisions.game, decisions.seat, decisions.legal, self._seed, actions)

    def check(self, records: np.ndarray) -> None:
        self.tally.records += len(records)
        try:
            check(records)
        except CheckError as error:
            self.note(error, records[error.game])

    def _try(self, games: np.ndarray) -> None:
        try:
            self.tally.actions += try_actions(games, self._step)
        except CheckError as error:
            self.note(error, games[games["pending"] > 0][error.game])

    def note(self, error: Exception, record: np.void) -> None:
        where = f"seed {self._seed}, game {record['number']}, round {record['round']}, event {record['n_events']}"
        self.tally += Tally(violations=1, first_violations=[f"{where}: {error}"])


def check_numbers(first: int, n: int, seed: int, rules: Rules, player: str | ChooseFunction) -> Tally:
    """Play and check the games with numbers `first` to `first + n - 1` of a seed."""
    checked = _Checked(PLAYERS[player] if isinstance(player, str) else player, seed)
    seatings = (Seating(number, (0,) * SEATS) for number in range(first, first + n))
    try:
        for game in play_seated([checked], seatings, rules, seed, _BATCH):
            checked.tally += Tally(games=1, rounds=len(game.rounds), decisions=game.decisions)
            checked.check(game.rounds)
    except IllegalPlayer as error:  # none of these games can go on
        checked.note(error, checked.games[checked.games["number"] == error.number][0])
    return checked.tally


def check_games(n: int, seed: int, rules: Rules, player: str | ChooseFunction, workers: int) -> Iterator[Tally]:
    """Play and check n games in `workers` processes; yield the Tally so far. player: of `PLAYERS`, or picklable."""
    started = time.perf_counter()
    total = Tally()
    get_lookup()
    work = [(first, min(_CHUNK, n - first), seed, rules, player) for first in range(0, n, _CHUNK)]
    for part in share_out(check_numbers, work, workers, in_order=False):
        total += part
        total.seconds = time.perf_counter() - started
        yield total
