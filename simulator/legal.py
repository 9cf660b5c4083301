"""The legal actions of a seat: one function for each situation, two int64 words of 61 actions each.

Each rule is stated at the line that enforces it; `docs/rules.md` names the tests.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.moves import has_red_five, is_five, plain_copies, pong_of, tiles_left
from simulator.rules import KONG_NEVER, KONG_SAME_HAND, SWAP_ALLOWED, SWAP_FORBIDDEN
from simulator.scoring import winning
from simulator.scoring.blocks import bit_count
from simulator.shanten import held_masks, is_complete, tenpai_discards_of_keys, waits
from simulator.tiles import KINDS, TERMINALS_AND_HONORS

#: Bit positions, within the second word, of actions stored there.
_HIGH_TSUMO = r.TSUMO - r.WORD_BITS
_HIGH_WIN_BY_CLAIM = r.RON - r.WORD_BITS
_HIGH_NINE_TERMINALS = r.NINE_TERMINALS - r.WORD_BITS
_HIGH_ADDED_KONG = r.ADDED_KONG - r.WORD_BITS
_CLOSED_KONGS_IN_LOW = r.WORD_BITS - r.CLOSED_KONG
_CLOSED_KONG_LOW_MASK = (1 << _CLOSED_KONGS_IN_LOW) - 1
HIGH_PASS = np.int64(1) << (r.PASS - r.WORD_BITS)
_KINDS_FOR_NINE_TERMINALS = 9


@jit
def is_legal(game, seat, action):
    """Return whether an asked seat may choose an action now."""
    if action < 0 or action >= 2 * r.WORD_BITS:
        return False
    if action < r.WORD_BITS:
        return game["legal"][seat, 0] >> action & 1 == 1
    return game["legal"][seat, 1] >> (action - r.WORD_BITS) & 1 == 1


@jit
def _win_situation(game, seat, is_tsumo):
    """Return the situation flags (`scoring.TSUMO` and so on) of a win by a seat now."""
    flags = 0
    if game["riichi"][seat] == 2:
        flags |= winning.DOUBLE_RIICHI if game["double_riichi"][seat] else winning.RIICHI
        if game["ippatsu"][seat]:
            flags |= winning.IPPATSU
    if is_tsumo:
        flags |= winning.TSUMO
        if game["replacement"]:
            flags |= winning.REPLACEMENT
        elif tiles_left(game) == 0:
            flags |= winning.LAST_TILE  # haitei: the last live tile; a replacement tile never is
        if not game["interrupted"] and game["n_river"][seat] == 0:
            flags |= winning.FIRST_TURN
    elif game["robbing"]:
        flags |= winning.ROBBED_KONG
    elif tiles_left(game) == 0:
        flags |= winning.LAST_TILE
    return flags


@jit
def score_win(game, seat, kind, is_tsumo, win):
    """Write the value of a win now into a WIN record (`winning.score_hand`); a claimed tile is not in the hand yet."""
    hand = game["hand"][seat]
    if not is_tsumo:
        hand[kind] += 1
    good = winning.score_hand(
        hand,
        game["melds"][seat],
        np.int64(game["n_melds"][seat]),
        kind,
        _win_situation(game, seat, is_tsumo),
        (seat - np.int64(game["dealer"])) & 3,
        np.int64(game["round"]) >> 2,
        game["rules"],
        win,
    )
    if not is_tsumo:
        hand[kind] -= 1
    return good


@jit
def has_yaku(game, seat, kind, is_tsumo):
    """Return whether a seat's complete hand may win, i.e. has a yaku besides dora; a claimed tile is not in it yet."""
    if game["riichi"][seat] == 2 or (is_tsumo and game["n_open"][seat] == 0):
        return True
    trial = game["trial"]
    trial["dora"] = 0
    trial["ura"] = 0
    trial["red"] = 0
    return score_win(game, seat, kind, is_tsumo, trial)


@jit
def _kong_keeps_reading(lookup, game, seat, kind):
    """Return whether every reading of the waiting hand (without the drawn tile) has a triplet of `kind`.

    Any other reading uses at least one of the three tiles in a chow, so it is enough that no chow can be taken out.
    """
    if kind >= 27:
        return True
    hand = game["hand"][seat].copy()
    hand[kind] = 3
    n_melds = np.int64(game["n_melds"][seat])
    for wait in range(KINDS):
        if not game["waits"][seat] >> wait & 1:
            continue
        hand[wait] += 1
        for low in range(kind - 2, kind + 1):
            if low < 0 or low // 9 != kind // 9 or low % 9 > 6:
                continue
            if hand[low] > 0 and hand[low + 1] > 0 and hand[low + 2] > 0:
                for k in range(low, low + 3):
                    hand[k] -= 1
                complete = is_complete(lookup, hand, n_melds + 1)
                for k in range(low, low + 3):
                    hand[k] += 1
                if complete:
                    return False
        hand[wait] -= 1
    return True


@jit
def closed_kong_in_riichi(lookup, game, seat, kind):
    """Return whether a seat in riichi may make a closed kong of the kind it has just drawn (four in hand)."""
    rule = game["rules"]["closed_kong_in_riichi"]
    if rule == KONG_NEVER:
        return False
    hand = game["hand"][seat].copy()
    hand[kind] = 0
    if waits(lookup, hand, np.int64(game["n_melds"][seat]) + 1) != game["waits"][seat]:
        return False
    return rule != KONG_SAME_HAND or _kong_keeps_reading(lookup, game, seat, kind)


@jit
def may_declare_riichi(lookup, game, seat):
    """Return the kinds that a seat may discard if it declares riichi now; 0 if it may not declare."""
    rules = game["rules"]
    if game["n_open"][seat] or game["riichi"][seat]:
        return np.int64(0)
    if game["scores"][seat] < rules["riichi_min_points"] and not rules["riichi_below_zero"]:
        return np.int64(0)
    if tiles_left(game) < rules["riichi_min_tiles"]:
        return np.int64(0)
    return tenpai_discards_of_keys(lookup, game["hand"][seat], game["suit_keys"][seat], np.int64(game["n_melds"][seat]))


@jit
def discards_within(game, seat, kinds):
    """Return the first legal word with all discards of the given kinds (mask)."""
    word = np.int64(0)
    hand = game["hand"][seat]
    drawn = np.int64(game["drawn"])
    red_fives = game["rules"]["red_fives"]
    for kind in range(KINDS):
        if hand[kind] and kinds >> kind & 1:
            copies = np.int64(game["copies"][seat, kind])
            if drawn >> 2 == kind:  # NO_TILE >> 2 is not a kind
                copies &= ~(1 << (drawn & 3))
                word |= np.int64(1) << r.DISCARD_DRAWN
            if red_fives and is_five(kind):
                if copies & 1:
                    word |= np.int64(1) << (r.DISCARD_RED + kind // 9)
                copies &= ~1
            if copies:
                word |= np.int64(1) << kind
    return word


@jit
def turn_actions(lookup, game, seat):
    """Return the two legal words of a seat that has drawn (live tile or replacement)."""
    kind = np.int64(game["drawn"]) >> 2
    hand = game["hand"][seat]
    in_riichi = game["riichi"][seat] == 2
    high = np.int64(0)
    if in_riichi:
        low = np.int64(1) << r.DISCARD_DRAWN
    else:
        low = discards_within(game, seat, (np.int64(1) << KINDS) - 1)
        if may_declare_riichi(lookup, game, seat):
            low |= np.int64(1) << r.DECLARE_RIICHI
    if game["waits"][seat] >> kind & 1 and has_yaku(game, seat, kind, True):
        high |= np.int64(1) << _HIGH_TSUMO
    # A kong needs a live tile left (it shortens the live wall by one), and there are only four replacements.
    if tiles_left(game) > 0 and game["kongs"] < 4:
        closed = np.int64(0)
        if in_riichi:
            if hand[kind] == 4 and closed_kong_in_riichi(lookup, game, seat, kind):
                closed = np.int64(1) << kind
        else:
            for k in range(KINDS):
                if hand[k] == 4:
                    closed |= np.int64(1) << k
            for n in range(np.int64(game["n_melds"][seat])):
                pong = np.int64(game["melds"][seat, n]["kind"])
                if hand[pong] and pong_of(game, seat, pong) >= 0:
                    high |= np.int64(1) << (_HIGH_ADDED_KONG + pong)
        low |= (closed & _CLOSED_KONG_LOW_MASK) << r.CLOSED_KONG
        high |= closed >> _CLOSED_KONGS_IN_LOW
    if game["rules"]["abort_nine_terminals"] and not game["interrupted"] and game["n_river"][seat] == 0:
        held, _ = held_masks(hand)
        if bit_count(held & TERMINALS_AND_HONORS) >= _KINDS_FOR_NINE_TERMINALS:
            high |= np.int64(1) << _HIGH_NINE_TERMINALS
    return low, high


@jit
def is_furiten(game, seat):
    """Return whether a seat is furiten and may not ron: it has discarded one of its waits or missed a win."""
    return game["waits"][seat] & game["discarded"][seat] != 0 or game["missed"][seat] != 0


@jit
def may_ron(game, seat, kind):
    """Return whether a seat may win on a tile of this kind from another seat."""
    return game["waits"][seat] >> kind & 1 == 1 and not is_furiten(game, seat) and has_yaku(game, seat, kind, False)


@jit
def swap_forbidden(game, kind, chow_place):
    """Return the kinds that may not be discarded after calling `kind`.

    chow_place: place of the called tile in the chow, 0 low, 1 middle, 2 high; -1 for a pong.
    """
    rule = game["rules"]["swap_calling"]
    if rule == SWAP_ALLOWED:
        return np.int64(0)
    forbidden = np.int64(1) << kind
    if rule == SWAP_FORBIDDEN:
        if chow_place == 0 and kind % 9 < 6:
            forbidden |= np.int64(1) << (kind + 3)
        if chow_place == 2 and kind % 9 > 2:
            forbidden |= np.int64(1) << (kind - 3)
    return forbidden


@jit
def _leaves_discard(game, seat, kind, chow_place):
    """Return whether a chow or pong would leave a permitted discard; otherwise the call is not legal."""
    left = 13 - 3 * np.int64(game["n_melds"][seat]) - 2
    forbidden = swap_forbidden(game, kind, chow_place)
    if chow_place < 0:
        left += 2
    for k in range(KINDS):
        if forbidden >> k & 1:
            left -= np.int64(game["hand"][seat, k])
    if chow_place < 0 and forbidden == 0:
        left -= 2
    return left > 0


@jit
def claim_actions(lookup, game, seat, source, tile):
    """Return the two legal words of a seat for claims on a discard; zeros if there is nothing to choose."""
    kind = tile >> 2
    hand = game["hand"][seat]
    low = np.int64(0)
    high = np.int64(0)
    if may_ron(game, seat, kind):
        high |= np.int64(1) << _HIGH_WIN_BY_CLAIM
    if not game["riichi"][seat] and tiles_left(game) > 0:  # the last discard can only be won on
        count = hand[kind]
        if count >= 2 and _leaves_discard(game, seat, kind, -1):
            copies = np.int64(game["copies"][seat, kind])
            if has_red_five(game, seat, kind):
                low |= np.int64(1) << r.PONG_RED
                copies &= ~1
            if bit_count(copies) >= 2:
                low |= np.int64(1) << r.PONG
        if count == 3 and game["kongs"] < 4:
            low |= np.int64(1) << r.OPEN_KONG
        if kind < 27 and (source + 1) & 3 == seat:
            for place in range(3):
                first = kind - place
                if first // 9 != kind // 9 or first < 0 or first % 9 > 6:
                    continue
                one = first if place else first + 1
                two = first + 1 if place == 2 else first + 2
                if not hand[one] or not hand[two] or not _leaves_discard(game, seat, kind, place):
                    continue
                if plain_copies(game, seat, one) != 0 and plain_copies(game, seat, two) != 0:
                    low |= np.int64(1) << (r.CHOW_LOW + 2 * place)
                if has_red_five(game, seat, one) or has_red_five(game, seat, two):
                    low |= np.int64(1) << (r.CHOW_LOW + 2 * place + 1)
    if low | high:
        high |= HIGH_PASS
    return low, high


@jit
def call_discard_actions(game, seat):
    """Return the first legal word of the discard after a chow or pong."""
    kinds = ((np.int64(1) << KINDS) - 1) & ~game["forbidden"]
    return discards_within(game, seat, kinds)


assert r.NO_TILE >> 2 >= KINDS
