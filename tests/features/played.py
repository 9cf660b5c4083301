"""Positions from play for the tests of the features, and how to read planes by name."""

from __future__ import annotations

from functools import cache

import numpy as np

from simulator.game import Game
from simulator.players import choose_function
from simulator.players.simple import choose_random
from simulator.record import GAME
from simulator.tables import Tables
from simulator.tiles import KINDS, format_tiles
from suphx.features.encode import encode_batch, encode_call_batch
from suphx.features.layout import CALL_GROUPS, GROUPS, ORACLE_GROUPS, start

SIZES = {group.key: len(group.planes) for group in [*GROUPS, *CALL_GROUPS, *ORACLE_GROUPS]}


@cache
def played(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return GAME[n] and seats i64[n]: decisions of sensible and of wild play, taken here and there."""
    tables = Tables(24, seed=seed)
    rng = np.random.default_rng(seed)
    records, seats = [], []
    while len(records) < n:
        decisions = tables.decisions()
        wise, wild = np.empty(len(decisions), np.int64), np.empty(len(decisions), np.int64)
        choose_function("sensible")(tables.games, decisions.game, decisions.seat, decisions.legal, seed, wise)
        choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, seed, wild)
        for which in rng.choice(len(decisions), 3):
            records.append(tables.games[decisions.game[which]].copy())
            seats.append(int(decisions.seat[which]))
        tables.step(np.where(decisions.game % 3 == 0, wild, wise))
    games = np.zeros(n, GAME)
    for i in range(n):
        games[i] = records[i]
    return games, np.array(seats[:n], np.int64)


def record_of(game: Game) -> np.ndarray:
    records = np.zeros(1, GAME)
    records[0] = game.record
    return records


class Planes:
    """The planes of one position, read by group: `planes["hand.count"]` is a list of sets of kinds in notation."""

    def __init__(self, row: np.ndarray) -> None:
        self.row = row

    def masks(self, key: str) -> list[int]:
        first = start(key)
        return [int(mask) for mask in self.row[first : first + SIZES[key]]]

    def __getitem__(self, key: str) -> list[str]:
        kinds = [[kind for kind in range(KINDS) if mask >> kind & 1] for mask in self.masks(key)]
        return [format_tiles((4 * kind for kind in each), red_fives=False) for each in kinds]

    def flags(self, key: str) -> list[bool]:
        return [mask != 0 for mask in self.masks(key)]

    def reached(self, key: str) -> int:
        """How many of a number's steps are reached; they must be the first ones."""
        flags = self.flags(key)
        assert flags == sorted(flags, reverse=True)
        return sum(flags)


def see(game: Game, seat: int) -> Planes:
    return Planes(encode_batch(record_of(game), [0], [seat], with_lookahead=False)[0])


def see_call(game: Game, seat: int, action: int) -> Planes:
    return Planes(encode_call_batch(record_of(game), [0], [seat], [action], with_lookahead=False)[0])
