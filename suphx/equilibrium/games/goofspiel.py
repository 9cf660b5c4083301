"""Goofspiel for two players: secret bids for prizes. Source: Ross 1971."""

from suphx.equilibrium.game import END
from suphx.errors import InputError


class Goofspiel:
    """Prizes 1 to `cards` come in falling order; both bid one of their cards, the higher takes the prize, ties nobody.

    Bids are then shown. The winner is who has more points. A state is the bids in order, player 0's first.
    """

    players = 2

    def __init__(self, cards: int = 4) -> None:
        if not 1 <= cards <= 7:
            raise InputError(f"Goofspiel has 1 to 7 cards here, not {cards}")
        self.cards = cards

    def root(self) -> tuple[int, ...]:
        return ()

    def mover(self, state: tuple[int, ...]) -> int:
        return END if len(state) == 2 * self.cards else len(state) % 2

    def actions(self, state: tuple[int, ...]) -> list[int]:
        return [card for card in range(1, self.cards + 1) if card not in state[len(state) % 2 :: 2]]

    def next(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*state, action)

    def seen(self, state: tuple[int, ...]) -> str:
        return f"player {len(state) % 2}: " + " ".join(map(str, state[: len(state) // 2 * 2]))

    def payoffs(self, state: tuple[int, ...]) -> list[float]:
        points = 0
        for at in range(self.cards):
            ours, theirs = state[2 * at], state[2 * at + 1]
            points += (self.cards - at) * ((ours > theirs) - (ours < theirs))
        return [float((points > 0) - (points < 0)), float((points < 0) - (points > 0))]
