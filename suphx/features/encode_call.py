"""Encode a proposed chow, pong or kong: the call itself, and the hand after it."""

import numpy as np

from simulator.jit import hold, jit
from simulator.moves import is_red_tile, tiles_left
from simulator.players.sight import meld_mask, yakuhai_kinds
from simulator.record import CHOW_HIGH_RED, CHOW_LOW, OPEN_KONG, PONG, PONG_RED, SEATS
from simulator.scoring.blocks import bit_count
from simulator.shanten import TENPAI, accepted, shanten
from simulator.tiles import ALL_KINDS, HONORS, TERMINALS_AND_HONORS
from suphx.features import at, layout, layout_calls
from suphx.features.encode_hands import PROSPECTS, encode_tiles_by_discard, find_prospects
from suphx.features.encode_rivers import dora_han, read_melds
from suphx.features.encode_table import last_drawer
from suphx.features.layout_groups import COUNTS
from suphx.features.planes import at_least, at_most, count_in, flag, multiplicity, nest, read_nested, write_nested
from suphx.features.proposals import PROPOSAL, PROPOSE_CLOSED_KONG, PROPOSE_OPEN_KONG, PROPOSE_PONG, propose

_NOW_STEPS = len(layout.SHANTEN_STEPS)

_SUIT = 0b111111111
_CHOWS = (1 << (CHOW_HIGH_RED + 1)) - (1 << CHOW_LOW)
_WITH_RED = 0b11  # a call and the same call with a red five
_MANY = 99


@jit
def _encode_alternatives(game, seat, action, out):
    """Write which other calls are legal, and whether the same call could use a red five but does not."""
    low = game["legal"][seat, 0]
    is_chow = CHOW_LOW <= action <= CHOW_HIGH_RED
    is_pong = action == PONG or action == PONG_RED
    uses_plain = (is_chow or is_pong) and (action - CHOW_LOW) & 1 == 0
    out[at.call_spare_red] = flag(uses_plain and low >> (action + 1) & 1 != 0)
    other_chows = low & _CHOWS
    if is_chow:
        other_chows &= ~(_WITH_RED << (action - (action - CHOW_LOW & 1)))
    out[at.call_also] = flag(other_chows != 0)
    out[at.call_also + 1] = flag(low >> PONG & _WITH_RED != 0 and not is_pong)
    out[at.call_also + 2] = flag(low >> OPEN_KONG & 1 != 0 and action != OPEN_KONG)


@jit
def _encode_proposal(game, seat, proposal, out):
    """Write the planes of the proposed call itself."""
    what, kind, tile = proposal["what"], proposal["kind"], proposal["tile"]
    claimed = what < PROPOSE_CLOSED_KONG
    out[at.call_what + what] = ALL_KINDS
    out[at.call_tile] = np.int64(1) << kind
    if claimed:
        out[at.call_red] = flag(is_red_tile(game, tile))
        out[at.call_from + ((np.int64(game["turn"]) - seat) & 3) - 1] = ALL_KINDS
    at_least(out, at.call_left, layout_calls.CALLED_LEFT_STEPS, multiplicity(read_nested(out, at.tiles_left), kind))
    for n in range(4):
        out[at.call_used + n] = proposal["used"][n]
    out[at.call_used_red] = proposal["used_red"]
    out[at.call_meld] = meld_mask(proposal["melds"][proposal["meld"]])
    out[at.call_opens] = flag(claimed and game["n_open"][seat] == 0)
    at_least(out, at.call_open, COUNTS, np.int64(game["n_open"][seat]) + claimed)
    out[at.call_breaks] = out[at.riichi_ippatsu + 1] | out[at.riichi_ippatsu + 2] | out[at.riichi_ippatsu + 3]
    left = tiles_left(game) - (what >= PROPOSE_OPEN_KONG)
    if left > 0:
        out[at.call_last + ((last_drawer(seat + 1, left) - seat) & 3)] = ALL_KINDS
    out[at.after_forbidden] = proposal["forbidden"]


@jit
def _shanten_now(out):
    """Return the shanten without the call, read from the planes of the position."""
    distance = _NOW_STEPS
    for n in range(_NOW_STEPS):
        distance -= out[at.efficiency_shanten + n] != 0
    return distance


@jit
def _encode_after_discards(lookup, proposal, left, out):
    """Write the hand after each discard that follows a chow or pong.

    Return the lowest shanten, and the best discard's accepted kinds and its kind, both as sets.
    """
    held = np.empty(1, PROSPECTS)
    prospects = held[0]
    find_prospects(lookup, proposal["hand"], proposal["n_melds"], left, proposal["forbidden"], prospects)
    best, least = prospects["best"][0], prospects["least"]
    out[at.after_accepted] = prospects["all_accepted"]
    out[at.after_best] = np.int64(1) << best
    out[at.after_keep] = prospects["keep"]
    encode_tiles_by_discard(prospects, least, at.after_keep_tiles, layout_calls.AFTER_TILES_STEPS, out)
    kinds = np.int64(prospects["accepted"][best])
    hold(held)
    return least, kinds, np.int64(1) << best


@jit
def _encode_efficiency(lookup, game, seat, proposal, out):
    """Write shanten and accepted tiles before and after the call."""
    left = read_nested(out, at.tiles_left)
    before = _shanten_now(out)
    kinds_before = out[at.efficiency_best_accepted] if out[at.efficiency_best_accepted] else out[at.efficiency_accepted]
    if proposal["what"] <= PROPOSE_PONG:
        after, kinds, discard = _encode_after_discards(lookup, proposal, left, out)
    else:
        after = shanten(lookup, proposal["hand"], proposal["n_melds"])
        kinds, discard = accepted(lookup, proposal["hand"], proposal["n_melds"]), np.int64(0)
        out[at.after_accepted] = kinds
    out[at.after_best_accepted] = kinds
    out[at.after_furiten] = flag(after == TENPAI and kinds & (game["discarded"][seat] | discard) != 0)
    at_most(out, at.after_before, layout_calls.AFTER_SHANTEN_STEPS, before)
    at_most(out, at.after_shanten, layout_calls.AFTER_SHANTEN_STEPS, after)
    out[at.after_change] = flag(after < before)
    out[at.after_change + 1] = flag(after == before)
    out[at.after_change + 2] = flag(after > before)
    at_least(out, at.after_before_tiles, layout_calls.AFTER_TILES_STEPS, count_in(left, kinds_before))
    at_least(out, at.after_tiles, layout_calls.AFTER_TILES_STEPS, count_in(left, kinds))


@jit
def _encode_flush(held, kinds, out):
    """Write which flushes the melds (of these kinds) allow, and how many tiles of the hand do not fit the nearest."""
    off = np.int64(_MANY)
    for suit in range(3):
        outside = ALL_KINDS & ~(HONORS | _SUIT << 9 * suit)
        if kinds & outside == 0:
            out[at.yaku_flush + suit] = ALL_KINDS
            off = min(off, count_in(held, outside))
    at_most(out, at.yaku_off_flush, layout_calls.FEW, off)


@jit
def _encode_value(game, seat, proposal, held, out):
    """Write which yaku the melds allow, and the han that are certain."""
    dora = (out[at.dora_count], out[at.dora_count + 1], out[at.dora_count + 2], np.int64(0))
    kinds, runs, outside, han, valued = read_melds(game, seat, proposal["melds"], proposal["n_melds"], dora)
    han += bit_count(proposal["reds"]) + count_in(held, dora[0]) + count_in(held, dora[1]) + count_in(held, dora[2])
    meld_dora = dora_han(game, proposal["melds"][proposal["meld"]], dora)
    at_least(out, at.value_meld_dora, layout_calls.MELD_DORA_STEPS, meld_dora)
    at_least(out, at.yaku_valued, layout_calls.VALUED_STEPS, valued)
    at_least(out, at.value_han, layout_calls.SURE_HAN_STEPS, han + valued)
    out[at.yaku_valued_pairs] = held[1] & yakuhai_kinds(game, seat)
    still_closed = game["n_open"][seat] == 0 and proposal["what"] == PROPOSE_CLOSED_KONG
    tanyao = still_closed or game["rules"]["open_tanyao"] != 0
    out[at.yaku_simples] = flag(tanyao and kinds & TERMINALS_AND_HONORS == 0)
    out[at.yaku_triplets] = flag(runs == 0)
    out[at.yaku_outside] = flag(outside)
    out[at.yaku_runs] = runs
    _encode_flush(held, kinds, out)


@jit
def encode_call_all(lookup, games, index, seats, actions, out):
    """Write the planes of proposed chows, pongs and kongs; `out` i64[n, 958] must already hold the positions.

    actions: legal actions of the seats.
    """
    proposals = np.empty(1, PROPOSAL)
    proposal = proposals[0]
    for place in range(len(index)):
        game, seat, action = games[index[place]], np.int64(seats[place]), np.int64(actions[place])
        row = out[place]
        for n in range(layout.PLANES, layout.CALL_PLANES):
            row[n] = 0
        propose(game, seat, action, proposal)
        held = nest(proposal["hand"])
        _encode_alternatives(game, seat, action, row)
        _encode_proposal(game, seat, proposal, row)
        write_nested(row, at.after_count, held)
        row[at.after_red] = proposal["reds"]
        _encode_efficiency(lookup, game, seat, proposal, row)
        _encode_value(game, seat, proposal, held, row)
        at_most(row, at.yaku_not_simple, layout_calls.FEW, count_in(held, np.int64(TERMINALS_AND_HONORS)))
        at_least(row, at.yaku_pairs, layout_calls.PAIR_STEPS, bit_count(held[1]))
        for rival in range(SEATS - 1):
            first = at.value_safe + rival * len(layout_calls.AFTER_SAFE_STEPS)
            at_least(row, first, layout_calls.AFTER_SAFE_STEPS, count_in(held, row[at.safety_safe + rival]))
    hold(proposals)
