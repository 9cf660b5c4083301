"""Small games of the literature: matrix games, two games of poker, Goofspiel, Liar's dice, Dark Hex."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from suphx.equilibrium.game import CHANCE, END
from suphx.errors import InputError


class Matrix:
    """A game in normal form for N players, by its payoffs, [player, action of player 0, action of player 1, ...].

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


class Kuhn:
    """Kuhn poker. Source: Kuhn 1950; for more players Abou Risk and Szafron 2010.

    One card each of players + 1, ante 1, one bet of 1. p: check or fold; b: bet or call.

    A state is (cards, actions); an information set is named by the card and the actions: `Kpb`.
    """

    def __init__(self, players: int = 2) -> None:
        if not 2 <= players <= 9:
            raise InputError(f"Kuhn poker has 2 to 9 players, not {players}")
        self.players = players
        self.cards = "JQKA"[: players + 1] if players < 4 else "0123456789"[: players + 1]

    def root(self) -> tuple[str, str]:
        return "", ""

    def mover(self, state: tuple[str, str]) -> int:
        cards, played = state
        if len(cards) < self.players:
            return CHANCE
        bet = played.find("b")
        over = len(played) == self.players if bet < 0 else len(played) == bet + self.players
        return END if over else len(played) % self.players

    def actions(self, state: tuple[str, str]) -> list:
        left = [card for card in self.cards if card not in state[0]]
        return [(card, 1 / len(left)) for card in left] if len(state[0]) < self.players else ["p", "b"]

    def next(self, state: tuple[str, str], action: str) -> tuple[str, str]:
        cards, played = state
        return (cards + action, "") if len(cards) < self.players else (cards, played + action)

    def seen(self, state: tuple[str, str]) -> str:
        return state[0][len(state[1]) % self.players] + state[1]

    def payoffs(self, state: tuple[str, str]) -> list[float]:
        cards, played = state
        bettors = [at % self.players for at, action in enumerate(played) if action == "b"] or list(range(self.players))
        paid = [1.0 + (p in bettors and "b" in played) for p in range(self.players)]
        winner = max(bettors, key=lambda p: self.cards.index(cards[p]))
        return [(sum(paid) if p == winner else 0.0) - paid[p] for p in range(self.players)]


class Leduc:
    """Leduc hold'em for two players. Source: Southey et al. 2005, "Bayes' bluff"; sizes as in OpenSpiel.

    Six cards, one each, then one for both; a round of betting before it and one after. f: fold, c: call, r: raise.

    A state is (cards, actions of the two rounds); an information set is named by the own card, the common one and the
    actions: `K1 J2 rc/c`.
    """

    players = 2
    ante, raises, most_raises = 1, (2, 4), 2
    cards = ("J1", "J2", "Q1", "Q2", "K1", "K2")

    def root(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), ("",)

    @staticmethod
    def _closed(played: str) -> bool:
        return len(played) > 1 and played[-1] == "c"

    def mover(self, state: tuple) -> int:
        cards, rounds = state
        if rounds[-1].endswith("f") or (len(rounds) == 2 and self._closed(rounds[1])):
            return END
        if len(cards) < 2 or len(cards) - 1 < len(rounds):
            return CHANCE
        return len(rounds[-1]) % 2

    def actions(self, state: tuple) -> list:
        cards, rounds = state
        if self.mover(state) == CHANCE:
            left = [card for card in self.cards if card not in cards]
            return [(card, 1 / len(left)) for card in left]
        played = rounds[-1]
        return ["f"] * played.endswith("r") + ["c"] + ["r"] * (played.count("r") < self.most_raises)

    def next(self, state: tuple, action: str) -> tuple:
        cards, rounds = state
        if action in self.cards:
            return (*cards, action), rounds
        played = rounds[-1] + action
        return cards, (*rounds[:-1], played, *([""] if self._closed(played) and len(rounds) == 1 else []))

    def seen(self, state: tuple) -> str:
        cards, rounds = state
        return " ".join([cards[self.mover(state)], *cards[2:], "/".join(rounds)])

    def payoffs(self, state: tuple) -> list[float]:
        cards, rounds = state
        paid = [self.ante, self.ante]
        for played, size in zip(rounds, self.raises, strict=False):
            for at, action in enumerate(played):
                if action != "f":
                    paid[at % 2] = max(paid) + size * (action == "r")
        if rounds[-1].endswith("f"):
            winner = len(rounds[-1]) % 2  # who did not fold
        else:
            hands = [(card[0] == cards[2][0], "JQK".index(card[0])) for card in cards[:2]]
            if hands[0] == hands[1]:
                return [0.0, 0.0]
            winner = int(hands[1] > hands[0])
        return [float(paid[1 - winner]) if p == winner else -float(paid[p]) for p in range(2)]


class Goofspiel:
    """Goofspiel for two players. Source: Ross 1971.

    Prizes 1 to `cards` come in falling order; both bid one of their cards, the higher takes the prize, ties nobody.

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


class LiarsDice:
    """Liar's dice for two players, as in OpenSpiel: the highest face is wild.

    Bids of a number of a face must rise, by number, then face; after "liar" the last bid is held against all dice.

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


class DarkHex:
    """Hex in which the opponent's stones are hidden, as in OpenSpiel's classical version of Dark Hex.

    Player 0 joins top and bottom, player 1 left and right. A try on a hidden stone shows it, and one tries again.

    A state is (stones by cell: ".", "x" or "o"; what each player knows of them; who moves).
    """

    players = 2

    def __init__(self, rows: int = 2, columns: int = 2) -> None:
        if not (1 <= rows <= 4 and 1 <= columns <= 4):
            raise InputError(f"Dark Hex has 1 to 4 rows and columns here, not {rows} and {columns}")
        self.rows, self.columns = rows, columns
        self.joined = lru_cache(maxsize=None)(self._joined)

    def root(self) -> tuple[str, tuple[str, str], int]:
        empty = "." * (self.rows * self.columns)
        return empty, (empty, empty), 0

    def _joined(self, board: str, stone: str) -> bool:
        """Return whether a player's stones join that player's sides."""
        left = {divmod(at, self.columns) for at, each in enumerate(board) if each == stone}
        way, far = (0, self.rows - 1) if stone == "x" else (1, self.columns - 1)
        todo = [cell for cell in left if cell[way] == 0]
        while todo:
            row, column = cell = todo.pop()
            if cell[way] == far:
                return True
            left.discard(cell)
            near = {(row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column),
                    (row - 1, column + 1), (row + 1, column - 1)}  # fmt: skip
            todo += near & left
        return False

    def mover(self, state: tuple) -> int:
        board, _, turn = state
        return END if self.joined(board, "x") or self.joined(board, "o") else turn

    def actions(self, state: tuple) -> list[int]:
        _, known, turn = state
        return [cell for cell, each in enumerate(known[turn]) if each == "."]

    def next(self, state: tuple, action: int) -> tuple:
        board, known, turn = state
        stone = board[action] if board[action] != "." else "xo"[turn]
        views = [view[:action] + stone + view[action + 1 :] if p == turn else view for p, view in enumerate(known)]
        if board[action] != ".":
            return board, tuple(views), turn
        return board[:action] + stone + board[action + 1 :], tuple(views), 1 - turn

    def seen(self, state: tuple) -> str:
        _, known, turn = state
        rows = [known[turn][at : at + self.columns] for at in range(0, self.rows * self.columns, self.columns)]
        return f"{'xo'[turn]} " + "/".join(rows)

    def payoffs(self, state: tuple) -> list[float]:
        won = 1.0 if self.joined(state[0], "x") else -1.0
        return [won, -won]
