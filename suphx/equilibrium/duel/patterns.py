"""The three winning patterns of the game: how many tiles a hand lacks for each of them.

A hand is what is concealed: counts u8[34] by kind, of which only characters (kinds 0-8) and honors (27-33) occur. Its
`keys` are the simulator's keys of those two suits, and its `tally` says how many kinds it holds how often: eight bits
for each of 0 to 4 times.
"""

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES, SETS
from simulator.shanten import suit_class

#: Four sets of any kind and a pair; four triplets or kongs and a pair (PongPongHu); seven pairs (QiDui).
NORMAL, PONGS, PAIRS = range(3)
PATTERNS = ("normal", "pongs", "pairs")
#: What a win with each pattern is worth; a hand with several is paid for one.
POINTS = (1, 2, 2)
KINDS = np.array([*range(9), *range(27, 34)])
TILES = len(KINDS) * COPIES
_PAIRS = 7
_BITS = 8
_MASK = 255


@jit
def tally_of(hand):
    """Return how many of the 16 kinds a hand holds 0, 1, 2, 3 and 4 times."""
    tally = np.int64(0)
    for kind in KINDS:
        tally += np.int64(1) << _BITS * hand[kind]
    return tally


@jit
def held(tally, count):
    """Return how many kinds are held `count` times."""
    return tally >> _BITS * count & _MASK


@jit
def more(tally, count, by):
    """Return the tally after a kind of which the hand has `count` tiles got `by` more (or fewer)."""
    bits = _BITS * np.int64(count)
    return tally - (np.int64(1) << bits) + (np.int64(1) << bits + _BITS * by)


@jit
def normal_missing(lookup, characters, honors, melds):
    """Return the tiles missing for sets and a pair, from the suits' keys; 0 is complete.

    `simulator.shanten` would also count seven different pairs and thirteen orphans, so this uses its tables alone.
    """
    together = lookup["product"][suit_class(lookup, 0, characters), suit_class(lookup, 3, honors)]
    return np.int64(lookup["missing"][SETS - melds, together])


@jit
def pongs_missing(tally, melds):
    """Return the tiles missing for triplets and a pair: the kinds that are held most often make them."""
    left, missing = SETS - melds, 0
    triplets = min(left, held(tally, 3) + held(tally, 4))
    left -= triplets
    twos = min(left, held(tally, 2))
    left -= twos
    ones = min(left, held(tally, 1))
    missing = twos + 2 * ones + 3 * (left - ones)
    if held(tally, 3) + held(tally, 4) > triplets or held(tally, 2) > twos:
        return missing
    return missing + (1 if held(tally, 1) > ones else 2)


@jit
def pairs_missing(tally, four_as_two):
    """Return the tiles missing for seven pairs; four equal tiles are two of them, or else only one."""
    pairs = held(tally, 2) + held(tally, 3) + held(tally, 4) * (2 if four_as_two else 1)
    others = held(tally, 1) + (held(tally, 3) if four_as_two else 0)
    return _PAIRS - pairs + max(0, _PAIRS - pairs - others)


@jit
def missing(lookup, plan, keys, tally, melds, four_as_two):
    """Return the tiles missing for the pattern of a plan. Seven pairs: only without melds."""
    if plan == PAIRS:
        return pairs_missing(tally, four_as_two)
    if plan == PONGS:
        return pongs_missing(tally, melds)
    return normal_missing(lookup, np.int64(keys[0]), np.int64(keys[1]), melds)
