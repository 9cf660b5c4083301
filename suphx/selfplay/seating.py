"""Who sits at the tables of self-play. With a given configuration, it depends only on the game's number."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from simulator.record import SEATS
from suphx.config import Config

#: Number of the learning policy among the players; opponents are numbered from 1 on.
LEARNER = 0


class FourLearners(Config):
    """The latest policy in all four seats, which all give data."""

    kind: Literal["selfplay"] = "selfplay"
    """Which table this is."""
    opponents: ClassVar[tuple[str, ...]] = ()
    learning_seats: ClassVar[int] = SEATS
    """How many of the four seats give data."""


class OneAgainstThree(Config):
    """The latest policy in one seat, which alone gives data, against three opponents; its seat changes every game."""

    kind: Literal["one-against-three"] = "one-against-three"
    """Which table this is."""
    opponents: tuple[str, ...] = Field(min_length=1)
    """Agents: `sl`, `sl-weak`, rule-based players, folders of weights. They take their likeliest actions. If there are
    several opponents, each game takes three in turn, starting with the next one after every four games."""
    learning_seats: ClassVar[int] = 1


TableConfig = Annotated[FourLearners | OneAgainstThree, Field(discriminator="kind")]


def seated(table: TableConfig, numbers: np.ndarray) -> np.ndarray:
    """Return i64[n, 4]: the player in each seat, LEARNER or an opponent's number, for games with numbers integer[n]."""
    game = numbers.astype(np.int64)
    players = np.full((len(game), SEATS), LEARNER)
    if isinstance(table, OneAgainstThree):
        others = np.arange(1, SEATS)
        seats = (game[:, None] + others) % SEATS  # seat `game % 4` is left to the learner
        which = (game[:, None] // SEATS + others - 1) % len(table.opponents)
        np.put_along_axis(players, seats, LEARNER + 1 + which, axis=1)
    return players
