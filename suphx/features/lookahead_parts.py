"""The data of the look-ahead's search: parts of a winning hand, the automaton that recognizes them, costs, the tally.

A *part* is a (possibly empty) group of tiles of one suit that divides into sets and at most one pair. A winning hand
of sets consists of one part of each suit, one of them with the pair. A part is a row of int64 whose columns, and the
fields of its first column, are added when parts of different suits are combined.
"""

import math

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES, KEY_STEP, SETS
from simulator.scoring.blocks import bit_count
from simulator.shanten import SUITS, suit_class, suit_key
from simulator.tiles import EAST, KINDS, RED_FIVE_KINDS

#: Most tiles that are drawn to replace others: three, as in the paper.
FURTHEST = 3

# Columns of a part. Masks are over the 34 kinds.
WORD = 0  # the fields below
DRAWN = 1  # kinds that must be drawn
REPLACED = 2  # kinds that are discarded
HELD = 3  # kinds in the part
TRIPLETS = 4  # this and the next two are 0 in a part with a pair, whose readings are stored separately
RUNS = 5  # by their lowest kind
DOUBLED = 6  # runs that occur twice
NIBBLES = 7  # counts, four bits for each number; their sum is meaningful only if one suit has all tiles
COLUMNS = 8

# Fields of WORD. The number of ways to draw some tiles of a kind is 1, 2, 3, 4 or 6; the product over all kinds is
# stored as its exponents of 2 and 3, which add up.
DRAWN_SHIFT, REPLACED_SHIFT = 0, 3  # 3 bits each: how many tiles
WAYS_SHIFT = 6  # 3 bits: exponent of 2, 2 bits: exponent of 3
HAN_SHIFT = 11  # 8 bits: dora and red fives in the part
READING_SHIFT = 19  # 12 bits: the first reading of a part with a pair
READINGS_SHIFT = 31  # 3 bits: number of its readings
TILES_FIELD, WAYS_FIELD, HAN_FIELD, READING_FIELD, READINGS_FIELD = 7, 31, 255, 4095, 7

#: The number of ways for each value of WORD's field.
WAYS = np.array([2**twos * 3**threes for threes in range(4) for twos in range(8)])


def _ways_fields() -> np.ndarray:
    """Return i64[COPIES + 1, FURTHEST + 1]: WORD's shifted field, by unseen and drawn tiles of a kind."""
    fields = {1: 0, 2: 1, 3: 1 << 3, 4: 2, 6: 1 | 1 << 3}
    table = np.zeros((COPIES + 1, FURTHEST + 1), np.int64)
    for unseen, drawn in np.ndindex(table.shape):
        if drawn <= unseen:
            table[unseen, drawn] = fields[math.comb(unseen, drawn)] << WAYS_SHIFT
    return table


WAYS_FIELDS = _ways_fields()

# Columns of a reading of a part with a pair.
READING_TRIPLETS, READING_RUNS, READING_DOUBLED, READING_PAIR = range(4)

#: Parts of a suit are grouped by their code: drawn | replaced << 2 | has a pair << 4.
CODES = 32
PAIR_CODE = 16
NO_CODE = 255


def _codes_together() -> np.ndarray:
    """Return u8[CODES, CODES]: the code of two parts combined; NO_CODE if that is too far away or has two pairs."""
    table = np.full((CODES, CODES), NO_CODE, np.uint8)
    for one, other in np.ndindex(table.shape):
        drawn, replaced = (one & 3) + (other & 3), (one >> 2 & 3) + (other >> 2 & 3)
        if drawn <= FURTHEST and replaced <= FURTHEST and not one & other & PAIR_CODE:
            table[one, other] = drawn | replaced << 2 | (one | other) & PAIR_CODE
    return table


CODES_TOGETHER = _codes_together()

# The automaton reads a suit's counts from its lowest kind up. The tiles so far can often be divided in several ways;
# a state is the set of what is under way in each: (runs begun one kind before, runs begun two kinds before, pairs).
_Underway = frozenset[tuple[int, int, int]]
NUMBERS = 9
HONOR_COLUMN = 9
START, START_WITH_PAIR = 0, 1
NO_STATE = 255


def _after(underway: _Underway, count: int, kinds_left: int) -> _Underway:
    """Return what can be under way after a kind with `count` tiles in the part; `kinds_left` kinds follow it."""
    after = set()
    for before, two_before, pairs in underway:
        for triplet in range(2):
            for pair in range(2 - pairs):
                begun = count - before - two_before - 3 * triplet - 2 * pair
                if begun >= 0 and (begun == 0 or kinds_left >= 2) and (before == 0 or kinds_left >= 1):
                    after.add((begun, before, pairs + pair))
    return frozenset(after)


def _automaton() -> np.ndarray:
    """Return u8[10, states, 5]: number of the kind (or HONOR_COLUMN), state, count -> next state or NO_STATE.

    A part is complete if the state after its last kind is START, or START_WITH_PAIR for a part with a pair.
    """
    states: list[_Underway] = [frozenset({(0, 0, 0)}), frozenset({(0, 0, 1)})]
    transitions = []
    level = [START]
    for number in range(NUMBERS):
        reached = set()
        for state in level:
            for count in range(COPIES + 1):
                after = _after(states[state], count, NUMBERS - 1 - number)
                if after:
                    if after not in states:
                        states.append(after)
                    reached.add(states.index(after))
                    transitions.append((number, state, count, states.index(after)))
        level = sorted(reached)
    for state in (START, START_WITH_PAIR):
        for count in range(COPIES + 1):
            after = _after(states[state], count, 0)
            if after:
                transitions.append((HONOR_COLUMN, state, count, states.index(after)))
    table = np.full((NUMBERS + 1, len(states), COPIES + 1), NO_STATE, np.uint8)
    for number, state, count, next_state in transitions:
        table[number, state, count] = next_state
    return table


AUTOMATON = _automaton()

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
        ("parts", np.int64, (MOST_PARTS, COLUMNS)),
        ("n_parts", np.int64),
        ("next", np.int16, (MOST_PARTS,)),  # the next part of the same suit and code, or NO_PART
        ("first", np.int16, (SUITS, CODES)),
        ("codes", np.int64, (SUITS,)),  # mask of the codes for which a suit has parts
        ("readings", np.int64, (MOST_READINGS, 4)),
        ("n_readings", np.int64),
        ("joined", np.int64, (3, COLUMNS)),  # combined parts of two, three and all suits
        ("ways", np.int64, (FURTHEST, KINDS, len(STEPS) + 1)),  # tiles drawn, kind, worth -> ways to draw them
    ],
    align=True,
)
NEVER = -1
NO_PART = -1
_HONOR_PAIR_KEY = 2 * int(KEY_STEP[EAST])


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
            if drawn > min(left, FURTHEST) or replaced > FURTHEST:
                steps[kind, count] = NEVER
                continue
            han = np.int64(dora[kind]) * count
            han += own_red if min(count, held) else 0  # of the fives held, the red one is discarded last
            han += other_red if drawn > left - other_red else 0  # of the unseen fives, the red one is drawn last
            word = drawn << DRAWN_SHIFT | replaced << REPLACED_SHIFT | han << HAN_SHIFT
            steps[kind, count] = word | WAYS_FIELDS[left, drawn]


@jit
def fill_missing(lookup, search, hand, n_melds):
    """Write the fewest tiles that the other suits must draw, by a suit's number of sets and whether it has the pair."""
    product, missing = lookup["product"], lookup["missing"]
    classes = np.empty(SUITS, np.uint8)
    for suit in range(SUITS):
        classes[suit] = suit_class(lookup, suit, suit_key(hand, suit))
    pair = suit_class(lookup, 3, _HONOR_PAIR_KEY)  # given a pair, the others need none of their own
    for suit in range(SUITS):
        others = product[product[classes[suit ^ 1], classes[suit ^ 2]], classes[suit ^ 3]]
        for sets in range(SETS - n_melds + 1):
            search["missing"][suit, sets, 0] = missing[SETS - n_melds - sets, others]
            search["missing"][suit, sets, 1] = missing[SETS - n_melds - sets, product[others, pair]]


@jit
def count_hand(search, word, drawn_kinds, replaced_kinds, worth):
    """Add the number of ways to draw a winning hand's tiles to the tally of each kind that it belongs to."""
    drawn = word >> DRAWN_SHIFT & TILES_FIELD
    ways = WAYS[word >> WAYS_SHIFT & WAYS_FIELD]
    tally = search["ways"][drawn - 1]
    kinds = drawn_kinds if search["by_drawn"] else replaced_kinds
    while kinds:
        tally[lowest(kinds), worth] += ways
        kinds &= kinds - 1
