"""The three plans: which real action a player takes who wants to win with a pattern.

A plan wins whenever it can, with any pattern. Otherwise it looks one discard and one draw ahead, as the paper's
heuristic search does: first the tiles that are missing for its pattern, then how many tiles that bring it nearer are
unseen, then how well the discard fits to the rest of the hand.
"""

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES, KEY_STEP
from suphx.equilibrium.duel import table as t
from suphx.equilibrium.duel.patterns import KINDS, NORMAL, PAIRS, missing, more, tally_of
from suphx.equilibrium.duel.table import can_chow, can_kong, can_win, lay, pong_place

#: More than a hand can lack.
_FAR = 99


@jit
def _neighbors(hand, kind):
    """Return how many tiles of a hand are close enough to a kind to make a set with it, itself included."""
    if kind >= 9:
        return 3 * hand[kind]
    near = 3 * hand[kind]
    for other in range(max(0, kind - 2), min(8, kind + 2) + 1):
        near += hand[other] > 0 and other != kind
    return near


@jit
def accepted(lookup, duel, seat, plan, keys, tally, melds, now):
    """Return how many unseen tiles leave fewer than `now` missing.

    keys i64[2], tally: of the hand of 3n+1 tiles in the record.
    """
    hand, count = duel["hand"][seat], 0
    four = duel["four_as_two"]
    for kind in KINDS:
        unseen = COPIES - np.int64(duel["open"][kind]) - hand[kind]
        if unseen <= 0:
            continue
        suit, step = kind // 27, KEY_STEP[kind]
        keys[suit] += step
        count += unseen * (missing(lookup, plan, keys, more(tally, hand[kind], 1), melds, four) < now)
        keys[suit] -= step
    return count


@jit
def best_discard(lookup, duel, seat, plan, melds):
    """Return the discard of a hand of 3n+2 tiles: tiles then missing, unseen tiles that then help, and its kind.

    melds: how many the hand counts as having.
    """
    hand, four = duel["hand"][seat], duel["four_as_two"]
    tally, keys, after = tally_of(hand), np.empty(2, np.int64), np.full(len(KINDS), _FAR)
    keys[0], keys[1] = duel["keys"][seat][0], duel["keys"][seat][1]
    least = np.int64(_FAR)
    for k in range(len(KINDS)):
        kind = KINDS[k]
        if hand[kind] > 0:
            keys[kind // 27] -= KEY_STEP[kind]
            after[k] = missing(lookup, plan, keys, more(tally, hand[kind], -1), melds, four)
            keys[kind // 27] += KEY_STEP[kind]
            least = min(least, after[k])
    chosen, most, fits = np.int64(-1), np.int64(-1), np.int64(_FAR)
    for k in range(len(KINDS)):
        if after[k] != least:
            continue
        kind = KINDS[k]
        left = more(tally, hand[kind], -1)
        keys[kind // 27] -= KEY_STEP[kind]
        hand[kind] -= 1
        duel["open"][kind] += 1  # what was discarded is no longer unseen
        count = accepted(lookup, duel, seat, plan, keys, left, melds, least)
        duel["open"][kind] -= 1
        hand[kind] += 1
        keys[kind // 27] += KEY_STEP[kind]
        near = _neighbors(hand, kind)
        if count > most or (count == most and near < fits):
            chosen, most, fits = kind, count, near
    return least, most, chosen


@jit
def _now(lookup, duel, seat, plan, melds):
    """Return the tiles that the hand lacks as it is."""
    keys = duel["keys"][seat]
    return missing(lookup, plan, keys, tally_of(duel["hand"][seat]), melds, duel["four_as_two"])


@jit
def _lay_chow(duel, seat, place, by):
    tile = np.int64(duel["tile"])
    for k in range(3):
        if k != place:
            lay(duel, seat, tile - place + k, by)


@jit
def _answer(lookup, duel, plan):
    """Return the claim that leaves fewer tiles missing than passing does, or PASS.

    A kong need only leave as many: it is paid with another draw.
    """
    seat, tile = duel["mover"], np.int64(duel["tile"])
    hand, melds = duel["hand"][seat], duel["melds"][seat]
    now = _now(lookup, duel, seat, plan, melds)
    chosen, least, most = t.PASS, now, np.int64(-1)
    if hand[tile] >= 3 and duel["front"] < duel["back"]:
        lay(duel, seat, tile, 3)
        after = _now(lookup, duel, seat, plan, melds + 1)
        lay(duel, seat, tile, -3)
        if after <= now:
            return t.KONG
    if hand[tile] >= 2:
        lay(duel, seat, tile, 2)
        after, count, _ = best_discard(lookup, duel, seat, plan, melds + 1)
        lay(duel, seat, tile, -2)
        if after < least:
            chosen, least, most = t.PONG, after, count
    if plan == NORMAL:
        for place in range(3):
            if can_chow(duel, place):
                _lay_chow(duel, seat, place, 1)
                after, count, _ = best_discard(lookup, duel, seat, plan, melds + 1)
                _lay_chow(duel, seat, place, -1)
                if after < least or (after == least and after < now and count > most):
                    chosen, least, most = t.CHOW + place, after, count
    return chosen


@jit
def _own_kong(lookup, duel, plan):
    """Return a kong that does not take the hand further away than its best discard would, or PASS."""
    seat = duel["mover"]
    hand, melds = duel["hand"][seat], duel["melds"][seat]
    for kind in KINDS:
        if can_kong(duel, kind):
            is_added = pong_place(duel, seat, kind) >= 0
            least, _, _ = best_discard(lookup, duel, seat, plan, melds)
            tiles = np.int64(hand[kind])
            lay(duel, seat, kind, tiles)
            after = _now(lookup, duel, seat, plan, melds if is_added else melds + 1)
            lay(duel, seat, kind, -tiles)
            if after <= least:
                return t.OWN_KONG + kind
    return t.PASS


@jit
def planned_action(lookup, duel):
    """Return the mover's action by its plan. Without a plan it claims nothing, and discards as for a normal win."""
    plan = duel["plan"][duel["mover"]]
    if duel["phase"] == t.DISCARDING:
        wanted = NORMAL if plan == t.UNDECIDED else plan
        seat = duel["mover"]
        return t.DISCARD + best_discard(lookup, duel, seat, wanted, duel["melds"][seat])[2]
    if can_win(lookup, duel):
        return t.WIN
    if plan == PAIRS or plan == t.UNDECIDED:
        return t.PASS
    return _answer(lookup, duel, plan) if duel["phase"] == t.ANSWER else _own_kong(lookup, duel, plan)
