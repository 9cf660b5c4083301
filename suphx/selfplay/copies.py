"""Games with the same walls: a seat's results in the other games show how much of its reward was the luck of the deal.

`copies` consecutive games have the same walls (as in duplicate bridge) and begin at about the same time; their answers
are drawn independently. A round is passed on once all of these games are past its deal, together with the mean reward
of the same seat in the others. That mean does not depend on the seat's answers in this game, so it may be a baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np

from simulator.record import SEATS
from simulator.tiles import TILES
from simulator.walls import mix2, shuffle_wall
from suphx.learning.experience import PATH, Batch, Experience, join

#: Upper bound of a round's repeat counter.
_REPEATS = 1 << 10
#: The deal number that marks a finished game.
_OVER = np.iinfo(np.int64).max


def deal_numbers(rounds: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Return u4[n]: deal numbers from round and repeat counter, which increase during a game."""
    return rounds.astype(np.uint32) * np.uint32(_REPEATS) + repeats.astype(np.uint32)


class SharedWalls:
    """Source of the tables' walls, which depend on (seed, game number // copies, round, repeat counter)."""

    def __init__(self, seed: int, copies: int, tables: int) -> None:
        """Begin with games 0, 1, ... at the tables."""
        self._seed, self._copies = np.uint64(seed), copies
        self.numbers = np.arange(tables)
        """i64[tables]: number of the game at each table; must be set before a game begins."""

    def __call__(self, game: int, round_number: int, repeat_counter: int, deals: int) -> np.ndarray:
        """Return the wall of a deal, u8[136]."""
        wall = np.empty(TILES, np.uint8)
        key = np.uint64(mix2(self._seed, np.uint64(self.numbers[game] // self._copies)))
        shuffle_wall(key, np.uint64(round_number), np.uint64(repeat_counter), wall)
        return wall


class Held:
    """Rounds that wait until the other games are past the same deal."""

    def __init__(self, copies: int, nothing: Batch) -> None:
        """nothing: an empty batch of the learning models."""
        self._copies, self._nothing = copies, nothing
        self._past: dict[int, np.ndarray] = {}
        """By number of the walls: the last deal that each game has finished, i64[copies]."""
        self._rounds: dict[int, dict[int, list[Batch]]] = {}
        """By number of the walls, then by deal number."""

    def exchange(self, batch: Batch) -> Batch:
        """Add finished rounds; return those of deals that all games are past, if any.

        The `copies` and `elsewhere` fields of the returned paths are filled in.
        """
        ready = [self._nothing]
        for each in _rounds_of(batch):
            first = each.paths[0]
            walls, place = divmod(int(first["game"]), self._copies)
            past = self._past.setdefault(walls, np.full(self._copies, -1))
            held = self._rounds.setdefault(walls, {})
            held.setdefault(int(first["deal"]), []).append(each)
            past[place] = _OVER if first["last"] else int(first["deal"])
            ready += [_compared(join(held.pop(deal))) for deal in sorted(held) if deal <= past.min()]
            if past.min() == _OVER:
                del self._past[walls], self._rounds[walls]
        return join(ready)

    def state(self) -> dict[str, np.ndarray]:
        """Return all waiting rounds, as plain arrays."""
        held = [each for deals in self._rounds.values() for rounds in deals.values() for each in rounds]
        batch = join([self._nothing, *held])
        found: dict[str, np.ndarray] = {
            "paths": batch.paths.view(np.uint8).reshape(len(batch.paths), PATH.itemsize),
            "walls": np.array(list(self._past), np.int64),
            "past": np.array(list(self._past.values()), np.int64).reshape(-1, self._copies),
        }
        for model, each in batch.experience.items():
            found |= {f"{model}.{field.name}": getattr(each, field.name) for field in fields(each)}
        return found

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Replace the contents by what `state` returned."""
        paths = state["paths"].copy().view(PATH).reshape(-1)
        experience = {
            model: Experience(**{field.name: state[f"{model}.{field.name}"] for field in fields(Experience)})
            for model in self._nothing.experience
        }
        self._past = {int(walls): past.copy() for walls, past in zip(state["walls"], state["past"], strict=True)}
        self._rounds = {walls: {} for walls in self._past}
        for each in _rounds_of(Batch(paths, experience)):
            first = each.paths[0]
            self._rounds[int(first["game"]) // self._copies].setdefault(int(first["deal"]), []).append(each)


def _rounds_of(batch: Batch) -> Iterator[Batch]:
    """Split a batch by rounds; a round's paths must be consecutive, and so must its questions."""
    paths = batch.paths
    names = paths[["game", "deal"]]
    edges = np.concatenate([[len(paths) > 0], names[1:] != names[:-1], [len(paths) > 0]])
    for begin, end in pairwise(np.flatnonzero(edges).tolist()):
        experience = {}
        for model, each in batch.experience.items():
            rows = each.rows(slice(*np.searchsorted(each.path, [begin, end])))
            own = Experience(**{field.name: getattr(rows, field.name).copy() for field in fields(rows)})
            experience[model] = replace(own, path=own.path - np.uint32(begin))
        yield Batch(paths[begin:end].copy(), experience)


def _compared(batch: Batch) -> Batch:
    """Return the rounds of one deal with each seat's mean reward in the other games filled in."""
    paths = batch.paths.copy()
    seats, rewards = paths["seat"], paths["reward"].astype(np.float64)
    others = np.bincount(seats, minlength=SEATS)[seats] - 1
    total = np.bincount(seats, rewards, SEATS)[seats]
    paths["copies"] = others
    paths["elsewhere"] = np.divide(total - rewards, others, out=np.zeros(len(paths)), where=others > 0)
    return Batch(paths, batch.experience)
