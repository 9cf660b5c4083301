"""A second, simple statement of what is legal, with which the stored legal actions of a game record are compared.

Where the rules depend on scoring (is there a yaku?), only conditions that every legal action must meet are checked, not
that every action that meets them is legal.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.legal import is_legal
from simulator.moves import has_red_five, is_five, plain_copies, pong_of, tiles_left
from simulator.shanten import is_complete, shanten
from simulator.tiles import KINDS, TERMINALS_AND_HONORS

#: Faults of the legal actions, numbered from 1: what `legal` wrongly allows or leaves out.
LEGAL_FAULTS = (
    ("legal", "has nothing"),
    ("legal", "has an action of another situation"),
    ("legal", "has a discard that is not held, or lacks one that is"),
    ("legal", "has a win with a hand that is not complete, or lacks one that has a yaku for certain"),
    ("legal", "has a win in furiten"),
    ("legal", "has a kong that cannot be made, or lacks one that can"),
    ("legal", "has a riichi that may not be declared, or lacks one that may"),
    ("legal", "has nine terminals without them, or lacks them"),
    ("legal", "has a call that cannot be made"),
)
NOTHING, SITUATION, DISCARDS, WINS, FURITEN, KONGS, RIICHI, TERMINALS, CALLS = range(1, 10)


@jit
def _discards_wrong(game, seat, chosen):
    """Return whether the legal discards differ from the tiles held; `chosen`: some may be left out (after riichi)."""
    drawn = np.int64(game["drawn"])
    in_riichi = game["riichi"][seat] == 2
    for kind in range(KINDS):
        plain = plain_copies(game, seat, kind) != 0 and not in_riichi and not game["forbidden"] >> kind & 1
        legal = is_legal(game, seat, r.DISCARD + kind)
        if (legal and not plain) or (plain and not legal and not chosen):
            return True
        if is_five(kind):
            red = has_red_five(game, seat, kind) and drawn != kind << 2 and not in_riichi
            red = red and not game["forbidden"] >> kind & 1
            legal = is_legal(game, seat, r.DISCARD_RED + kind // 9)
            if (legal and not red) or (red and not legal and not chosen):
                return True
    legal = is_legal(game, seat, r.DISCARD_DRAWN)
    return (legal and drawn == r.NO_TILE) or (drawn != r.NO_TILE and not legal and not chosen)


@jit
def _kongs_wrong(game, seat):
    """Return whether an impossible closed or added kong is legal, or a possible one is not."""
    may = tiles_left(game) > 0 and game["kongs"] < 4
    in_riichi = game["riichi"][seat] == 2
    drawn = np.int64(game["drawn"]) >> 2
    for kind in range(KINDS):
        four = may and game["hand"][seat, kind] == 4
        legal = is_legal(game, seat, r.CLOSED_KONG + kind)
        if (legal and not (four and (not in_riichi or kind == drawn))) or (four and not legal and not in_riichi):
            return True
        added = may and game["hand"][seat, kind] == 1 and pong_of(game, seat, kind) >= 0
        if is_legal(game, seat, r.ADDED_KONG + kind) != added:
            return True
    return False


@jit
def _turn_fault(lookup, game, seat):
    """Return the fault in the legal actions of a seat that has drawn, or 0."""
    rules = game["rules"]
    n_melds = np.int64(game["n_melds"][seat])
    closed = game["n_open"][seat] == 0
    complete = is_complete(lookup, game["hand"][seat], n_melds)
    win = is_legal(game, seat, r.TSUMO)
    if (win and not complete) or (closed and complete and not win):
        return WINS
    if _kongs_wrong(game, seat):
        return KONGS
    rich = game["scores"][seat] >= rules["riichi_min_points"] or rules["riichi_below_zero"] != 0
    may = closed and game["riichi"][seat] == 0 and rich and tiles_left(game) >= rules["riichi_min_tiles"]
    if is_legal(game, seat, r.DECLARE_RIICHI) != (may and shanten(lookup, game["hand"][seat], n_melds) <= 0):
        return RIICHI
    kinds = 0
    for kind in range(KINDS):
        kinds += game["hand"][seat, kind] > 0 and TERMINALS_AND_HONORS >> kind & 1 == 1
    first = game["interrupted"] == 0 and game["n_river"][seat] == 0
    may = rules["abort_nine_terminals"] != 0 and first and kinds >= 9
    if is_legal(game, seat, r.NINE_TERMINALS) != may:
        return TERMINALS
    return 0


@jit
def _claim_fault(lookup, game, seat):
    """Return the fault in the legal actions of a seat that may claim a discard or rob a kong, or 0."""
    tile = np.int64(game["claim_tile"])
    kind = tile >> 2
    hand = game["hand"][seat].copy()
    if is_legal(game, seat, r.RON):
        if game["waits"][seat] & game["discarded"][seat] or game["missed"][seat]:
            return FURITEN
        hand[kind] += 1
        if not is_complete(lookup, hand, np.int64(game["n_melds"][seat])):
            return WINS
        hand[kind] -= 1
    may_call = game["phase"] == r.PHASE_CLAIM and game["riichi"][seat] == 0 and tiles_left(game) > 0
    pong = may_call and hand[kind] >= 2
    if is_legal(game, seat, r.PONG) and not (pong and hand[kind] - has_red_five(game, seat, kind) >= 2):
        return CALLS
    if is_legal(game, seat, r.PONG_RED) and not (pong and has_red_five(game, seat, kind)):
        return CALLS
    if is_legal(game, seat, r.OPEN_KONG) and not (may_call and hand[kind] == 3 and game["kongs"] < 4):
        return CALLS
    for place in range(3):
        plain = is_legal(game, seat, r.CHOW_LOW + 2 * place)
        red = is_legal(game, seat, r.CHOW_LOW + 2 * place + 1)
        low = kind - place
        run = kind < 27 and low >= 0 and low // 9 == kind // 9 and low % 9 <= 6
        run = run and may_call and (game["turn"] + 1) & 3 == seat
        reds = 0
        for k in range(low, low + 3):
            if run and k != kind:
                run = hand[k] > 0
                reds += has_red_five(game, seat, k)
        if ((plain or red) and not run) or (red and not reds):
            return CALLS
    return 0


@jit
def _outside(game, seat, phase):
    """Return whether the legal actions do not fit the phase: one belongs to another, or a required one is missing."""
    discards, turn, claims, stops = 0, 0, 0, 0
    for action in range(r.STOP + 1):
        if is_legal(game, seat, action):
            if action <= r.DISCARD_DRAWN:
                discards += 1
            elif action == r.PASS:
                claims += phase != r.PHASE_STOP
                stops += phase == r.PHASE_STOP
            elif action == r.STOP:
                stops += 1
            elif r.CHOW_LOW <= action <= r.OPEN_KONG or action == r.RON:
                claims += 1
            else:
                turn += 1
    if phase == r.PHASE_TURN:
        return claims + stops > 0 or discards == 0
    if phase == r.PHASE_RIICHI_DISCARD or phase == r.PHASE_CALL_DISCARD:
        return turn + claims + stops > 0 or discards == 0
    if phase == r.PHASE_CLAIM or phase == r.PHASE_KONG_CLAIM:
        return discards + turn + stops > 0 or not is_legal(game, seat, r.PASS)
    return discards + turn + claims > 0 or stops != 2


@jit
def legal_fault(lookup, game, seat):
    """Return the number of the first fault in the legal actions of an asked seat, or 0."""
    phase = np.int64(game["phase"])
    if game["legal"][seat, 0] == 0 and game["legal"][seat, 1] == 0:
        return NOTHING
    if _outside(game, seat, phase):
        return SITUATION
    if phase <= r.PHASE_CALL_DISCARD and _discards_wrong(game, seat, phase == r.PHASE_RIICHI_DISCARD):
        return DISCARDS
    if phase == r.PHASE_TURN:
        return _turn_fault(lookup, game, seat)
    if phase == r.PHASE_CLAIM or phase == r.PHASE_KONG_CLAIM:
        return _claim_fault(lookup, game, seat)
    return 0


assert r.PHASE_TURN < r.PHASE_RIICHI_DISCARD < r.PHASE_CALL_DISCARD < r.PHASE_CLAIM
