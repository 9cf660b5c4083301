"""The look-ahead's winning hands that do not consist of sets: seven pairs and thirteen orphans."""

import numpy as np

from simulator.jit import jit
from simulator.scoring.blocks import bit_count
from simulator.shanten import suit_class, suit_key
from simulator.tiles import KINDS, TERMINALS_AND_HONORS
from suphx.features import lookahead_parts as p
from suphx.features.lookahead_worth import worth_of_pairs

_PAIRS = 7
_ORPHANS = 13
_SETS = 4
_YAKUMAN = len(p.STEPS)  # the worth of a yakuman


@jit
def _is_near(search, word):
    """Return whether a winning hand counts: at least one tile drawn, and not too many drawn or replaced."""
    replaced = word >> p.REPLACED_SHIFT & p.TILES_FIELD
    return 0 < word >> p.DRAWN_SHIFT & p.TILES_FIELD <= p.FURTHEST and replaced <= search["most_replaced"]


@jit
def _way_to(search, hand, counts):
    """Return (WORD, kinds drawn, kinds replaced) for a winning hand u8[34]; WORD is NEVER if it is out of reach."""
    word, drawn, replaced = np.int64(0), np.int64(0), np.int64(0)
    for kind in range(KINDS):
        step = search["step"][kind, counts[kind]]
        if step == p.NEVER:
            return np.int64(p.NEVER), drawn, replaced
        word += step
        drawn |= np.int64(counts[kind] > hand[kind]) << kind
        replaced |= np.int64(counts[kind] < hand[kind]) << kind
    return (word if _is_near(search, word) else np.int64(p.NEVER)), drawn, replaced


@jit
def _divides(lookup, counts):
    """Return whether 14 tiles u8[34] divide into four sets and a pair."""
    product = lookup["product"]
    left = product[suit_class(lookup, 0, suit_key(counts, 0)), suit_class(lookup, 1, suit_key(counts, 1))]
    right = product[suit_class(lookup, 2, suit_key(counts, 2)), suit_class(lookup, 3, suit_key(counts, 3))]
    return lookup["missing"][_SETS, product[left, right]] == 0


@jit
def _add_pairs(lookup, search, hand, chosen, own, rules, win):
    """Count seven pairs of the chosen kinds, unless the hand also divides into sets, which is counted elsewhere."""
    counts = np.empty(KINDS, np.uint8)
    for kind in range(KINDS):
        counts[kind] = 2 * (chosen >> kind & 1)
    word, drawn, replaced = _way_to(search, hand, counts)
    if word != p.NEVER and not _divides(lookup, counts):
        worth = worth_of_pairs(chosen, word >> p.HAN_SHIFT & p.HAN_FIELD, own, rules, win)
        p.count_hand(search, word, drawn, replaced, worth)


@jit
def _held_kinds(hand, kinds):
    """Write the kinds held, in order; return how many there are, and how many of them are held at least twice."""
    n_kinds, pairs = 0, 0
    for kind in range(KINDS):
        if hand[kind]:
            kinds[n_kinds] = kind
            n_kinds += 1
            pairs += 1 if hand[kind] > 1 else 0
    return n_kinds, pairs


@jit
def add_seven_pairs(lookup, search, hand, own, rules, win):
    """Count every seven pairs hand near a hand without melds: pairs of kinds held, and at most one of a new kind."""
    kinds = np.empty(KINDS, np.int64)
    n_kinds, pairs = _held_kinds(hand, kinds)
    if _PAIRS - pairs + max(0, _PAIRS - n_kinds) > p.FURTHEST:
        return
    chosen, words = np.zeros(n_kinds + 2, np.int64), np.zeros(n_kinds + 2, np.int64)
    places = np.zeros(n_kinds + 2, np.int64)
    waiting = 1
    while waiting:
        waiting -= 1
        mask, word, place = chosen[waiting], words[waiting], places[waiting]
        missing = _PAIRS - bit_count(mask)
        if place == n_kinds:
            if missing == 0:
                _add_pairs(lookup, search, hand, mask, own, rules, win)
            elif missing == 1:
                for kind in range(KINDS):
                    if hand[kind] == 0:
                        _add_pairs(lookup, search, hand, mask | np.int64(1) << kind, own, rules, win)
            continue
        for count in range(0, 4, 2):
            after = word + search["step"][kinds[place], count]
            near = after >> p.DRAWN_SHIFT & p.TILES_FIELD <= p.FURTHEST
            near = near and after >> p.REPLACED_SHIFT & p.TILES_FIELD <= search["most_replaced"]
            if search["step"][kinds[place], count] != p.NEVER and near:
                chosen[waiting], words[waiting] = mask | np.int64(count >> 1) << kinds[place], after
                places[waiting] = place + 1
                waiting += 1


@jit
def add_orphans(search, hand):
    """Count every thirteen orphans hand near a hand without melds."""
    different = 0
    for kind in range(KINDS):
        different += 1 if hand[kind] and TERMINALS_AND_HONORS >> kind & 1 else 0
    if _ORPHANS - different > p.FURTHEST:
        return
    counts = np.zeros(KINDS, np.uint8)
    for kind in range(KINDS):
        counts[kind] = TERMINALS_AND_HONORS >> kind & 1
    for twice in range(KINDS):
        if counts[twice]:
            counts[twice] = 2
            word, drawn, replaced = _way_to(search, hand, counts)
            counts[twice] = 1
            if word != p.NEVER:
                p.count_hand(search, word, drawn, replaced, _YAKUMAN)
