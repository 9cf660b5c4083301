"""The value of a hand: plans for it, its chance to win, and the points it would win.

A plan is a way to a yaku. A closed hand needs none, since it can declare riichi; an open one follows a plan that its
melds allow: a triplet with a yaku that it already has, all simples, a half flush, or all triplets.
"""

import numpy as np

from simulator.jit import jit
from simulator.shanten import NO_SHANTEN, accepted, accepted_by_discard, shanten
from simulator.tiles import ALL_KINDS, EAST, HONORS, KINDS, TERMINALS_AND_HONORS

PLAN_FREE, PLAN_SIMPLES, PLAN_FLUSH_M, PLAN_FLUSH_P, PLAN_FLUSH_S, PLAN_TRIPLETS = range(6)
PLANS = 6
#: For each plan, the mask of kinds that the hand may hold.
PLAN_KINDS = np.array(
    [ALL_KINDS, ALL_KINDS & ~TERMINALS_AND_HONORS, HONORS | 511, HONORS | 511 << 9, HONORS | 511 << 18, ALL_KINDS]
)
#: Limits for considering a plan: most tiles that do not fit (simples, flush), fewest triplets and pairs (all triplets).
_MOST_MISFITS_SIMPLES, _MOST_MISFITS_FLUSH, _LEAST_TRIPLET_BLOCKS = 4, 4, 5

_MOST_SHANTEN, _MOST_COUNT, _MOST_DRAWS = 6, 80, 19
# Each draw also counts for the chances to win on or call the discards of the other three seats.
_RON_CLOSED, _RON_OPEN, _CALLS = 1.0, 1.5, 0.6
_FURITEN = 0.45
# Far from tenpai, not every accepted tile makes a good shape, and beyond _GOOD_COUNT additional ones help less.
_NEARER = (1.0, 0.45, 0.25, 0.25, 0.25, 0.25, 0.25)
_GOOD_COUNT = 16


def _chances() -> np.ndarray:
    """Return f8[2, shanten, count, draws]: the chance that a closed or open hand wins before the other seats do.

    Computed draw by draw: with `count` accepted tiles among the unseen ones, either shanten falls by one, and the
    hand then accepts as many tiles as hands do on average, or another seat wins, or neither happens.
    """
    table = np.zeros((2, _MOST_SHANTEN + 1, _MOST_COUNT, _MOST_DRAWS))
    counts = np.arange(_MOST_COUNT)
    then = [counts, np.clip(2 + 0.22 * counts, 2, 8), np.clip(4 + 0.4 * counts, 6, 22), 8 + 0.4 * counts]
    for is_open, ron in enumerate((_RON_CLOSED, _RON_OPEN)):
        for away in range(_MOST_SHANTEN + 1):
            claims = ron if away == 0 else _CALLS * is_open
            useful = np.minimum(counts, _GOOD_COUNT + 0.1 * (counts - _GOOD_COUNT))
            for draws in range(1, _MOST_DRAWS):
                unseen = 51 + 4 * draws
                nearer = np.minimum(useful * (1 + claims) / unseen, 0.9) * _NEARER[away]
                others_win = 0.01 + 0.10 * (1 - draws / _MOST_DRAWS)
                after = 1.0
                if away:
                    after = np.interp(then[min(away, 3)], counts, table[is_open, away - 1, :, draws - 1])
                going_on = (1 - nearer) * (1 - others_win) * table[is_open, away, :, draws - 1]
                table[is_open, away, :, draws] = nearer * after + going_on
    return table


CHANCES = _chances()

# Average points of a win by its han; fractional han are interpolated.
_POINTS = np.array(
    [300.0, 1300.0, 2600.0, 5000.0, 7700.0, 8700.0, 12000.0, 13000.0, 16000.0, 16500.0, 18000.0, 24000.0]
)
_DEALER_POINTS = 1.5
# Average han that a closed hand gets from riichi, tsumo, ippatsu and ura dora.
RIICHI_HAN = 1.9
_SIMPLES_BY_MISFITS = np.array([1.0, 0.5, 0.2])
_FLUSH_BY_MISFITS = np.array([3.0, 0.9, 0.4])
_YAKU_PAIR = 0.35
_LONE_DORA = 0.5
_TENPAI_POINTS = 900.0


@jit
def chance(is_open, away, count, draws):
    """Return a hand's chance to win, by its shanten, number of accepted tiles and draws left."""
    return CHANCES[is_open, min(away, _MOST_SHANTEN), min(count, _MOST_COUNT - 1), draws]


@jit
def points(sight, han):
    """Return the points of a win with a (fractional) number of han, including bets and repeat counters."""
    han = min(max(han, 0.0), len(_POINTS) - 1.001)
    whole = int(han)
    value = _POINTS[whole] + (han - whole) * (_POINTS[whole + 1] - _POINTS[whole])
    return value * (_DEALER_POINTS if sight["dealer"] else 1.0) + sight["stakes"]


@jit
def _tiles_outside(sight, kinds):
    tiles = 0
    for kind in range(KINDS):
        if not kinds >> kind & 1:
            tiles += sight["hand"][kind]
    return tiles


@jit
def _triplets_and_pairs(sight):
    triplets, pairs = np.int64(sight["n_melds"]), np.int64(0)
    for kind in range(KINDS):
        triplets += sight["hand"][kind] >= 3
        pairs += sight["hand"][kind] == 2
    return triplets, pairs


@jit
def yakuhai_triplets(sight):
    """Return the mask of kinds of which the concealed hand has a triplet that is a yaku."""
    mask = np.int64(0)
    for kind in range(EAST, KINDS):
        if sight["hand"][kind] >= 3:
            mask |= np.int64(1) << kind
    return mask & sight["yakuhai"]


@jit
def plans(sight, open_tanyao):
    """Return the plans worth considering for the hand and melds in sight, one bit each."""
    melds = np.int64(sight["meld_kinds"])
    is_open = sight["n_open"] > 0
    plan_bits = 0
    if not is_open or sight["meld_yaku"] or yakuhai_triplets(sight):
        plan_bits |= 1 << PLAN_FREE
    if is_open and open_tanyao and not melds & TERMINALS_AND_HONORS:
        if _tiles_outside(sight, PLAN_KINDS[PLAN_SIMPLES]) <= _MOST_MISFITS_SIMPLES:
            plan_bits |= 1 << PLAN_SIMPLES
    for plan in range(PLAN_FLUSH_M, PLAN_FLUSH_S + 1):
        if not melds & ~PLAN_KINDS[plan] and _tiles_outside(sight, PLAN_KINDS[plan]) <= _MOST_MISFITS_FLUSH:
            plan_bits |= 1 << plan
    if is_open and not sight["chows"]:
        triplets, pairs = _triplets_and_pairs(sight)
        if triplets + pairs >= _LEAST_TRIPLET_BLOCKS:
            plan_bits |= 1 << PLAN_TRIPLETS
    return plan_bits


@jit
def _count_unseen(sight, mask):
    count = 0
    for kind in range(KINDS):
        count += (mask >> kind & 1) * sight["unseen"][kind]
    return count


@jit
def _triplets_away(sight):
    """Return shanten and accepted kinds of a hand that aims for four triplets and a pair."""
    triplets, pairs = _triplets_and_pairs(sight)
    mask = np.int64(0)
    for kind in range(KINDS):
        held = sight["hand"][kind]
        if (held == 2 and triplets < 4) or (held == 1 and triplets + pairs < 5):
            mask |= np.int64(1) << kind
    return 8 - 2 * triplets - min(pairs, 5 - triplets), mask


@jit
def _after_triplets(sight):
    """Write shanten and accepted tiles after each discard of a hand that aims for four triplets and a pair."""
    hand = sight["hand"]
    for kind in range(KINDS):
        sight["shanten"][kind], sight["accepted"][kind], sight["count"][kind] = NO_SHANTEN, 0, 0
        if hand[kind]:
            hand[kind] -= 1
            away, mask = _triplets_away(sight)
            hand[kind] += 1
            sight["shanten"][kind], sight["accepted"][kind] = away, mask
            sight["count"][kind] = _count_unseen(sight, mask)


@jit
def _lay_out(sight, plan):
    """Write the tiles of the hand that fit a plan into `planned`; return the mask of the kinds that do not."""
    misfits = np.int64(0)
    for kind in range(KINDS):
        fits = PLAN_KINDS[plan] >> kind & 1
        sight["planned"][kind] = sight["hand"][kind] * fits
        misfits |= np.int64(sight["hand"][kind] > 0 and not fits) << kind
    return misfits


@jit
def _planned_away(lookup, sight, plan):
    """Return shanten, accepted kinds and number of accepted tiles of the `planned` hand (3n+1 tiles or fewer)."""
    n_melds = np.int64(sight["n_melds"])
    away = shanten(lookup, sight["planned"], n_melds)
    mask = accepted(lookup, sight["planned"], n_melds) & PLAN_KINDS[plan]
    return away, mask, _count_unseen(sight, mask)


@jit
def standing(lookup, sight, plan):
    """Return shanten, accepted kinds and number of accepted tiles of a hand of 3n+1 tiles within a plan."""
    if plan == PLAN_TRIPLETS:
        away, mask = _triplets_away(sight)
        return away, mask, _count_unseen(sight, mask)
    _lay_out(sight, plan)
    return _planned_away(lookup, sight, plan)


@jit
def fill_discards(lookup, sight, plan):
    """Write into sight shanten and accepted tiles after each discard of a hand of 3n+2 tiles, within a plan."""
    if plan == PLAN_TRIPLETS:
        _after_triplets(sight)
        return
    misfits = _lay_out(sight, plan)
    accepted_by_discard(
        lookup,
        sight["planned"],
        np.int64(sight["n_melds"]),
        sight["unseen"],
        sight["accepted"],
        sight["count"],
        sight["shanten"],
    )
    if plan == PLAN_FREE:
        return
    for kind in range(KINDS):
        if sight["planned"][kind]:
            sight["accepted"][kind] &= PLAN_KINDS[plan]
            sight["count"][kind] = _count_unseen(sight, sight["accepted"][kind])
    if misfits:
        away, mask, count = _planned_away(lookup, sight, plan)
        for kind in range(KINDS):
            if misfits >> kind & 1:
                sight["shanten"][kind], sight["accepted"][kind], sight["count"][kind] = away, mask, count


@jit
def is_lone(hand, kind):
    """Return whether the hand holds exactly one tile of a kind and none within two steps of it."""
    if hand[kind] != 1:
        return False
    if kind >= EAST:
        return True
    place = kind % 9
    near = 0
    for step in range(max(-2, -place), min(2, 8 - place) + 1):
        near += hand[kind + step]
    return near == 1


@jit
def base_han(sight, plan):
    """Return the expected han of a hand within a plan, before subtracting what a discard gives up (`han_lost`)."""
    kinds = PLAN_KINDS[plan]
    hand = sight["hand"]
    han = float(sight["meld_dora"] + sight["meld_yaku"])
    for kind in range(KINDS):
        if hand[kind] and kinds >> kind & 1:
            if sight["dora"][kind]:
                han += float(sight["dora"][kind] * hand[kind]) * (_LONE_DORA if is_lone(hand, kind) else 1.0)
            if sight["red"] >> kind & 1:
                han += _LONE_DORA if is_lone(hand, kind) else 1.0
            if sight["yakuhai"] >> kind & 1:
                if hand[kind] >= 3:
                    han += 1.0
                elif hand[kind] == 2 and sight["unseen"][kind]:
                    han += _YAKU_PAIR
    closed = sight["n_open"] == 0
    if closed:
        han += RIICHI_HAN
    if plan == PLAN_SIMPLES:
        han += 1.0
    elif plan == PLAN_TRIPLETS:
        han += 2.0
    elif plan != PLAN_FREE:
        han += 3.0 if closed else 2.0
    return han


@jit
def han_lost(sight, plan, kind):
    """Return how much of `base_han` is given up by discarding a kind."""
    if not PLAN_KINDS[plan] >> kind & 1:
        return 0.0
    hand = sight["hand"]
    part = _LONE_DORA if is_lone(hand, kind) else 1.0
    lost = float(sight["dora"][kind]) * part
    if sight["red"] >> kind & 1 and hand[kind] == 1:
        lost += part
    if sight["yakuhai"] >> kind & 1:
        if hand[kind] == 3:
            lost += 1.0 - _YAKU_PAIR
        elif hand[kind] == 2 and sight["unseen"][kind]:
            lost += _YAKU_PAIR
    return lost


@jit
def shape_han(sight, not_simple, not_flush, kind):
    """Return the expected han from all simples or a flush of a hand without plan, after discarding `kind` (-1: none).

    `not_simple` and `not_flush` are what `misfits` returns.
    """
    han = 0.0
    left = not_simple - (kind >= 0 and TERMINALS_AND_HONORS >> kind & 1)
    melds = np.int64(sight["meld_kinds"])
    if left < len(_SIMPLES_BY_MISFITS) and not melds & TERMINALS_AND_HONORS and sight["n_open"] == 0:
        han += _SIMPLES_BY_MISFITS[left]
    for suit in range(3):
        plan = PLAN_FLUSH_M + suit
        left = not_flush[suit] - (kind >= 0 and not PLAN_KINDS[plan] >> kind & 1)
        if left < len(_FLUSH_BY_MISFITS) and not melds & ~PLAN_KINDS[plan]:
            han += _FLUSH_BY_MISFITS[left] - (1.0 if sight["n_open"] and left == 0 else 0.0)
    return han


@jit
def keeping(sight, kind):
    """Return how much a tile is worth keeping, 0 to about 5: by its neighbors, held or unseen, and its place.

    It decides between discards that are otherwise about equal.
    """
    hand = sight["hand"]
    company = 1.5 * (hand[kind] - 1)
    if kind >= EAST:
        if sight["yakuhai"] >> kind & 1:
            company += 0.2 * sight["unseen"][kind]
        return company + 0.1 * sight["unseen"][kind]
    place = kind % 9
    for step in (-2, -1, 1, 2):
        if 0 <= place + step <= 8:
            weight = 1.0 if step * step == 1 else 0.6
            company += weight * (hand[kind + step] > 0) + 0.1 * weight * sight["unseen"][kind + step]
    return company + 0.2 * min(place, 8 - place)


@jit
def misfits(sight):
    """Return the number of tiles that do not fit all simples, and that do not fit a flush of each suit."""
    in_suits = np.zeros(4, np.int64)
    inner = 0
    for kind in range(KINDS):
        in_suits[kind // 9] += sight["hand"][kind]
        inner += sight["hand"][kind] * (1 - (TERMINALS_AND_HONORS >> kind & 1))
    tiles = in_suits[0] + in_suits[1] + in_suits[2] + in_suits[3]
    for suit in range(3):
        in_suits[suit] = tiles - in_suits[suit] - in_suits[3]
    return tiles - inner, in_suits


@jit
def is_furiten(sight, mask, kind):
    """Return whether a hand that waits on `mask` after discarding `kind` is furiten by its own discards."""
    return mask & (sight["own_river"] | np.int64(1) << kind) != 0


@jit
def hand_value(sight, is_open, away, count, furiten, han):
    """Return a hand's value in points: its chance to win times what it wins, plus payments for tenpai at a draw."""
    draws = np.int64(sight["draws"])
    won = chance(is_open, away, count, draws)
    if furiten:
        won *= _FURITEN
    value = won * points(sight, han)
    if away == 0:
        value += (1.0 - won) * _TENPAI_POINTS * 0.9**draws
    return value
