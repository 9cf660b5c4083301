"""Encode which kinds are safe against whom: safe tiles (genbutsu), suji, no chance and one chance (kabe)."""

import numpy as np

from simulator.jit import jit
from simulator.players.sight import safe_kinds
from simulator.record import SEATS
from simulator.scoring.blocks import bit_count
from simulator.tiles import ALL_KINDS, HONORS
from suphx.features import at
from suphx.features.layout import LINE_STEPS, RIVER_PLACES, SAFE_STEPS
from suphx.features.planes import at_least, count_in, read_nested


def _numbers(first: int, last: int) -> int:
    """Return the kinds of all suits whose number, 1..9, is in a range."""
    return sum(1 << (9 * suit + n - 1) for suit in range(3) for n in range(first, last + 1))


_SUITED = ALL_KINDS & ~HONORS
_FROM_4, _UP_TO_6, _MIDDLE = _numbers(4, 9), _numbers(1, 6), _numbers(4, 6)
_INNER, _THREES, _SEVENS = _numbers(2, 8), _numbers(3, 3), _numbers(7, 7)
_FROM_2_TO_4, _FROM_3_TO_4, _FOURS = _numbers(2, 4), _numbers(3, 4), _numbers(4, 4)
_FROM_6_TO_8, _FROM_6_TO_7, _SIXES = _numbers(6, 8), _numbers(6, 7), _numbers(6, 6)
_EARLY = 5


@jit
def _two_sided(safe, left):
    """Return the kinds that can be waited for two-sided, with the two kinds below, and with the two kinds above.

    safe: kinds that the seat cannot win on, which rule out both ends of a wait; left: kinds with unseen tiles.
    """
    below = _FROM_4 & ~(safe << 3) & left << 1 & left << 2
    above = _UP_TO_6 & ~(safe >> 3) & left >> 1 & left >> 2
    return below, above


@jit
def _outside_of(early):
    """Return the suit kinds on the outer side of discards 2-4 and 6-8."""
    below = (early & _FROM_2_TO_4) >> 1 | (early & _FROM_3_TO_4) >> 2 | (early & _FOURS) >> 3
    above = (early & _FROM_6_TO_8) << 1 | (early & _FROM_6_TO_7) << 2 | (early & _SIXES) << 3
    return below | above


@jit
def _encode_rival(rival, safe, held, left, out):
    """Write what is safe against one rival; `rival`: 0..2, from the right."""
    out[at.safety_safe + rival] = safe
    below, above = _two_sided(safe, np.int64(ALL_KINDS))
    out[at.safety_suji + rival] = _SUITED & ~(below | above)
    out[at.safety_half_suji + rival] = _MIDDLE & (below ^ above)
    below, above = _two_sided(safe, left)
    out[at.safety_below + rival] = below
    out[at.safety_above + rival] = above
    early = np.int64(0)
    first = at.rivers_order + (rival + 1) * RIVER_PLACES
    for n in range(first, first + _EARLY):
        early |= out[n]
    out[at.safety_outside + rival] = _outside_of(early)
    lines = _UP_TO_6 & ~safe & ~(safe >> 3)
    at_least(out, at.safety_lines + rival * len(LINE_STEPS), LINE_STEPS, bit_count(lines))
    at_least(out, at.safety_own + rival * len(SAFE_STEPS), SAFE_STEPS, count_in(held, safe))


@jit
def encode_safety(game, seat, out):
    """Write which kinds are safe; rivers, own hand and tiles left must already be written."""
    held, lefts = read_nested(out, at.hand_count), read_nested(out, at.tiles_left)
    left, twice_left = lefts[0], lefts[1]
    safe = (safe_kinds(game, (seat + 1) & 3), safe_kinds(game, (seat + 2) & 3), safe_kinds(game, (seat + 3) & 3))
    in_riichi, riichi_safe = False, np.int64(ALL_KINDS)
    for rival in range(SEATS - 1):
        _encode_rival(rival, safe[rival], held, left, out)
        if game["riichi"][(seat + 1 + rival) & 3]:
            in_riichi = True
            riichi_safe &= safe[rival]
    below, above = _two_sided(np.int64(0), left)
    below_twice, above_twice = _two_sided(np.int64(0), twice_left)
    no_chance = _SUITED & ~(below | above)
    gaps = _INNER & left << 1 & left >> 1
    edges = _THREES & left << 1 & left << 2 | _SEVENS & left >> 1 & left >> 2
    out[at.safety_no_chance] = no_chance
    out[at.safety_one_chance] = _SUITED & ~(below_twice | above_twice) & ~no_chance
    out[at.safety_no_wait] = ALL_KINDS & ~(below | above | gaps | edges | left)
    out[at.safety_all] = safe[0] & safe[1] & safe[2]
    if in_riichi:
        out[at.safety_riichi] = riichi_safe
        at_least(out, at.safety_riichi_own, SAFE_STEPS, count_in(held, riichi_safe))
