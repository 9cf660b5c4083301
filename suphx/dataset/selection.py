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


def select(
    prepared: Prepared,
    model: str,
    split: str | None,
    filters: Filters | None = None,
    wanted_games: np.ndarray | None = None,
) -> Selection:
    """Return the rounds that contain pairs of a model.

    split: one of SPLITS, or None for all games. wanted_games: bool[g], restricts the selection to these games. Raises
    InputError if a filter names something that does not occur in the logs.
    """
    filters = filters or Filters()
    games = np.ones(len(prepared.games), np.bool_) if wanted_games is None else wanted_games.copy()
    if split is not None:
        games &= prepared.split() == list(SPLITS).index(split)
    by_game: tuple[tuple[str, Sequence[str] | None, Sequence[str]], ...] = (
        ("archive", filters.archives, prepared.archives),
        ("room", filters.rooms, prepared.rooms),
        ("rules", filters.lengths, [rules.length for rules in prepared.rules]),
    )
    for name, wanted, values in by_game:
        if wanted is not None:
            games &= np.isin(prepared.games[name], _places(name, wanted, values))
    seats = games[:, None] & np.ones(SEATS, np.bool_)
    if filters.players is not None:
        seats &= np.isin(prepared.games["players"], _places("player", filters.players, prepared.players))
    if filters.least_dan is not None:
        dan = prepared.games["dan"]
        seats &= (dan != NO_DAN) & (dan >= 9 + filters.least_dan)  # Tenhou's rank numbers: 10 is 1 dan, 20 Tenhoui
    number = MODELS.index(model)
    by_round = seats[prepared.rounds["game"]]
    pairs = (prepared.rounds["counts"][:, :, number] * by_round).sum(axis=1)
    rounds = np.flatnonzero(pairs)
    bits = (by_round[rounds] << np.arange(SEATS)).sum(axis=1)
    return Selection(number, rounds, bits, pairs[rounds].astype(np.int64))


def _places(what: str, wanted: Sequence[str], values: Sequence[str]) -> np.ndarray:
    missing = [each for each in wanted if each not in values]
    if missing:
        known = ", ".join(sorted(set(values))[:20])
        raise InputError(f"no {what} {', '.join(missing)} in these logs; there are {known}")
    return np.flatnonzero(np.isin(values, wanted))
