"""Asking seats to choose an action, and storing their answers.

To ask a seat, its legal actions (`legal.py`) are written into the record as bits; `pending` marks the seats that have
not answered yet.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.legal import HIGH_PASS, claim_actions, may_ron, turn_actions
from simulator.moves import is_kong, lowest_copy
from simulator.scoring.blocks import bit_count
from simulator.shanten import held_masks
from simulator.tiles import TERMINALS_AND_HONORS

#: Bits of `missed` (furiten by a missed win): until the seat's next discard, and permanently once in riichi.
MISSED_NOW, MISSED_IN_RIICHI = 1, 2

_HIGH_RON = np.int64(1) << (r.RON - r.WORD_BITS)


@jit
def ask(game, seat, low, high):
    """Ask a seat to choose one of the actions in the two legal words."""
    game["legal"][seat, 0] = low
    game["legal"][seat, 1] = high
    game["answers"][seat] = r.NO_ACTION
    game["asked"] |= 1 << seat
    game["pending"] |= 1 << seat
    game["decisions"][seat] += 1


@jit
def ask_turn(lookup, game):
    """Ask the seat that has just drawn."""
    seat = np.int64(game["turn"])
    low, high = turn_actions(lookup, game, seat)
    ask(game, seat, low, high)


@jit
def four_kongs_abort(game):
    """Return whether the next discard ends the round unless a seat wins on it: four kongs, not all by one seat."""
    if game["kongs"] != 4 or not game["rules"]["abort_four_kongs"]:
        return False
    for seat in range(4):
        own = 0
        for n in range(np.int64(game["n_melds"][seat])):
            own += is_kong(game["melds"][seat, n]["type"])
        if 0 < own < 4:
            return True
    return False


@jit
def ask_claims(lookup, game):
    """Ask all seats that may claim the current discard or kong, at the same time; there may be none.

    A discard that ends the round by four kongs can only be claimed for a win. (Discards that end it by four riichi or
    four winds cannot be called anyway: the other three seats are in riichi, or nobody has two more of the wind.)
    """
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    only_wins = four_kongs_abort(game)
    game["asked"] = 0
    game["pending"] = 0
    for step in range(1, 4):
        seat = (source + step) & 3
        low = np.int64(0)
        high = np.int64(0)
        if game["phase"] == r.PHASE_CLAIM:
            low, high = claim_actions(lookup, game, seat, source, tile)
            if only_wins:
                low = np.int64(0)
                high = high if high & _HIGH_RON else np.int64(0)
        elif may_ron(game, seat, tile >> 2) and may_rob(game, seat, source, tile >> 2):
            high = HIGH_PASS | _HIGH_RON
        if low | high:
            ask(game, seat, low, high)


@jit
def may_rob(game, seat, source, kind):
    """Return whether a seat may claim a tile for a win; that of a closed kong only with thirteen orphans, if at all."""
    for n in range(np.int64(game["n_melds"][source])):
        meld = game["melds"][source, n]
        if meld["type"] == r.MELD_CLOSED_KONG and meld["kind"] == kind:
            # Only thirteen orphans waits for a kind while holding twelve other kinds of terminals and honors.
            held, _ = held_masks(game["hand"][seat])
            orphans = bit_count(held & TERMINALS_AND_HONORS)
            return game["rules"]["thirteen_orphans_rob_closed_kong"] != 0 and orphans >= 12
    return True


@jit
def answer(game, seat, action):
    """Store the choice of an asked seat; the caller must have checked that it is legal."""
    game["answers"][seat] = action
    game["pending"] &= 15 ^ (1 << seat)


@jit
def is_forced(game):
    """Return the only legal action if one seat is asked and has just one, otherwise NO_ACTION."""
    if bit_count(np.int64(game["asked"])) != 1:
        return r.NO_ACTION
    seat = lowest_copy(np.int64(game["asked"]))
    low = game["legal"][seat, 0]
    high = game["legal"][seat, 1]
    if low & (low - 1) or high & (high - 1) or (low != 0) == (high != 0):
        return r.NO_ACTION
    word = low if low else high
    return bit_count(word - 1) + (0 if low else r.WORD_BITS)
