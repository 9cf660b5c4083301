"""Encode the own hand's progress: shanten, accepted tiles, the hand after each discard, furiten."""

import numpy as np

from simulator.asking import MISSED_IN_RIICHI, MISSED_NOW
from simulator.jit import hold, jit
from simulator.record import NO_TILE, PHASE_CLAIM, PHASE_KONG_CLAIM
from simulator.scoring.blocks import bit_count
from simulator.shanten import NO_SHANTEN, TENPAI, accepted, accepted_by_discard, shanten_of_keys
from simulator.tiles import ALL_KINDS, KINDS, TERMINALS_AND_HONORS
from suphx.features import at, layout
from suphx.features.encode_table import has_drawn, may_riichi
from suphx.features.layout import BEST_DISCARDS
from suphx.features.planes import at_least, at_most, count_in, flag, multiplicity, read_nested

#: The hand after each possible discard, and scratch space to compute it.
PROSPECTS = np.dtype([
    ("remaining", "u1", (KINDS,)),  # unseen tiles of each kind
    ("shanten", "i1", (KINDS,)),  # after discarding a kind; NO_SHANTEN if it is not held
    ("accepted", "i8", (KINDS,)),  # set of kinds that lower the shanten after discarding a kind
    ("tiles", "i4", (KINDS,)),  # number of unseen tiles of these kinds
    ("least", "i8"),  # the lowest shanten
    ("best", "i8", (BEST_DISCARDS,)),  # discards that keep it, those with most accepted tiles first; -1: no more
    ("keep", "i8"),  # all discards that keep it, as a set of kinds
    ("back", "i8"),  # discards that raise shanten by one, as a set of kinds
    ("all_accepted", "i8"),  # kinds accepted after any of the discards that keep the lowest shanten
], align=True)  # fmt: skip


@jit
def _sort_prospects(prospects):
    """Write which discards keep the lowest shanten, ranked by accepted tiles, and which raise it by one."""
    after, tiles, best = prospects["shanten"], prospects["tiles"], prospects["best"]
    least = np.int64(NO_SHANTEN)
    for kind in range(KINDS):
        least = min(least, np.int64(after[kind]))
    for n in range(BEST_DISCARDS):
        best[n] = -1
    keep, back, all_accepted = np.int64(0), np.int64(0), np.int64(0)
    for kind in range(KINDS - 1, -1, -1):
        back |= np.int64(after[kind] == least + 1) << kind
        if after[kind] != least:
            continue
        keep |= np.int64(1) << kind
        all_accepted |= prospects["accepted"][kind]
        moved, placed = np.int64(kind), False
        for n in range(BEST_DISCARDS):
            if moved >= 0 and (placed or best[n] < 0 or tiles[moved] > tiles[best[n]]):
                moved, best[n] = best[n], moved
                placed = True
    prospects["least"], prospects["keep"], prospects["back"] = least, keep, back
    prospects["all_accepted"] = all_accepted


@jit
def find_prospects(lookup, hand, n_melds, left, forbidden, prospects):
    """Fill `prospects` for a hand u8[34] of 3n+2 tiles, at least one of which may be discarded.

    left: nested sets of the unseen tiles; forbidden: kinds that may not be discarded, which count as not held.
    """
    remaining, after = prospects["remaining"], prospects["shanten"]
    for kind in range(KINDS):
        remaining[kind] = multiplicity(left, kind)
    accepted_by_discard(lookup, hand, n_melds, remaining, prospects["accepted"], prospects["tiles"], after)
    for kind in range(KINDS):
        if forbidden >> kind & 1:
            after[kind] = NO_SHANTEN
    _sort_prospects(prospects)


@jit
def encode_tiles_by_discard(prospects, wanted, first, steps, out):
    """Write, for each step, the discards that leave the shanten `wanted` and at least that many accepted tiles."""
    for n in range(len(steps)):
        out[first + n] = 0
    for kind in range(KINDS):
        if prospects["shanten"][kind] == wanted:
            tiles = prospects["tiles"][kind]
            for n in range(len(steps)):
                out[first + n] |= np.int64(tiles >= steps[n]) << kind


@jit
def _furiten_discards(discarded, prospects):
    """Return the tenpai discards after which the hand waits for a kind that it has itself discarded (furiten)."""
    furiten, kinds = np.int64(0), prospects["keep"]
    while kinds:
        bit = kinds & -kinds
        kinds ^= bit
        if prospects["accepted"][bit_count(bit - 1)] & (discarded | bit):
            furiten |= bit
    return furiten


@jit
def _encode_discards(lookup, game, seat, out):
    """Write the planes of a hand of 3n+2 tiles, by discard."""
    held = np.empty(1, PROSPECTS)
    prospects = held[0]
    left, n_melds = read_nested(out, at.tiles_left), np.int64(game["n_melds"][seat])
    forbidden = game["forbidden"] if game["turn"] == seat else np.int64(0)
    find_prospects(lookup, game["hand"][seat], n_melds, left, forbidden, prospects)
    least, best = prospects["least"], prospects["best"]
    at_most(out, at.efficiency_shanten, layout.SHANTEN_STEPS, least)
    out[at.efficiency_accepted] = prospects["all_accepted"]
    at_least(out, at.efficiency_tiles, layout.ACCEPTED_STEPS, np.int64(prospects["tiles"][best[0]]))
    out[at.efficiency_keep] = prospects["keep"]
    out[at.efficiency_back] = prospects["back"]
    encode_tiles_by_discard(prospects, least, at.efficiency_keep_tiles, layout.ACCEPTED_STEPS, out)
    encode_tiles_by_discard(prospects, least + 1, at.efficiency_back_tiles, layout.BACK_STEPS, out)
    for n in range(BEST_DISCARDS):
        if best[n] >= 0:
            out[at.efficiency_best + n] = np.int64(1) << best[n]
            out[at.efficiency_best_accepted + n] = prospects["accepted"][best[n]]
    if least == TENPAI:
        out[at.efficiency_furiten_discards] = _furiten_discards(game["discarded"][seat], prospects)
        if may_riichi(game, seat):
            out[at.legal_riichi] = prospects["keep"]
    hold(held)


@jit
def _encode_waiting(lookup, game, seat, out):
    """Write shanten and accepted tiles of a hand of 3n+1 tiles."""
    n_melds = np.int64(game["n_melds"][seat])
    distance = shanten_of_keys(lookup, game["suit_keys"][seat], n_melds)
    at_most(out, at.efficiency_shanten, layout.SHANTEN_STEPS, distance)
    kinds = accepted(lookup, game["hand"][seat], n_melds)
    out[at.efficiency_accepted] = kinds
    at_least(out, at.efficiency_tiles, layout.ACCEPTED_STEPS, count_in(read_nested(out, at.tiles_left), kinds))


@jit
def _encode_forms(held, out):
    """Write the shanten for seven pairs and for thirteen orphans, of a hand without melds."""
    pairs = 6 - bit_count(held[1]) + max(0, 7 - bit_count(held[0]))
    orphans = 13 - bit_count(held[0] & TERMINALS_AND_HONORS) - (held[1] & TERMINALS_AND_HONORS != 0)
    at_most(out, at.efficiency_pairs, layout.FORM_SHANTEN_STEPS, pairs)
    at_most(out, at.efficiency_orphans, layout.FORM_SHANTEN_STEPS, orphans)


@jit
def _encode_waits(game, seat, drawn, out):
    """Write the waits of the hand without its drawn tile, whether the drawn or claimable tile completes it, furiten."""
    waits = game["waits"][seat]
    tile = np.int64(NO_TILE)
    if drawn:
        tile = np.int64(game["drawn"])
    elif game["turn"] != seat and (game["phase"] == PHASE_CLAIM or game["phase"] == PHASE_KONG_CLAIM):
        tile = np.int64(game["claim_tile"])
    out[at.efficiency_waits] = waits
    out[at.efficiency_complete] = flag(waits >> (tile >> 2) & 1 != 0)
    out[at.efficiency_furiten] = flag(waits & game["discarded"][seat] != 0)
    out[at.efficiency_furiten + 1] = flag(game["missed"][seat] & MISSED_NOW != 0)
    out[at.efficiency_furiten + 2] = flag(game["missed"][seat] & MISSED_IN_RIICHI != 0)


@jit
def encode_efficiency(lookup, game, seat, out):
    """Write the own hand's progress; the planes of the own hand and of the tiles left must already be written."""
    held = read_nested(out, at.hand_count)
    to_discard = count_in(held, np.int64(ALL_KINDS)) % 3 == 2
    drawn = has_drawn(game, seat)
    if to_discard:
        _encode_discards(lookup, game, seat, out)
    else:
        _encode_waiting(lookup, game, seat, out)
    if drawn or not to_discard:  # between a call and its discard there is no waiting hand
        _encode_waits(game, seat, drawn, out)
    if game["n_melds"][seat] == 0:
        _encode_forms(held, out)
