"""The pairs of cards on complete boards, in the order of their strength, and how strong a pair is on all of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.cards import CARDS, PAIR_CARDS, PAIRS
from suphx.equilibrium.poker.hands import BITS, strength
from suphx.equilibrium.poker.showdown import LANES, folds, showdowns

_PAIR_BITS = BITS[PAIR_CARDS[:, 0]] | BITS[PAIR_CARDS[:, 1]]


class Boards(NamedTuple):
    """The pairs of each board: on a complete one in the order of strength."""

    order: np.ndarray
    """i32[boards, pairs]: number of each pair among those of the first street."""
    one: np.ndarray
    """i32[boards, pairs]: lower card; `other`: higher card."""
    other: np.ndarray
    group_end: np.ndarray
    """i32[boards, pairs]: see `showdown.showdowns`."""


def padded(pairs: int) -> int:
    """Return the width of rows over a number of pairs."""
    return -(-pairs // LANES) * LANES


@jit
def _worth(board, held, out):
    for i in range(len(held)):
        out[i] = strength(board | held[i])


def pairs_beside(board: Sequence[int]) -> np.ndarray:
    """Return the numbers of all pairs without a card of the board, i64[n], in order."""
    return np.flatnonzero(~np.isin(PAIR_CARDS, board).any(1))


def dealt(board: Sequence[int], pairs: np.ndarray, rivers: Sequence[int]) -> Boards:
    """Return the pairs of every river in the order of strength.

    pairs: i64[n], those of the first street, to which `order` refers. A river of the board itself completes nothing.
    """
    parts = []
    for river in rivers:
        cards = np.union1d(board, river)
        left = np.flatnonzero((_PAIR_BITS[pairs] & BITS[river]) == 0) if river not in board else np.arange(len(pairs))
        worth = np.empty(len(left), np.int64)
        _worth(np.bitwise_or.reduce(BITS[cards]), _PAIR_BITS[pairs[left]], worth)
        by_worth = np.argsort(worth, kind="stable")
        left, worth = left[by_worth], worth[by_worth]
        parts.append((left, *PAIR_CARDS[pairs[left]].T, np.searchsorted(worth, worth, side="right")))
    return Boards(*(np.array(part, np.int32) for part in zip(*parts, strict=True)))


def rivers_of(board: Sequence[int]) -> list[int]:
    """Return the cards that can complete a board of four; of a board of five, one of its own, which changes nothing."""
    return [card for card in range(CARDS) if card not in board] if len(board) == 4 else [board[0]]


@jit
def _river_strengths(boards, pairs, block, met, out):
    reach, result = np.zeros((1, len(block)), np.float32), np.zeros((2, len(block)), np.float32)
    rows = np.zeros(1, np.int32)
    reach[0, : boards.order.shape[1]] = 1
    for k in range(len(boards.order)):
        one, other, end = boards.one[k], boards.other[k], boards.group_end[k]
        showdowns(reach, rows, one, other, end, block, met, result, rows)
        folds(reach, rows, one, other, block, met, result, rows + np.int32(1))
        for i in range(len(one)):
            out[k, pairs[boards.order[k, i]]] = np.float32(0.5) + np.float32(0.5) * result[0, i] / result[1, i]


def hand_strengths(board: Sequence[int]) -> np.ndarray:
    """Return f32[rivers, 1326]: HS, the share of a uniform opponent's hands that a pair beats, ties half; else NaN.

    board: four cards, and a row for each of the 48 rivers; or five, and one row. A pair with a card of the full board
    has none.
    """
    pairs, rivers = pairs_beside(board), rivers_of(board)
    boards = dealt(board, pairs, rivers)
    out = np.full((len(rivers), PAIRS), np.nan, np.float32)
    block = np.zeros((padded(boards.order.shape[1]), LANES), np.float32)
    _river_strengths(boards, pairs, block, np.zeros_like(block), out)
    return out
