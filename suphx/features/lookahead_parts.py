"""The data structures of the look-ahead's search: parts of a winning hand, and the automaton that recognises them.

A *part* is a (possibly empty) group of tiles of one suit that divides into sets and at most one pair. A winning hand
of sets consists of one part of each suit, one of them with the pair. A part is a row of int64 whose columns, and the
fields of its first column, are added when parts of different suits are combined.
"""

import math

import numpy as np

from simulator.lookup import COPIES

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
HONOUR_COLUMN = 9
START, START_WITH_PAIR = 0, 1
NO_STATE = 255


def _after(underway: _Underway, count: int, kinds_left: int) -> _Underway:
    """Return what can be under way after a kind with `count` tiles in the part; `kinds_left` kinds follow it."""
    found = set()
    for before, two_before, pairs in underway:
        for triplet in range(2):
            for pair in range(2 - pairs):
                begun = count - before - two_before - 3 * triplet - 2 * pair
                if begun >= 0 and (begun == 0 or kinds_left >= 2) and (before == 0 or kinds_left >= 1):
                    found.add((begun, before, pairs + pair))
    return frozenset(found)


def _automaton() -> np.ndarray:
    """Return u8[10, states, 5]: number of the kind (or HONOUR_COLUMN), state, count -> next state or NO_STATE.

    A part is complete if the state after its last kind is START, or START_WITH_PAIR for a part with a pair.
    """
    states: list[_Underway] = [frozenset({(0, 0, 0)}), frozenset({(0, 0, 1)})]
    found = []
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
                    found.append((number, state, count, states.index(after)))
        level = sorted(reached)
    for state in (START, START_WITH_PAIR):
        for count in range(COPIES + 1):
            after = _after(states[state], count, 0)
            if after:
                found.append((HONOUR_COLUMN, state, count, states.index(after)))
    table = np.full((NUMBERS + 1, len(states), COPIES + 1), NO_STATE, np.uint8)
    for number, state, count, next_state in found:
        table[number, state, count] = next_state
    return table


AUTOMATON = _automaton()
