"""The distance of a hand from complete (shanten), the tiles that complete it (waits), and those that reduce shanten.

Shanten is exact: the fewest tiles that must be drawn to complete the hand, minus one, given that there are only four
tiles of each kind. So -1 is complete, 0 is tenpai, and a hand is tenpai exactly if it has a wait; a hand that only a
kind of which it holds all four tiles would complete is not. (Tiles in melds do not matter for this: a kind with all
four tiles in the hand's own melds can be a wait.) Complete means four sets and a pair, seven different pairs, or
thirteen orphans; the last two only without melds.

All functions are compiled. They take the tables (`get_lookup()`), a hand u8[34] without the tiles of melds, and the
number of melds, closed kongs included; sets of kinds are 34-bit masks in an int64. They do not check their arguments;
`efficiency.py` does, for use from Python with batches and with hands in notation.
"""

import numpy as np

from simulator import lookup as layout
from simulator.jit import jit
from simulator.lookup import COPIES, KEY_STEP, SETS
from simulator.tiles import ALL_KINDS, KINDS, TERMINALS_AND_HONORS

SUITS = 4
COMPLETE = -1
TENPAI = 0
#: Marks kinds that are not in the hand and so cannot be discarded.
NO_SHANTEN = 127
NO_CLASS = 255


@jit
def suit_key(hand, suit):
    """Return the key of one suit's counts; it changes by KEY_STEP[kind] with each tile of a kind."""
    first = 9 * suit
    low = np.int64(0)
    for k in range(layout.LOW_KINDS - 1, -1, -1):
        low = low * 5 + hand[first + k]
    high = np.int64(0)
    for k in range(8 if suit < 3 else 6, layout.LOW_KINDS - 1, -1):
        high = high * 5 + hand[first + k]
    return low | high << layout.LOW_BITS


@jit
def suit_class(lookup, suit, key):
    """Return the class of one suit (see `simulator.lookup`)."""
    row = lookup["low"][suit // 3, key & layout.LOW_MASK] & layout.ROW_MASK
    return lookup["high"][row, key >> layout.LOW_BITS]


@jit
def _tally(lookup, m, p, s, z):
    """Return the tally of the whole hand from its four keys."""
    low, high = lookup["low"], lookup["high_tally"]
    tally = np.int64(low[0, m & layout.LOW_MASK] >> layout.ROW_BITS) + high[0, m >> layout.LOW_BITS]
    tally += np.int64(low[0, p & layout.LOW_MASK] >> layout.ROW_BITS) + high[0, p >> layout.LOW_BITS]
    tally += np.int64(low[0, s & layout.LOW_MASK] >> layout.ROW_BITS) + high[0, s >> layout.LOW_BITS]
    return tally + (low[1, z & layout.LOW_MASK] >> layout.ROW_BITS) + high[1, z >> layout.LOW_BITS]


@jit
def _pairs_missing(tally):
    """Return the tiles missing for seven different pairs."""
    return 7 - (tally >> layout.TALLY_PAIRS & 7) + max(0, 7 - (tally >> layout.TALLY_KINDS & 15))


@jit
def _orphans_missing(tally):
    """Return the tiles missing for thirteen orphans: one of each terminal and honor, and one more of any of them."""
    return 14 - (tally >> layout.TALLY_ORPHANS & 15) - min(1, tally >> layout.TALLY_ORPHAN_PAIRS)


@jit
def _missing(lookup, m, p, s, z, n_melds):
    """Return the tiles missing for a complete hand of any form, from the keys of the suits."""
    product = lookup["product"]
    left = product[suit_class(lookup, 0, m), suit_class(lookup, 0, p)]
    right = product[suit_class(lookup, 0, s), suit_class(lookup, 3, z)]
    missing = np.int64(lookup["missing"][SETS - n_melds, product[left, right]])
    if n_melds == 0:
        tally = _tally(lookup, m, p, s, z)
        missing = min(missing, _pairs_missing(tally), _orphans_missing(tally))
    return missing


@jit
def shanten_of_keys(lookup, keys, n_melds):
    """Return the shanten, over all forms, of the hand with these four suit keys; -1 is complete."""
    return _missing(lookup, np.int64(keys[0]), np.int64(keys[1]), np.int64(keys[2]), np.int64(keys[3]), n_melds) - 1


@jit
def shanten(lookup, hand, n_melds):
    """Return the shanten, over all forms, of a hand of 3n+1 or 3n+2 tiles; -1 is complete."""
    return _missing(lookup, suit_key(hand, 0), suit_key(hand, 1), suit_key(hand, 2), suit_key(hand, 3), n_melds) - 1


@jit
def is_complete(lookup, hand, n_melds):
    """Return whether a hand of 3n+2 tiles is complete in any form."""
    return shanten(lookup, hand, n_melds) == COMPLETE


@jit
def held_masks(hand):
    """Return the masks of the kinds held once or more, and twice or more."""
    held = np.int64(0)
    twice = np.int64(0)
    for kind in range(KINDS):
        held |= np.int64(hand[kind] > 0) << kind
        twice |= np.int64(hand[kind] > 1) << kind
    return held, twice


@jit
def _special_accepted(tally, held, twice):
    """Return the tiles missing for the nearer of seven pairs and thirteen orphans, and the kinds that reduce it."""
    pairs, orphans = _pairs_missing(tally), _orphans_missing(tally)
    accepted = np.int64(0)
    if pairs <= orphans:
        short_of_kinds = (tally >> layout.TALLY_KINDS & 15) < 7
        accepted |= ALL_KINDS & ~twice if short_of_kinds else held & ~twice
    if orphans <= pairs:
        has_pair = tally >> layout.TALLY_ORPHAN_PAIRS > 0
        accepted |= TERMINALS_AND_HONORS & ~held if has_pair else np.int64(TERMINALS_AND_HONORS)
    return min(pairs, orphans), accepted


@jit
def _fill_suits(lookup, hand, keys, classes):
    """Write the four keys and classes of a hand."""
    for suit in range(SUITS):
        keys[suit] = suit_key(hand, suit)
        classes[suit] = suit_class(lookup, suit, keys[suit])


@jit
def _others(lookup, classes, suit):
    """Return the class of the other three suits together."""
    product = lookup["product"]
    return product[product[classes[suit ^ 1], classes[suit ^ 2]], classes[suit ^ 3]]


@jit
def accepted(lookup, hand, n_melds):
    """Return the mask of kinds that lower the shanten of a hand of 3n+1 tiles."""
    sets = SETS - n_melds
    keys, classes = np.empty(SUITS, np.int64), np.empty(SUITS, np.uint8)
    _fill_suits(lookup, hand, keys, classes)
    special, special_mask = np.int64(NO_SHANTEN), np.int64(0)
    if n_melds == 0:
        held, twice = held_masks(hand)
        special, special_mask = _special_accepted(_tally(lookup, keys[0], keys[1], keys[2], keys[3]), held, twice)
    normal = np.int64(lookup["missing"][sets, lookup["product"][_others(lookup, classes, 0), classes[0]]])
    mask = special_mask if special <= normal else np.int64(0)
    if normal <= special:
        for suit in range(SUITS):
            others = _others(lookup, classes, suit)
            for kind in range(9 * suit, min(9 * suit + 9, KINDS)):
                if hand[kind] < COPIES:
                    drawn = suit_class(lookup, suit, keys[suit] + KEY_STEP[kind])
                    mask |= np.int64(lookup["missing"][sets, lookup["product"][others, drawn]] < normal) << kind
    return mask


@jit
def waits(lookup, hand, n_melds):
    """Return the mask of kinds that complete a hand of 3n+1 tiles; 0 if it is not tenpai."""
    if shanten(lookup, hand, n_melds) != TENPAI:
        return np.int64(0)
    return accepted(lookup, hand, n_melds)


@jit
def _search_tenpai_discards(lookup, hand, n_melds):
    keys = np.empty(SUITS, np.int64)
    for suit in range(SUITS):
        keys[suit] = suit_key(hand, suit)
    mask = np.int64(0)
    for kind in range(KINDS):
        if hand[kind] > 0:
            keys[kind // 9] -= KEY_STEP[kind]
            mask |= np.int64(shanten_of_keys(lookup, keys, n_melds) == TENPAI) << kind
            keys[kind // 9] += KEY_STEP[kind]
    return mask


@jit
def tenpai_discards_of_keys(lookup, hand, keys, n_melds):
    """Return the mask of kinds whose discard leaves a hand of 3n+2 tiles with these suit keys tenpai."""
    if shanten_of_keys(lookup, keys, n_melds) > TENPAI:
        return np.int64(0)
    return _search_tenpai_discards(lookup, hand, n_melds)


@jit
def tenpai_discards(lookup, hand, n_melds):
    """Return the mask of kinds whose discard leaves a hand of 3n+2 tiles tenpai; 0 if there are none."""
    if shanten(lookup, hand, n_melds) > TENPAI:
        return np.int64(0)
    return _search_tenpai_discards(lookup, hand, n_melds)


@jit
def _accepted_elsewhere(lookup, classes, drawn, suit, after, sets, normal):
    """Return the kinds outside `suit`, whose class is now `after`, that leave fewer than `normal` tiles missing."""
    product, missing = lookup["product"], lookup["missing"]
    mask = np.int64(0)
    for turned in range(1, SUITS):
        other, third, fourth = suit ^ turned, suit ^ (turned % 3 + 1), suit ^ ((turned + 1) % 3 + 1)
        around = product[product[classes[third], classes[fourth]], after]
        for kind in range(9 * other, min(9 * other + 9, KINDS)):
            mask |= np.int64(missing[sets, product[around, drawn[kind]]] < normal) << kind
    return mask


@jit
def _special_after_discard(tally, held, twice, kind, count):
    """Return `_special_accepted` after discarding a kind of which the hand holds `count` tiles."""
    bit = np.int64(1) << kind
    orphan = TERMINALS_AND_HONORS >> kind & 1
    if count == 1:
        tally -= 1 << layout.TALLY_KINDS | orphan << layout.TALLY_ORPHANS
        held &= ~bit
    elif count == 2:
        tally -= 1 << layout.TALLY_PAIRS | orphan << layout.TALLY_ORPHAN_PAIRS
        twice &= ~bit
    return _special_accepted(tally, held, twice)


@jit
def accepted_by_discard(lookup, hand, n_melds, remaining, out_mask, out_count, out_shanten):
    """Write the shanten and accepted tiles after each possible discard from a hand of 3n+2 tiles.

    `remaining` u8[34] is how many tiles of each kind may still come. For each kind, `out_shanten` i1[34] gets the
    shanten after its discard, `out_mask` i8[34] the kinds that then lower it, and `out_count` i4[34] how many tiles of
    these kinds remain. A kind that is not in the hand gets NO_SHANTEN, no kinds and 0.
    """
    sets = SETS - n_melds
    product, missing = lookup["product"], lookup["missing"]
    keys, classes = np.empty(SUITS, np.int64), np.empty(SUITS, np.uint8)
    _fill_suits(lookup, hand, keys, classes)
    drawn = np.empty(KINDS, np.uint8)  # class of a kind's suit after drawing it, unless all four are held
    for kind in range(KINDS):
        step = KEY_STEP[kind] if hand[kind] < COPIES else 0
        drawn[kind] = suit_class(lookup, kind // 9, keys[kind // 9] + step)
    tally = _tally(lookup, keys[0], keys[1], keys[2], keys[3])
    held, twice = held_masks(hand)
    normal_now = missing[sets, product[_others(lookup, classes, 0), classes[0]]]
    special_now = min(_pairs_missing(tally), _orphans_missing(tally))
    special_matters = n_melds == 0 and special_now <= normal_now + 1  # a discard adds at most one to either

    known = np.empty(KINDS, np.uint8)  # class of a kind's suit after discarding it, if `elsewhere` is known for it
    elsewhere = np.empty(KINDS, np.int64)
    for suit in range(SUITS):
        first, last = 9 * suit, min(9 * suit + 9, KINDS)
        rest = _others(lookup, classes, suit)
        for kind in range(first, last):
            out_mask[kind], out_count[kind], out_shanten[kind] = 0, 0, NO_SHANTEN
            known[kind] = NO_CLASS
            if hand[kind] == 0:
                continue
            key = keys[suit] - KEY_STEP[kind]
            after = suit_class(lookup, suit, key)
            normal = np.int64(missing[sets, product[rest, after]])
            special, mask = np.int64(NO_SHANTEN), np.int64(0)
            if special_matters:
                special, mask = _special_after_discard(tally, held, twice, kind, hand[kind])
            if special > normal:
                mask = np.int64(0)
            if normal <= special:
                same = first  # what the other suits accept depends only on the class
                while same < kind and known[same] != after:
                    same += 1
                if same == kind:
                    known[kind] = after
                    elsewhere[kind] = _accepted_elsewhere(lookup, classes, drawn, suit, after, sets, normal)
                else:
                    elsewhere[kind] = elsewhere[same]
                mask |= elsewhere[kind]
                for draw in range(first, last):
                    if hand[draw] < COPIES or draw == kind:
                        redrawn = suit_class(lookup, suit, key + KEY_STEP[draw])
                        mask |= np.int64(missing[sets, product[rest, redrawn]] < normal) << draw
            count = 0
            for draw in range(KINDS):
                count += (mask >> draw & 1) * remaining[draw]
            out_mask[kind], out_count[kind], out_shanten[kind] = mask, count, min(normal, special) - 1
