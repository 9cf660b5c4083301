"""Whole games of four players, many side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.players import Player
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Ended, Tables

BATCH = 256


@dataclass(frozen=True)
class PlayedGame:
    """One game that is over."""

    number: int
    """Which game of the seed's sequence it is."""
    rounds: np.ndarray
    """GAME[rounds]: the record at the end of each round, as in `Ended.records`; the last tells how the game ended."""
    decisions: int
    """How many choices the players made."""


def choose_by_seat(players: Sequence[Player], games: np.ndarray, asked: Decisions) -> np.ndarray:
    """Return an action i64[n] for each decision: that of the player on its seat; one call for each player."""
    actions = np.empty(len(asked), np.int64)
    for each in {id(each): each for each in players}.values():
        mine = np.isin(asked.seat, [seat for seat in range(SEATS) if players[seat] is each])
        if mine.all():
            each.choose(games, asked, actions)
        elif mine.any():
            part = Decisions(asked.game[mine], asked.seat[mine], asked.situation[mine], asked.legal[mine])
            chosen = np.empty(len(part), np.int64)
            each.choose(games, part, chosen)
            actions[mine] = chosen
    return actions


class _Slots:
    """The places of a batch: which game each one plays, what came of it so far, and what is yet to be started."""

    def __init__(self, tables: Tables, first: int, n: int) -> None:
        self._tables = tables
        self._next, self._end = first, first + n
        self._rounds: list[list[np.ndarray]] = [[] for _ in range(len(tables))]
        self._decisions = np.zeros(len(tables), np.int64)
        self._start(np.arange(len(tables)))

    def _start(self, slots: np.ndarray) -> None:
        slots = slots[: self._end - self._next]
        if len(slots):
            self._tables.restart(slots, range(self._next, self._next + len(slots)))
            self._next += len(slots)

    def note(self, asked: Decisions) -> None:
        np.add.at(self._decisions, asked.game, 1)

    def take(self, ended: Ended) -> Iterator[PlayedGame]:
        """Note the rounds that ended; yield the games that did, and start others in their places."""
        for slot, record in zip(ended.game.tolist(), ended.records, strict=True):
            self._rounds[slot].append(record)
        over = ended.game[ended.finished]
        numbers = self._tables.games["number"][over]
        for slot, number in zip(over.tolist(), numbers.tolist(), strict=True):
            yield PlayedGame(number, np.array(self._rounds[slot], GAME), int(self._decisions[slot]))
            self._rounds[slot] = []
            self._decisions[slot] = 0
        self._start(over)


def play_games(
    players: Sequence[Player], n: int, rules: Rules | None = None, seed: int = 0, first: int = 0, batch: int = BATCH
) -> Iterator[PlayedGame]:
    """Play games number `first` to `first + n - 1` of a seed and yield them in that order.

    players: one for each seat; one that sits on several is asked for all of them at once. rules: Tenhou's by default.
    batch: games that are played side by side; it changes speed and memory, not the games.
    Raises ValueError for another number of players than four.
    """
    if len(players) != SEATS:
        raise ValueError(f"a game has {SEATS} players, not {len(players)}")
    if n < 1:
        return
    tables = Tables(min(batch, n), rules, seed, restart=False)
    slots = _Slots(tables, first, n)
    waiting: dict[int, PlayedGame] = {}
    due = first
    while len(asked := tables.decisions()):
        slots.note(asked)
        ended = tables.step(choose_by_seat(players, tables.games, asked))
        if len(ended):
            waiting.update((game.number, game) for game in slots.take(ended))
        while due in waiting:
            yield waiting.pop(due)
            due += 1
