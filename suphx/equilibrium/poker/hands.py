"""What a hand of five to seven cards is worth, directly from the sets of ranks of its suits, without tables.

A set of cards is one 64-bit number: suit s has bits 16 s to 16 s + 12, the deuce lowest. Four bit operations turn the
four sets of ranks into those of at least one, two, three and four equal cards; every category is read from these. Of
two sets of equally many ranks the one with the highest differing rank is the greater number, so that sets of ranks can
be compared as they are.
"""

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.cards import CARDS

#: Categories of hands, from weakest to strongest. A royal flush is the highest straight flush.
CATEGORIES = ("high card", "pair", "two pairs", "three of a kind", "straight", "flush", "full house", "four of a kind",
              "straight flush")  # fmt: skip
#: The category of a strength is `strength >> CATEGORY_SHIFT`.
CATEGORY_SHIFT = 26
_SECOND = 13
#: i64[52]: the bit of each card.
BITS = np.array([1 << (16 * (card & 3) + (card >> 2)) for card in range(CARDS)], np.int64)


@jit
def _without_lowest(ranks, times):
    for _ in range(times):
        ranks &= ranks - 1
    return ranks


@jit
def _count(ranks):
    ranks = ranks - ((ranks >> 1) & 0x1555)
    ranks = (ranks & 0x3333) + ((ranks >> 2) & 0x3333)
    ranks = (ranks + (ranks >> 4)) & 0x0F0F
    return (ranks + (ranks >> 8)) & 15


@jit
def _highest(ranks):
    ranks |= ranks >> 1
    ranks |= ranks >> 2
    ranks |= ranks >> 4
    ranks |= ranks >> 8
    return ranks ^ (ranks >> 1)


@jit
def _straight(ranks):
    """Return the set of the highest ranks of all straights; an ace is also below the deuce."""
    low = (ranks << 1) | (ranks >> 12)
    return (low & (low << 1) & (low << 2) & (low << 3) & (low << 4)) >> 1


@jit
def strength(cards):
    """Return the strength of the best five cards of a set (i64) of five to seven: the greater number wins, equal ties.

    Bits 26 up: the category; 13 to 25: the ranks that make it; 0 to 12: the ranks beside it.
    """
    a, b, c, d = cards & 0x1FFF, (cards >> 16) & 0x1FFF, (cards >> 32) & 0x1FFF, (cards >> 48) & 0x1FFF
    one = a | b | c | d
    # five of a suit: counted in all four suits at once; the three is added so that five or more reach the fourth bit
    counts = cards - ((cards >> 1) & 0x5555555555555555)
    counts = (counts & 0x3333333333333333) + ((counts >> 2) & 0x3333333333333333)
    counts = (counts + (counts >> 4)) & 0x0F0F0F0F0F0F0F0F
    counts = ((counts + (counts >> 8)) & 0x000F000F000F000F) + 0x0003000300030003
    flush = counts & 0x0008000800080008
    if flush:
        suited = a if flush & 0x8 else b if flush & 0x80000 else c if flush & 0x800000000 else d
        run = _straight(suited)
        if run:
            return (np.int64(8) << CATEGORY_SHIFT) | (_highest(run) << _SECOND)
        return (np.int64(5) << CATEGORY_SHIFT) | _without_lowest(suited, _count(suited) - 5)
    two = (a & b) | (c & d) | ((a | b) & (c | d))
    if two == 0:
        run = _straight(one)
        if run:
            return (np.int64(4) << CATEGORY_SHIFT) | (_highest(run) << _SECOND)
        return _without_lowest(one, _count(one) - 5)
    three = ((a & b) & (c | d)) | ((c & d) & (a | b))
    if three:
        four = a & b & c & d
        if four:
            return (np.int64(7) << CATEGORY_SHIFT) | (four << _SECOND) | _highest(one ^ four)
        three = _highest(three)
        if two != three:
            return (np.int64(6) << CATEGORY_SHIFT) | (three << _SECOND) | _highest(two ^ three)
    run = _straight(one)
    if run:
        return (np.int64(4) << CATEGORY_SHIFT) | (_highest(run) << _SECOND)
    if three:
        rest = one ^ three
        return (np.int64(3) << CATEGORY_SHIFT) | (three << _SECOND) | _without_lowest(rest, _count(rest) - 2)
    if two & (two - 1):
        two = _without_lowest(two, _count(two) - 2)
        return (np.int64(2) << CATEGORY_SHIFT) | (two << _SECOND) | _highest(one ^ two)
    rest = one ^ two
    return (np.int64(1) << CATEGORY_SHIFT) | (two << _SECOND) | _without_lowest(rest, _count(rest) - 3)


@jit
def strengths(cards, out):
    """Write the strengths of n hands, cards i64[n, 5 to 7], to out i64[n]."""
    for i in range(len(cards)):
        held = np.int64(0)
        for k in range(cards.shape[1]):
            held |= BITS[cards[i, k]]
        out[i] = strength(held)
