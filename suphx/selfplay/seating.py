"""Who sits at the tables of self-play, by configuration. A game's number alone decides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from simulator.record import SEATS
from suphx.agent.interface import Agent, Follower
from suphx.agents import load_agent
from suphx.config import Config
from suphx.errors import InputError
from suphx.networks.precision import Precision

#: Number of the learning policy among the players; the others follow from 1 on.
LEARNER = 0


class FourLearners(Config):
    """Four of the latest policy; all four give data."""

    kind: Literal["selfplay"] = "selfplay"
    """Which table this is."""


class OneAgainstThree(Config):
    """One of the latest policy, which alone gives data, against three of others; its seat moves on with each game."""

    kind: Literal["one-against-three"] = "one-against-three"
    """Which table this is."""
    opponents: tuple[str, ...] = Field(min_length=1)
    """Agents: `sl`, `sl-weak`, rule-based players, folders of weights. Of several, each game's three follow one another
    in turn, and another one begins after every four games."""
    temperature: float | None = Field(default=None, gt=0)
    """Opponents' answers are drawn at this temperature; without, they take the likeliest."""


TableConfig = Annotated[FourLearners | OneAgainstThree, Field(discriminator="kind")]


def opponents(table: TableConfig) -> tuple[str, ...]:
    """Return the names of the agents that players 1 on are."""
    return table.opponents if isinstance(table, OneAgainstThree) else ()


def temperature_of_opponents(table: TableConfig) -> float | None:
    """Return the temperature that opponents answer at, None for the likeliest answers."""
    return table.temperature if isinstance(table, OneAgainstThree) else None


def load_opponents(
    table: TableConfig, names: Sequence[str], seed: int, precision: Precision | None = None
) -> list[Agent]:
    """Return opponents by name, as they play at such tables; raises InputError for one that cannot be had."""
    temperature, found = temperature_of_opponents(table), []
    for name in names:
        agent = load_agent(name, seed, temperature, precision, fixed_passes=True)
        if isinstance(agent, Follower):
            agent.close()
            raise InputError(f"{name}: a bot that lives outside cannot sit at the tables of self-play")
        found.append(agent)
    return found


def seated(table: TableConfig, numbers: np.ndarray) -> np.ndarray:
    """Return i64[n, 4]: which player has each seat in games of these numbers, integer[n]: LEARNER, or an opponent's."""
    game = numbers.astype(np.int64)
    players = np.full((len(game), SEATS), LEARNER)
    if isinstance(table, OneAgainstThree):
        places = np.arange(1, SEATS)
        seats = (game[:, None] + places) % SEATS  # seat `game % 4` is left to the learner
        which = (game[:, None] // SEATS + places - 1) % len(table.opponents)
        np.put_along_axis(players, seats, LEARNER + 1 + which, axis=1)
    return players
