"""Selection of rounds and of the seats in them: filters by archive, room, dan, player and length, and the split."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from simulator.record import SEATS
from suphx.config import Config
from suphx.dataset.prepared import NO_DAN, SPLITS, Prepared
from suphx.errors import InputError
from suphx.networks.models import MODELS


class Filters(Config):
    """Filters that choose whose decisions are used; by default everyone's."""

    archives: list[str] | None = None
    """File names of archives."""
    rooms: list[str] | None = None
    """`normal`, `advanced`, `expert`, `phoenix`."""
    lengths: list[Literal["east", "east_south"]] | None = None
    """Game lengths."""
    players: list[str] | None = None
    """Names of players: only their decisions are used."""
    least_dan: int | None = Field(default=None, ge=1, le=11)
    """Only decisions of players with at least this dan are used (11: Tenhoui)."""


@dataclass(frozen=True)
class Selection:
    """Rounds of prepared logs, and the seats in them, for one model."""

    model: int
    """Index of the model in MODELS."""
    rounds: np.ndarray
    """i64[k]: rows of `Prepared.rounds` with at least one pair."""
    seats: np.ndarray
    """i64[k]: bit mask of the seats whose pairs are selected."""
    pairs: np.ndarray
    """i64[k]: number of these pairs."""

    @property
    def n_pairs(self) -> int:
        """Total number of pairs."""
        return int(self.pairs.sum())

    def sample(self, random: np.random.Generator, n_pairs: int | None = None) -> np.ndarray:
        """Return places in these arrays of rounds in random order: as many as hold `n_pairs`, by default all."""
        order = random.permutation(len(self.rounds))
        return order if n_pairs is None else order[: int(np.searchsorted(self.pairs[order].cumsum(), n_pairs)) + 1]


def select(
    prepared: Prepared, model: str, split: str | None, filters: Filters | None = None, games: np.ndarray | None = None
) -> Selection:
    """Return the rounds that contain pairs of a model.

    split: one of SPLITS, or None for all games. games: bool[g], restricts the selection to these games. Raises
    InputError if a filter names something that does not occur in the logs.
    """
    filters = filters or Filters()
    games = np.ones(len(prepared.games), np.bool_) if games is None else games.copy()
    if split is not None:
        games &= prepared.split() == list(SPLITS).index(split)
    by_game: tuple[tuple[str, Sequence[str] | None, Sequence[str]], ...] = (
        ("archive", filters.archives, prepared.archives),
        ("room", filters.rooms, prepared.rooms),
        ("rules", filters.lengths, [rules.length for rules in prepared.rules]),
    )
    for name, names, values in by_game:
        if names is not None:
            games &= np.isin(prepared.games[name], _indices(name, names, values))
    seats = games[:, None] & np.ones(SEATS, np.bool_)
    if filters.players is not None:
        seats &= np.isin(prepared.games["players"], _indices("player", filters.players, prepared.players))
    if filters.least_dan is not None:
        dan = prepared.games["dan"]
        seats &= (dan != NO_DAN) & (dan >= 9 + filters.least_dan)  # Tenhou's rank numbers: 10 is 1 dan, 20 Tenhoui
    number = MODELS.index(model)
    by_round = seats[prepared.rounds["game"]]
    pairs = (prepared.rounds["counts"][:, :, number] * by_round).sum(axis=1)
    rounds = np.flatnonzero(pairs)
    bits = (by_round[rounds] << np.arange(SEATS)).sum(axis=1)
    return Selection(number, rounds, bits, pairs[rounds].astype(np.int64))


def _indices(kind: str, names: Sequence[str], values: Sequence[str]) -> np.ndarray:
    """Return the indices of the values that are among the names; raises InputError if a name does not occur."""
    missing = [each for each in names if each not in values]
    if missing:
        known = ", ".join(sorted(set(values))[:20])
        raise InputError(f"no {kind} {', '.join(missing)} in these logs; there are {known}")
    return np.flatnonzero(np.isin(values, names))
