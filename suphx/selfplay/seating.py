"""Who sits at the tables of self-play. With a given configuration, it depends only on the game's number."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from simulator.record import SEATS
from suphx.config import Config

#: Number of the learning policy among the players; opponents are numbered from 1 on.
LEARNER = 0


class EarlierConfig(Config):
    """Earlier versions of the run itself among the opponents."""

    count: int = Field(default=4, ge=1)
    """How many versions are kept. Each is an opponent like the named ones; until there are so many, the run's start
    plays in their place, and then the newest replaces the oldest."""
    every: int = Field(default=5_000, ge=1)
    """Games of self-play between two versions that are kept."""


class FourLearners(Config):
    """The latest policy in all four seats, which all give data."""

    kind: Literal["selfplay"] = "selfplay"
    """Which table this is."""
    opponents: ClassVar[tuple[str, ...]] = ()
    earlier: ClassVar[EarlierConfig | None] = None
    learning_seats: ClassVar[int] = SEATS
    """How many of the four seats give data."""


class OneAgainstThree(Config):
    """The latest policy in one seat, which alone gives data, against three opponents; its seat changes every game."""

    kind: Literal["one-against-three"] = "one-against-three"
    """Which table this is."""
    opponents: tuple[str, ...] = ()
    """Agents: `sl`, `sl-weak`, rule-based players, folders of weights. They give their likeliest answers. If there are
    several opponents, each game takes three in turn, starting with the next one after every four games."""
    earlier: EarlierConfig | None = None
    """Earlier versions of the run itself, as opponents after the named ones; null for none."""
    learning_seats: ClassVar[int] = 1

    @model_validator(mode="after")
    def _has_opponents(self) -> OneAgainstThree:
        if not self.opponents and self.earlier is None:
            raise ValueError("opponents: name at least one, or set `earlier`")
        return self


TableConfig = Annotated[FourLearners | OneAgainstThree, Field(discriminator="kind")]


def earlier_names(table: TableConfig) -> tuple[str, ...]:
    """Return what the places of earlier versions are called."""
    return tuple(f"earlier version {place + 1}" for place in range(table.earlier.count if table.earlier else 0))


def seated(table: TableConfig, numbers: np.ndarray) -> np.ndarray:
    """Return i64[n, 4]: the player in each seat, LEARNER or an opponent's number, for games with numbers integer[n]."""
    game = numbers.astype(np.int64)
    players = np.full((len(game), SEATS), LEARNER)
    if isinstance(table, OneAgainstThree):
        places = np.arange(1, SEATS)
        seats = (game[:, None] + places) % SEATS  # seat `game % 4` is left to the learner
        which = (game[:, None] // SEATS + places - 1) % len(table.opponents + earlier_names(table))
        np.put_along_axis(players, seats, LEARNER + 1 + which, axis=1)
    return players
