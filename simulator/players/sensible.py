"""`sensible`: a rule-based player of decent strength, and simpler players made of the same parts.

For every discard it weighs the value in points of the remaining hand (`worth`: its chance to win, by shanten and
accepted tiles, times what it would win) against the expected loss in points of the discarded tile (`sight`: who may
be waiting for it). Folding against a riichi, calling and declaring riichi all follow from comparing such numbers. It
uses only what its seat sees; the random seed only breaks ties between equally good tiles.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.legal import swap_forbidden
from simulator.moves import is_red_tile
from simulator.players import worth
from simulator.players.sight import SIGHT, look, see_own, triplet_yaku
from simulator.scoring.blocks import bit_count
from simulator.shanten import held_masks, shanten
from simulator.tiles import KINDS, TERMINALS_AND_HONORS
from simulator.walls import below, decision_key

#: Habits, one bit each; leaving one out gives a simpler player.
FOLDS, CALLS = 1, 2
ALL_HABITS = FOLDS | CALLS

# How strongly the threat of other seats reduces a hand's value, by its shanten: the cost of pushing on.
_CAUTION = np.array([0.15, 1.2, 4.0, 10.0])
# Fraction of a hand's value lost for each point of `keeping` of the discarded tile.
_KEEPING = 0.03
_NOTHING = -1e9
# The value after a call must be at least this many times the value without it.
_CALL_MARGIN = 1.15
_BET = 1000.0
# Average han from tsumo and the like that a closed hand still gets without riichi.
_DAMATEN_HAN = 0.3
# Fraction of a closed tenpai hand's value that remains without riichi if only a tsumo has a yaku.
_DRAW_ONLY = 0.4
# Threat above which a hand that is not tenpai declares no kong.
_KONG_THREAT = 0.4
# A hand with nine terminals is played on if it has at least this many kinds of them, or at most this shanten.
_ORPHAN_KINDS, _NEAR_SHANTEN = 11, 2


@jit
def _push(sight, away):
    """Return the fraction of a hand's value that remains when other seats threaten to win."""
    return 1.0 / (1.0 + _CAUTION[min(away, len(_CAUTION) - 1)] * sight["threat"])


@jit
def _discard_value(sight, plan, kind, han):
    """Return the value in points, within a plan, of the hand after discarding a kind."""
    away = np.int64(sight["shanten"][kind])
    furiten = away == 0 and worth.is_furiten(sight, sight["accepted"][kind], kind)
    is_open = 1 if sight["n_open"] else 0
    value = worth.hand_value(sight, is_open, away, np.int64(sight["count"][kind]), furiten, han)
    return value * _push(sight, away) * (1.0 - _KEEPING * worth.keeping(sight, kind))


@jit
def _best_discard(lookup, sight, plan_bits, kinds, key):
    """Return the best discard among `kinds`, its score, its plan and the shanten after it.

    `plan_bits`: bit mask of the plans to consider; with none, the hand cannot win.
    """
    best, best_score, best_plan, best_away = -1, _NOTHING, worth.PLAN_FREE, 0
    not_simple, not_flush = worth.misfits(sight)
    first = below(key, 0, KINDS)
    for plan in range(worth.PLANS):
        if not (plan_bits >> plan & 1 or (plan == worth.PLAN_FREE and plan_bits == 0)):
            continue
        worth.fill_discards(lookup, sight, plan)
        base = worth.base_han(sight, plan)
        for place in range(KINDS):
            kind = (first + place) % KINDS
            if not kinds >> kind & 1:
                continue
            han = 0.0
            if plan_bits:
                han = base - worth.han_lost(sight, plan, kind)
                if plan == worth.PLAN_FREE:
                    han += worth.shape_han(sight, not_simple, not_flush, kind)
            score = _discard_value(sight, plan, kind, han) - sight["danger"][kind]
            if score > best_score:
                best, best_score, best_plan, best_away = kind, score, plan, np.int64(sight["shanten"][kind])
    return best, best_score, best_plan, best_away


@jit
def _discard_kinds(game, row):
    """Return the mask of kinds that the seat may discard according to its row of legal actions."""
    kinds = np.int64(0)
    for kind in range(KINDS):
        kinds |= np.int64(row[kind]) << kind
    for suit in range(3):
        kinds |= np.int64(row[r.DISCARD_RED + suit]) << (9 * suit + 4)
    if row[r.DISCARD_DRAWN]:
        kinds |= np.int64(1) << (np.int64(game["drawn"]) >> 2)
    return kinds


@jit
def _discard_action(game, row, kind):
    """Return the action that discards a kind: the drawn tile rather than one from the hand, a red five last."""
    drawn = np.int64(game["drawn"])
    if row[r.DISCARD_DRAWN] and drawn >> 2 == kind and not (is_red_tile(game, drawn) and row[kind]):
        return r.DISCARD_DRAWN
    return kind if row[kind] else r.DISCARD_RED + kind // 9


@jit
def _declares_riichi(sight, kind):
    """Return whether riichi is worth more than silence for a closed hand that is tenpai after discarding `kind`."""
    count = np.int64(sight["count"][kind])
    if count == 0:
        return False
    furiten = worth.is_furiten(sight, sight["accepted"][kind], kind)
    not_simple, not_flush = worth.misfits(sight)
    han = worth.base_han(sight, worth.PLAN_FREE) - worth.han_lost(sight, worth.PLAN_FREE, kind)
    shape = worth.shape_han(sight, not_simple, not_flush, kind)
    won = worth.chance(0, 0, count, np.int64(sight["draws"]))
    with_riichi = worth.hand_value(sight, 0, 0, count, furiten, han + shape) - (1.0 - won) * _BET
    silent_han = han + shape - worth.RIICHI_HAN + _DAMATEN_HAN
    without = worth.hand_value(sight, 1, 0, count, furiten, silent_han)
    if shape < 1.0 and not worth.yakuhai_triplets(sight):
        without *= _DRAW_ONLY
    return with_riichi > without


@jit
def _kong(lookup, row, sight, away):
    """Return the action of a closed or added kong that does not increase shanten, or 0."""
    if sight["threat"] > _KONG_THREAT and away > 0:
        return 0
    for first in (r.CLOSED_KONG, r.ADDED_KONG):
        closed = 1 if first == r.CLOSED_KONG else 0
        for kind in range(KINDS):
            if row[first + kind]:
                held = sight["hand"][kind]
                sight["hand"][kind] = 0 if closed else held - 1
                stays = shanten(lookup, sight["hand"], np.int64(sight["n_melds"]) + closed) <= away
                sight["hand"][kind] = held
                if stays:
                    return first + kind
    return 0


@jit
def _aborts(lookup, sight):
    """Return whether to abort by nine terminals: yes unless thirteen orphans or a regular hand are near."""
    held, _ = held_masks(sight["hand"])
    few = bit_count(held & TERMINALS_AND_HONORS) < _ORPHAN_KINDS
    return few and shanten(lookup, sight["hand"], 0) > _NEAR_SHANTEN


@jit
def _choose_turn(lookup, game, seat, row, sight, habits, key):
    """Return the action of a seat at its turn: it has drawn, called or declared riichi."""
    if row[r.TSUMO]:
        return r.TSUMO
    if game["riichi"][seat] == 2:
        drawn_kind = np.int64(game["drawn"]) >> 2
        return r.CLOSED_KONG + drawn_kind if row[r.CLOSED_KONG + drawn_kind] else r.DISCARD_DRAWN
    look(game, seat, sight, habits & FOLDS)
    if row[r.NINE_TERMINALS] and _aborts(lookup, sight):
        return r.NINE_TERMINALS
    plan_bits = worth.plans(sight, game["rules"]["open_tanyao"])
    kind, _, _, away = _best_discard(lookup, sight, plan_bits, _discard_kinds(game, row), key)
    kong = _kong(lookup, row, sight, away)
    if kong:
        return kong
    if row[r.DECLARE_RIICHI] and away == 0:
        worth.fill_discards(lookup, sight, worth.PLAN_FREE)
        if sight["shanten"][kind] == 0 and _declares_riichi(sight, kind):
            return r.DECLARE_RIICHI
    return _discard_action(game, row, kind)


@jit
def _standing_value(lookup, sight, plan_bits):
    """Return the value of a hand of 3n+1 tiles by its best plan."""
    best = 0.0
    is_open = 1 if sight["n_open"] else 0
    not_simple, not_flush = worth.misfits(sight)
    for plan in range(worth.PLANS):
        if plan_bits >> plan & 1:
            away, mask, count = worth.standing(lookup, sight, plan)
            han = worth.base_han(sight, plan)
            if plan == worth.PLAN_FREE:
                han += worth.shape_han(sight, not_simple, not_flush, -1)
            furiten = away == 0 and mask & sight["own_river"] != 0
            best = max(best, worth.hand_value(sight, is_open, away, count, furiten, han) * _push(sight, away))
    return best


@jit
def _take_for_call(game, sight, kind, red):
    """Remove a tile that a call uses from the hand in sight; return its dora and red five han."""
    han = np.int64(sight["dora"][kind])
    sight["hand"][kind] -= 1
    if red and sight["red"] >> kind & 1:
        sight["red"] &= ~(np.int64(1) << kind)
        han += 1
    return han


@jit
def _make_call(game, seat, sight, action):
    """Apply a chow or pong to the hand in sight; return the mask of kinds that may then be discarded."""
    tile = np.int64(game["claim_tile"])
    kind = tile >> 2
    dora = np.int64(sight["dora"][kind]) + is_red_tile(game, tile)
    red = action == r.PONG_RED
    place = -1
    if action < r.PONG:
        place = (action - r.CHOW_LOW) >> 1
        red = (action - r.CHOW_LOW) & 1 == 1
        first = kind - place
        for other in range(first, first + 3):
            if other != kind:
                dora += _take_for_call(game, sight, other, red)
        sight["chows"] += 1
        sight["meld_kinds"] |= np.int64(7) << first
    else:
        dora += _take_for_call(game, sight, kind, red)
        dora += _take_for_call(game, sight, kind, False)
        sight["meld_kinds"] |= np.int64(1) << kind
        sight["meld_yaku"] += triplet_yaku(game, seat, kind)
    sight["n_melds"] += 1
    sight["n_open"] += 1
    sight["meld_dora"] += dora
    held, _ = held_masks(sight["hand"])
    return held & ~swap_forbidden(game, kind, place)


@jit
def _choose_claim(lookup, game, seat, row, sight, habits, key):
    """Return the action of a seat that may claim a tile."""
    if row[r.RON]:
        return r.RON
    if not habits & CALLS:
        return r.PASS
    look(game, seat, sight, habits & FOLDS)
    open_tanyao = game["rules"]["open_tanyao"]
    before = np.empty(worth.PLANS, np.int64)
    before[:] = -1
    best = r.PASS
    best_score = _NOTHING
    for action in range(r.CHOW_LOW, r.OPEN_KONG):
        if not row[action]:
            continue
        kinds = _make_call(game, seat, sight, action)
        plan_bits = worth.plans(sight, open_tanyao)
        if plan_bits and kinds:
            _, score, plan, away = _best_discard(lookup, sight, plan_bits, kinds, key)
            see_own(game, seat, sight)
            if before[plan] < 0:
                before[plan], _, _ = worth.standing(lookup, sight, plan)
            if best_score == _NOTHING:
                best_score = _CALL_MARGIN * _standing_value(lookup, sight, worth.plans(sight, open_tanyao))
            if away < before[plan] and score > best_score:
                best, best_score = action, score
        else:
            see_own(game, seat, sight)
    return best


@jit
def _choose_one(lookup, game, seat, row, seed, habits, sights):
    """Return the action of one seat. `sights`: SIGHT[1], scratch space that the caller keeps alive meanwhile."""
    sight = sights[0]
    key = decision_key(seed, game, seat)
    if row[r.STOP]:
        return r.STOP
    if row[r.PASS]:
        return _choose_claim(lookup, game, seat, row, sight, habits, key)
    return _choose_turn(lookup, game, seat, row, sight, habits, key)


@jit
def _choose_all(lookup, games, index, seats, legal, seed, habits, actions):
    sights = np.zeros(1, SIGHT)
    for n in range(len(index)):
        actions[n] = _choose_one(lookup, games[index[n]], np.int64(seats[n]), legal[n], seed, habits, sights)


def choose_by_habits(
    lookup: np.void,
    habits: int,
    games: np.ndarray,
    index: np.ndarray,
    seats: np.ndarray,
    legal: np.ndarray,
    seed: int,
    actions: np.ndarray,
) -> None:
    """Write the action of a sensible player with the given habits for each decision into `actions` i64[n]."""
    # Fixed dtypes, so that only one version is compiled: compiling takes seconds.
    index, seats = np.ascontiguousarray(index, np.int32), np.ascontiguousarray(seats, np.uint8)
    legal = np.ascontiguousarray(legal)
    _choose_all(lookup, games, index, seats, legal, np.uint64(seed), habits, actions)
