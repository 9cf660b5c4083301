"""The look-ahead's search within a suit: every part near the tiles held, with its cost and readings."""

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES
from simulator.scoring.blocks import split_suit
from simulator.tiles import EAST, KINDS
from suphx.features import lookahead_parts as p
from suphx.features.lookahead_parts import NEVER, NO_PART

#: Capacity for incomplete parts waiting to be continued.
_MOST_WAITING = p.NUMBERS * COPIES + 1


@jit
def _bounds(search, suit, tiles, most_sets):
    """Return the most tiles drawn, replaced, and drawn plus replaced, of any useful part of a suit."""
    most_drawn, most_replaced, most_both = -1, -1, -1
    for sets in range(most_sets + 1):
        for pair in range(2):
            drawn = p.FURTHEST - search["missing"][suit, sets, pair]
            if drawn >= 0:
                replaced = min(tiles + drawn - 3 * sets - 2 * pair, search["most_replaced"])
                most_drawn, most_replaced = max(most_drawn, drawn), max(most_replaced, replaced)
                most_both = max(most_both, drawn + replaced)
    return most_drawn, most_replaced, most_both


@jit
def _add_reading(search, suit, sets, pair):
    """Add a reading from the result of `split_suit` for a suit without its pair."""
    reading = search["readings"][search["n_readings"]]
    search["n_readings"] += 1
    first = p.NUMBERS * suit
    reading[p.READING_TRIPLETS] = (sets & 511) << first
    reading[p.READING_RUNS] = (sets >> 9 & 511) << first
    reading[p.READING_DOUBLED] = sets >> 18 << first
    reading[p.READING_PAIR] = first + pair


@jit
def _read_honors(search, part, nibbles, has_pair):
    """Write the triplets of a part of honors; if it has a pair, add its only reading instead."""
    triplets, pair = 0, 0
    for number in range(KINDS - EAST):
        count = nibbles >> 4 * number & 15
        triplets |= (count == 3) << number
        pair = number if count == 2 else pair
    if has_pair:
        _add_reading(search, 3, triplets, pair)
    else:
        part[p.TRIPLETS] = triplets << EAST


@jit
def _read_suit(search, suit, part, nibbles, has_pair):
    """Write the sets of a part without a pair; with one, add a reading for each pair whose rest divides into sets."""
    first = p.NUMBERS * suit
    if not has_pair:
        sets = split_suit(nibbles)
        part[p.TRIPLETS] = (sets & 511) << first
        part[p.RUNS] = (sets >> 9 & 511) << first
        part[p.DOUBLED] = sets >> 18 << first
        return
    # The numbers in runs and triplets sum to multiples of three, so the sum of all numbers gives the pair's number
    # modulo 3. Nibble n has weight 16 ** n, which is 1 + 6 n modulo 9, so the excess of `nibbles` over the number of
    # tiles is 12 times the pair's number modulo 9.
    tiles = nibbles % 15
    for pair in range((nibbles - tiles) % 9 // 3, p.NUMBERS, 3):
        if nibbles >> 4 * pair & 15 >= 2:
            sets = split_suit(nibbles - (2 << 4 * pair))
            if sets >= 0:
                _add_reading(search, suit, sets, pair)


@jit
def _add_part(search, suit, hand, word, nibbles, has_pair):
    """Add a complete part to the list of its suit and code."""
    index = search["n_parts"]
    search["n_parts"] += 1
    part = search["parts"][index]
    part[:] = 0
    drawn, replaced, held = 0, 0, 0
    for number in range(p.NUMBERS if suit < 3 else KINDS - EAST):
        count = nibbles >> 4 * number & 15
        own = np.int64(hand[p.NUMBERS * suit + number])
        drawn |= (count > own) << number
        replaced |= (count < own) << number
        held |= (count > 0) << number
    first_reading = search["n_readings"]
    if suit < 3:
        _read_suit(search, suit, part, nibbles, has_pair)
    else:
        _read_honors(search, part, nibbles, has_pair)
    n_readings = search["n_readings"] - first_reading
    part[p.WORD] = word + ((first_reading << p.READING_SHIFT | n_readings << p.READINGS_SHIFT) if has_pair else 0)
    part[p.DRAWN] = drawn << p.NUMBERS * suit
    part[p.REPLACED] = replaced << p.NUMBERS * suit
    part[p.HELD] = held << p.NUMBERS * suit
    part[p.NIBBLES] = nibbles
    code = _part_code(word) | (p.PAIR_CODE if has_pair else 0)
    search["next"][index] = search["first"][suit, code]
    search["first"][suit, code] = index
    search["codes"][suit] |= 1 << code


@jit
def _part_code(word):
    """Return the code of a part, without the bit of its pair."""
    return word >> p.DRAWN_SHIFT & 3 | (word >> p.REPLACED_SHIFT & 3) << 2


@jit
def find_parts(search, suit, hand, most_sets):
    """Find the parts of a suit that can belong to a winning hand at most FURTHEST drawn tiles away.

    Parts whose draws, plus the fewest that the other suits need, exceed FURTHEST are left out; most of the remaining
    ones do belong to a winning hand.
    """
    search["codes"][suit] = 0
    search["first"][suit, :] = NO_PART
    first, kinds = p.NUMBERS * suit, p.NUMBERS if suit < 3 else KINDS - EAST
    tiles = np.int64(0)
    for kind in range(first, first + kinds):
        tiles += hand[kind]
    most_drawn, most_replaced, most_both = _bounds(search, suit, tiles, most_sets)
    words = np.empty(_MOST_WAITING, np.int64)
    shapes = np.empty(_MOST_WAITING, np.int64)  # nibbles | state << 36 | kinds read << 44
    words[0], shapes[0] = 0, p.START << 36
    waiting = 1 if most_drawn >= 0 else 0
    while waiting:
        waiting -= 1
        word, shape = words[waiting], shapes[waiting]
        number, state, nibbles = shape >> 44, shape >> 36 & 255, shape & ((1 << 36) - 1)
        if number == kinds:
            drawn = word >> p.DRAWN_SHIFT & p.TILES_FIELD
            sets = (tiles + drawn - (word >> p.REPLACED_SHIFT & p.TILES_FIELD)) // 3
            if sets <= most_sets and drawn + search["missing"][suit, sets, state] <= p.FURTHEST:
                _add_part(search, suit, hand, word, nibbles, state != p.START)
            continue
        column = number if suit < 3 else p.HONOR_COLUMN
        held = np.int64(hand[first + number])
        least = max(0, held + (word >> p.REPLACED_SHIFT & p.TILES_FIELD) - most_replaced)
        most = min(COPIES, held - (word >> p.DRAWN_SHIFT & p.TILES_FIELD) + most_drawn)
        for count in range(least, most + 1):
            after = np.int64(p.AUTOMATON[column, state, count])
            step = search["step"][first + number, count]
            if after == p.NO_STATE or step == NEVER:
                continue
            drawn = (word + step) >> p.DRAWN_SHIFT & p.TILES_FIELD
            replaced = (word + step) >> p.REPLACED_SHIFT & p.TILES_FIELD
            if drawn + replaced <= most_both:
                words[waiting] = word + step
                shapes[waiting] = nibbles | count << 4 * number | after << 36 | (number + 1) << 44
                waiting += 1
