"""Rule-based players, compiled like the rest: `player("sensible")`; `play.play_games` plays whole games with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from simulator.tables import Decisions, IllegalAction

#: A rule-based player: (games, index, seats, legal, seed, actions), which writes into actions i64[n].
ChooseFunction = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, np.ndarray], None]

#: The players by name. The last two are `sensible` without one habit, to measure what it is worth.
PLAYERS = ("random", "tsumogiri", "sensible", "never_folds", "never_calls")


class UnknownPlayer(ValueError):
    """A name that no player has: says which names there are."""


class IllegalPlayer(ValueError):
    """A player whose action the rules do not allow: says who, in which game, and what was legal."""

    def __init__(self, name: str, number: int, error: IllegalAction) -> None:
        self.name, self.number = name, number
        super().__init__(f"{name}: illegal in game number {number} of the seed; table's {error}")


class Player(Protocol):
    """Anything that chooses for a batch of decisions, from what the deciding seats see."""

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    def choose(self, games: np.ndarray, asked: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]; games: GAME[...], which `asked.game` indexes."""
        ...


class RulePlayer:
    """A rule-based player; its choices follow from the games and the seed alone."""

    def __init__(self, name: str, choose: ChooseFunction, seed: int = 0) -> None:
        """seed: of its random choices, 0 to 2^64 - 1."""
        self.name, self._choose, self._seed = name, choose, seed

    def choose(self, games: np.ndarray, asked: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]."""
        self._choose(games, asked.game, asked.seat, asked.legal, self._seed, actions)


def choose_function(name: str) -> ChooseFunction:
    """Return the function of the player of that name; raise UnknownPlayer, naming the players, if there is none."""
    if name not in PLAYERS:
        raise UnknownPlayer(f"no player {name!r}; there are {', '.join(PLAYERS)}")
    if name in ("random", "tsumogiri"):
        from simulator.players import simple

        return {"random": simple.choose_random, "tsumogiri": simple.choose_tsumogiri}[name]
    from simulator.lookup import get_lookup
    from simulator.players import sensible

    habits = {"sensible": sensible.ALL_HABITS, "never_folds": sensible.CALLS, "never_calls": sensible.FOLDS}[name]
    return partial(sensible.choose_by_habits, get_lookup(), habits)


def player(name: str, seed: int = 0) -> RulePlayer:
    """Return the player of that name; raise UnknownPlayer, naming the players, if there is none."""
    return RulePlayer(name, choose_function(name), seed)
