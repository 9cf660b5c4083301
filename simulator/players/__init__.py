"""Compiled rule-based players, made by name: `player("sensible")`; `play.play_games` plays whole games with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from simulator.tables import Decisions, IllegalAction

#: A rule-based player: (games, index, seats, legal, seed, actions), which writes into actions i64[n].
ChooseFunction = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, np.ndarray], None]

#: The names of the players. The last two are `sensible` without one habit, to measure what that habit is worth.
PLAYERS = ("random", "tsumogiri", "sensible", "never_folds", "never_calls")


class UnknownPlayer(ValueError):
    """No player has the given name; the message lists the names there are."""


class IllegalPlayer(ValueError):
    """A player chose an illegal action; the message names the player, the game and the legal actions."""

    def __init__(self, name: str, number: int, error: IllegalAction) -> None:
        self.name, self.number = name, number
        super().__init__(f"{name}: illegal in game number {number} of the seed; table's {error}")


class Player(Protocol):
    """Anything that chooses actions for a batch of decisions, using only what the deciding seats see."""

    @property
    def name(self) -> str:
        """The player's name."""
        ...

    def choose(self, games: np.ndarray, decisions: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]; games: GAME[...], indexed by `asked.game`."""
        ...


class RulePlayer:
    """A rule-based player whose choices depend only on the games and the seed."""

    def __init__(self, name: str, choose: ChooseFunction, seed: int = 0) -> None:
        """Make a player; seed: random seed of its choices, 0 to 2^64 - 1."""
        self.name, self._choose, self._seed = name, choose, seed

    def choose(self, games: np.ndarray, decisions: Decisions, actions: np.ndarray) -> None:
        """Write an action for each decision into actions i64[n]."""
        self._choose(games, decisions.game, decisions.seat, decisions.legal, self._seed, actions)


def choose_function(name: str) -> ChooseFunction:
    """Return the named player's choosing function; raise UnknownPlayer, which lists the players, if there is none."""
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
    """Return the named player; raise UnknownPlayer, which lists the players, if there is none of that name."""
    return RulePlayer(name, choose_function(name), seed)
