"""Liar's dice for two players, as in OpenSpiel: the highest face is wild."""

from collections import Counter
from itertools import combinations_with_replacement
from math import factorial, prod

from suphx.equilibrium.game import CHANCE, END
from suphx.errors import InputError


class LiarsDice:
    """Bids of a number of a face must rise, by number, then face; after "liar" the last bid is held against all dice.

    A state is (both rolls, bids); an information set is named by the own roll and the bids: `36 1x4 2x1`.
    """

    players = 2

    def __init__(self, sides: int = 6, dice: int = 1) -> None:
        if not (2 <= sides <= 9 and 1 <= dice <= 3):
            raise InputError(f"Liar's dice has 2 to 9 sides and 1 to 3 dice, not {sides} and {dice}")
        self.sides = sides
        self.bids = [f"{n}x{face}" for n in range(1, 2 * dice + 1) for face in range(1, sides + 1)]
        rolls = combinations_with_replacement("123456789"[:sides], dice)
        ways = {"".join(roll): factorial(dice) // prod(map(factorial, Counter(roll).values())) for roll in rolls}
        self.rolls = [(roll, count / sides**dice) for roll, count in ways.items()]

    def root(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), ()

    def mover(self, state: tuple) -> int:
        rolls, bids = state
        if len(rolls) < 2:
            return CHANCE
        return END if bids and bids[-1] == "liar" else len(bids) % 2

    def actions(self, state: tuple) -> list:
        rolls, bids = state
        if len(rolls) < 2:
            return self.rolls
        return [*self.bids[self.bids.index(bids[-1]) + 1 :], "liar"] if bids else self.bids

    def next(self, state: tuple, action: str) -> tuple:
        rolls, bids = state
        return ((*rolls, action), bids) if len(rolls) < 2 else (rolls, (*bids, action))

    def seen(self, state: tuple) -> str:
        rolls, bids = state
        return " ".join([rolls[len(bids) % 2], *bids])

    def payoffs(self, state: tuple) -> list[float]:
        rolls, bids = state
        number, face = bids[-2].split("x")
        shown = "".join(rolls)
        there = shown.count(face) + (shown.count(str(self.sides)) if face != str(self.sides) else 0)
        bidder = len(bids) % 2  # of the last bid: two moves back
        won = 1.0 if there >= int(number) else -1.0
        return [won if p == bidder else -won for p in range(2)]
