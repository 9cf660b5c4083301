"""Play whole games of four players, many side by side; the seating may differ from game to game."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np

from simulator.players import IllegalPlayer, Player
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Ended, IllegalAction, Tables

BATCH = 256


@dataclass(frozen=True)
class Seating:
    """A game to be played."""

    number: int
    """Its index in the seed's sequence of games, which determines the walls."""
    players: tuple[int, ...]
    """For each seat, the index of the player who sits there."""
    version: int = 0
    """Lets the caller distinguish games of the same number."""


@dataclass(frozen=True)
class PlayedGame:
    """A finished game."""

    seating: Seating
    rounds: np.ndarray
    """GAME[rounds]: the record at the end of each round, as in `Ended.records`; the last holds the game's result."""
    decisions: int

    @property
    def number(self) -> int:
        """The game's index in the seed's sequence."""
        return self.seating.number


class Audience(Protocol):
    """An observer that is notified of games while they are played; table: the game's index in the batch."""

    def game_started(self, table: int, game: np.void, seating: Seating) -> None:
        """Handle the start of a game; game: GAME at its first decision."""

    def round_over(self, table: int, record: np.void) -> None:
        """Handle the end of a round; record: GAME as in `Ended.records`."""


Chooser = TypeVar("Chooser")


def shares(
    choosers: Sequence[Chooser], who: np.ndarray, decisions: Decisions
) -> Iterator[tuple[Chooser, np.ndarray, Decisions]]:
    """Yield each chooser with decisions, their rows i64[m], and these decisions; who: i64[n], the chooser of each."""
    for number, chooser in enumerate(choosers):
        rows = np.flatnonzero(who == number)
        if len(rows) == len(decisions):
            yield chooser, rows, decisions
        elif len(rows):
            columns = (decisions.game, decisions.seat, decisions.situation, decisions.legal)
            yield chooser, rows, Decisions(*(column[rows] for column in columns))


def _choose(players: Sequence[Player], seated: np.ndarray, games: np.ndarray, decisions: Decisions) -> np.ndarray:
    """Return i64[n], the chosen actions; seated: i64[tables, 4], the index of the player on each seat."""
    actions = np.empty(len(decisions), np.int64)
    for player, rows, part in shares(players, seated[decisions.game, decisions.seat], decisions):
        chosen = np.empty(len(part), np.int64)
        player.choose(games, part, chosen)
        actions[rows] = chosen
    return actions


class _Places:
    """The tables of a batch: the game played at each, its rounds so far, and the games still to be started."""

    def __init__(self, tables: Tables, first: list[Seating], others: Iterator[Seating], audience: Audience | None):
        self._tables, self._others, self._audience = tables, others, audience
        self._playing: list[Seating] = [first[0]] * len(tables)
        self._rounds: list[list[np.ndarray]] = [[] for _ in range(len(tables))]
        self._decisions = np.zeros(len(tables), np.int64)
        self.seated = np.zeros((len(tables), SEATS), np.int64)
        """i64[tables, 4]: index of the player on each seat."""
        self._start(list(range(len(tables))), first)

    def _start(self, places: list[int], seatings: list[Seating]) -> None:
        if not seatings:
            return
        self._tables.restart(places[: len(seatings)], [seating.number for seating in seatings])
        for place, seating in zip(places, seatings, strict=False):
            self._playing[place], self._rounds[place] = seating, []
            self._decisions[place] = 0
            self.seated[place] = seating.players
            if self._audience:
                self._audience.game_started(place, self._tables.games[place], seating)

    def note(self, decisions: Decisions) -> None:
        np.add.at(self._decisions, decisions.game, 1)

    def take(self, ended: Ended) -> Iterator[PlayedGame]:
        """Store the rounds that ended, yield the games that ended, and start new games in their places."""
        for place, record in zip(ended.game.tolist(), ended.records, strict=True):
            self._rounds[place].append(record)
            if self._audience:
                self._audience.round_over(place, record)
        over = ended.game[ended.finished].tolist()
        for place in over:
            rounds = np.array(self._rounds[place], GAME)
            yield PlayedGame(self._playing[place], rounds, int(self._decisions[place]))
        self._start(over, list(islice(self._others, len(over))))


def play_seated(
    players: Sequence[Player],
    seatings: Iterable[Seating],
    rules: Rules | None = None,
    seed: int = 0,
    batch: int = BATCH,
    audience: Audience | None = None,
) -> Iterator[PlayedGame]:
    """Play the games of `seatings`, with walls from `seed`, and yield each one when it is over.

    seatings: consumed lazily, whenever a place in the batch becomes free. rules: Tenhou's by default. batch: number of
    games played side by side; it affects speed and memory, not the games. Raises IllegalPlayer if a player chooses
    an illegal action.
    """
    waiting = iter(seatings)
    first = list(islice(waiting, batch))
    if not first:
        return
    tables = Tables(len(first), rules, seed, restart=False)
    places = _Places(tables, first, waiting, audience)
    while len(decisions := tables.decisions()):
        places.note(decisions)
        actions = _choose(players, places.seated, tables.games, decisions)
        try:
            ended = tables.step(actions)
        except IllegalAction as error:
            name = players[places.seated[error.game, error.seat]].name
            raise IllegalPlayer(name, int(tables.games["number"][error.game]), error) from error
        if len(ended):
            yield from places.take(ended)


def play_games(
    players: Sequence[Player], n: int, rules: Rules | None = None, seed: int = 0, first: int = 0, batch: int = BATCH
) -> Iterator[PlayedGame]:
    """Play games number `first` to `first + n - 1` of a seed and yield them in that order.

    players: one per seat; a player that sits on several seats chooses for all of them in one call. rules, batch: as
    for `play_seated`. Raises ValueError unless there are four players.
    """
    if len(players) != SEATS:
        raise ValueError(f"a game has {SEATS} players, not {len(players)}")
    different = list({id(each): each for each in players}.values())
    seats = tuple(next(i for i, other in enumerate(different) if other is each) for each in players)
    waiting: dict[int, PlayedGame] = {}
    due = first
    seatings = (Seating(number, seats) for number in range(first, first + n))
    for game in play_seated(different, seatings, rules, seed, batch):
        waiting[game.number] = game
        while due in waiting:
            yield waiting.pop(due)
            due += 1
