"""Games in normal form: each player moves once without knowing what the others do."""

from collections.abc import Sequence

import numpy as np

from suphx.equilibrium.game import END
from suphx.errors import InputError


class Matrix:
    """A game of N players given by its payoffs, [player, action of player 0, action of player 1, ...].

    Two-dimensional payoffs are those of the first of two players in a zero-sum game.
    """

    def __init__(self, payoffs: Sequence | np.ndarray, actions: Sequence[Sequence[str]] | None = None) -> None:
        table = np.asarray(payoffs, np.float64)
        self.table = np.stack([table, -table]) if table.ndim == 2 else table
        if self.table.ndim != len(self.table) + 1:
            raise InputError(f"payoffs of shape {table.shape} are those of no game")
        self.players = len(self.table)
        self.names = actions or [[str(a) for a in range(n)] for n in self.table.shape[1:]]

    def root(self) -> tuple[str, ...]:
        return ()

    def mover(self, state: tuple[str, ...]) -> int:
        return len(state) if len(state) < self.players else END

    def actions(self, state: tuple[str, ...]) -> list[str]:
        return list(self.names[len(state)])

    def next(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def seen(self, state: tuple[str, ...]) -> str:
        return f"player {len(state)}"

    def payoffs(self, state: tuple[str, ...]) -> np.ndarray:
        played = tuple(list(names).index(action) for names, action in zip(self.names, state, strict=True))
        return np.array([table[played] for table in self.table])


def rock_paper_scissors() -> Matrix:
    """Return rock-paper-scissors: each beats one of the others."""
    names = ["rock", "paper", "scissors"]
    return Matrix([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [names, names])
