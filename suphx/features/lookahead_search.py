"""The working data of one look-ahead: the cost of each tile, bounds between the suits, and the tally of hands found."""

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES, KEY_STEP, SETS
from simulator.scoring.blocks import bit_count
from simulator.shanten import SUITS, suit_class, suit_key
from simulator.tiles import EAST, KINDS, RED_FIVE_KINDS
from suphx.features import lookahead_parts as p

#: The thresholds of points. A winning hand's *worth* is the number of thresholds it reaches, 0 to 9.
STEPS = (1_000, 2_000, 3_900, 5_200, 8_000, 12_000, 16_000, 24_000, 32_000)

#: Capacity for parts and readings, more than any hand needs (a test searches for the largest number).
MOST_PARTS = 1536
MOST_READINGS = 1664

#: The working space of one look-ahead.
SEARCH = np.dtype(
    [
        ("most_replaced", np.int64),  # most tiles that can be discarded: FURTHEST, or one less for 3n+1 tiles
        ("by_drawn", np.int64),  # 1: the planes are over kinds drawn, 0: over kinds discarded
        ("step", np.int64, (KINDS, COPIES + 1)),  # kind, count in the winning hand -> WORD, or NEVER
        ("missing", np.int8, (SUITS, SETS + 1, 2)),  # suit, sets and pair in its part -> fewest draws of the others
        ("parts", np.int64, (MOST_PARTS, p.COLUMNS)),
        ("n_parts", np.int64),
        ("next", np.int16, (MOST_PARTS,)),  # the next part of the same suit and code, or NO_PART
        ("first", np.int16, (SUITS, p.CODES)),
        ("codes", np.int64, (SUITS,)),  # mask of the codes for which a suit has parts
        ("readings", np.int64, (MOST_READINGS, 4)),
        ("n_readings", np.int64),
        ("joined", np.int64, (3, p.COLUMNS)),  # combined parts of two, three and all suits
        ("ways", np.int64, (p.FURTHEST, KINDS, len(STEPS) + 1)),  # tiles drawn, kind, worth -> ways to draw them
    ],
    align=True,
)
NEVER = -1
NO_PART = -1
_HONOUR_PAIR_KEY = 2 * int(KEY_STEP[EAST])


@jit
def lowest(mask):
    """Return the index of the lowest set bit of a mask."""
    return bit_count((mask & -mask) - 1)


@jit
def fill_steps(search, hand, red, unseen, unseen_red, dora):
    """Write the cost of each count of each kind in the winning hand: tiles drawn and replaced, ways, han."""
    steps = search["step"]
    for kind in range(KINDS):
        held, left = np.int64(hand[kind]), np.int64(unseen[kind])
        own_red, other_red = 0, 0
        for suit in range(3):
            if kind == RED_FIVE_KINDS[suit]:
                own_red, other_red = np.int64(red[suit]), np.int64(unseen_red[suit])
        for count in range(COPIES + 1):
            drawn, replaced = max(0, count - held), max(0, held - count)
            if drawn > min(left, p.FURTHEST) or replaced > p.FURTHEST:
                steps[kind, count] = NEVER
                continue
            han = np.int64(dora[kind]) * count
            han += own_red if min(count, held) else 0  # of the fives held, the red one is discarded last
            han += other_red if drawn > left - other_red else 0  # of the unseen fives, the red one is drawn last
            word = drawn << p.DRAWN_SHIFT | replaced << p.REPLACED_SHIFT | han << p.HAN_SHIFT
            steps[kind, count] = word | p.WAYS_FIELDS[left, drawn]


@jit
def fill_missing(lookup, search, hand, n_melds):
    """Write the fewest tiles that the other suits must draw, by a suit's number of sets and whether it has the pair."""
    product, missing = lookup["product"], lookup["missing"]
    classes = np.empty(SUITS, np.uint8)
    for suit in range(SUITS):
        classes[suit] = suit_class(lookup, suit, suit_key(hand, suit))
    pair = suit_class(lookup, 3, _HONOUR_PAIR_KEY)  # given a pair, the others need none of their own
    for suit in range(SUITS):
        others = product[product[classes[suit ^ 1], classes[suit ^ 2]], classes[suit ^ 3]]
        for sets in range(SETS - n_melds + 1):
            search["missing"][suit, sets, 0] = missing[SETS - n_melds - sets, others]
            search["missing"][suit, sets, 1] = missing[SETS - n_melds - sets, product[others, pair]]


@jit
def count_hand(search, word, drawn_kinds, replaced_kinds, worth):
    """Add the number of ways to draw a winning hand's tiles to the tally of each kind that it belongs to."""
    drawn = word >> p.DRAWN_SHIFT & p.TILES_FIELD
    ways = p.WAYS[word >> p.WAYS_SHIFT & p.WAYS_FIELD]
    tally = search["ways"][drawn - 1]
    kinds = drawn_kinds if search["by_drawn"] else replaced_kinds
    while kinds:
        tally[lowest(kinds), worth] += ways
        kinds &= kinds - 1
