"""Encode the rivers and melds of all seats, and what rivals' melds say about their hands."""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.moves import is_five, is_kong, is_red_tile
from simulator.players.sight import meld_mask, triplet_yaku
from simulator.tiles import HONORS, TERMINALS_AND_HONORS
from suphx.features import at, layout, layout_calls
from suphx.features.layout import MELD_PLACES, RIVER_PLACES
from suphx.features.layout_groups import COUNTS
from suphx.features.planes import add_one, at_least, flag, multiplicity

_SUIT = 0b111111111
_COPIES_TOLD_APART = 3


@jit
def encode_river(game, seat, relative, opened, out):
    """Write the river of a seat; return the open tiles (nested sets) plus its discards that were not called."""
    places = at.rivers_order + relative * RIVER_PLACES
    once, twice = np.int64(0), np.int64(0)
    first_from_hand, second_from_hand, later_from_hand = np.int64(0), np.int64(0), np.int64(0)
    late, riichi, called, red = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    last, last_from_hand = np.int64(0), np.int64(0)
    riichi_place, streak = np.int64(0), np.int64(0)
    red_fives = game["rules"]["red_fives"] != 0
    river = game["river"][seat]
    for n in range(np.int64(game["n_river"][seat])):
        entry = np.int64(river[n])
        tile = entry & 255
        kind = tile >> 2
        last = np.int64(1) << kind
        if n < RIVER_PLACES - 1:
            out[places + n] = last
        else:
            late |= last
        if entry & r.RIVER_DRAWN:
            streak += 1
        else:
            streak = np.int64(0)
            last_from_hand = last
            first_from_hand |= last & ~once
            second_from_hand |= last & once & ~twice
            later_from_hand |= last & twice
        twice |= once & last
        once |= last
        if entry & r.RIVER_RIICHI:
            riichi, riichi_place = last, np.int64(n + 1)
        if entry & r.RIVER_CALLED:
            called |= last
        else:
            opened = add_one(opened, last)
        if tile & 3 == 0 and red_fives and is_five(kind):
            red |= last
    out[places + RIVER_PLACES - 1] = late
    from_hand = at.rivers_from_hand + _COPIES_TOLD_APART * relative
    out[from_hand], out[from_hand + 1], out[from_hand + 2] = first_from_hand, second_from_hand, later_from_hand
    out[at.rivers_riichi + relative] = riichi
    out[at.rivers_called + relative] = called
    out[at.rivers_red + relative] = red
    out[at.rivers_last + relative] = last
    out[at.rivers_last_from_hand + relative] = last_from_hand
    if relative:
        first = at.riichi_place + (relative - 1) * len(layout.RIICHI_PLACE_STEPS)
        at_least(out, first, layout.RIICHI_PLACE_STEPS, riichi_place)
        at_least(out, at.reading_streak + (relative - 1) * len(layout.STREAK_STEPS), layout.STREAK_STEPS, streak)
    return opened


@jit
def red_in_meld(game, meld):
    """Return the five whose red tile is in a meld, as a set of kinds; 0 if there is none."""
    for place in range(4):
        tile = np.int64(meld["tiles"][place])
        if tile != r.NO_TILE and is_red_tile(game, tile):
            return np.int64(1) << (tile >> 2)
    return np.int64(0)


@jit
def dora_han(game, meld, dora):
    """Return the han of dora and red fives in a meld; dora: the kinds given by the indicators, as nested sets."""
    red, kind = red_in_meld(game, meld) != 0, np.int64(meld["kind"])
    if meld["type"] == r.MELD_CHOW:
        return red + multiplicity(dora, kind) + multiplicity(dora, kind + 1) + multiplicity(dora, kind + 2)
    return red + multiplicity(dora, kind) * (4 if is_kong(meld["type"]) else 3)


@jit
def encode_melds(game, seat, relative, viewer, opened, out):
    """Write the melds of a seat; return the open tiles (nested sets) plus those of the melds."""
    added = np.int64(0)
    for n in range(np.int64(game["n_melds"][seat])):
        meld = game["melds"][seat, n]
        meld_at = MELD_PLACES * relative + n
        meld_type = np.int64(meld["type"])
        kinds = meld_mask(meld)
        out[at.melds_kinds + meld_at] = kinds
        out[at.melds_red + meld_at] = red_in_meld(game, meld)
        opened = add_one(opened, kinds)
        if meld_type != r.MELD_CHOW:
            opened = add_one(add_one(opened, kinds), kinds)
        if is_kong(meld_type):
            opened = add_one(opened, kinds)
            out[at.melds_kong + meld_at] = kinds
        if meld_type == r.MELD_ADDED_KONG:
            added |= kinds
        if meld_type != r.MELD_CLOSED_KONG:
            source = (np.int64(meld["source"]) - viewer) & 3
            place = source - 1 if source > relative else source
            out[at.melds_from + (r.SEATS - 1) * meld_at + place] = np.int64(1) << (np.int64(meld["tiles"][0]) >> 2)
    out[at.melds_added + relative] = added
    at_least(out, at.melds_open + relative * len(COUNTS), COUNTS, np.int64(game["n_open"][seat]))
    return opened


@jit
def read_melds(game, seat, melds, n_melds, dora):
    """Return what a seat's melds hold.

    These are: their kinds and the lowest kinds of their runs, both as sets; whether each has a terminal or honor; the
    han of dora and red fives in them; and the han of triplets that are a yaku by themselves. dora: as `dora_han`.
    """
    kinds, runs, outside = np.int64(0), np.int64(0), True
    han, valued = np.int64(0), np.int64(0)
    for n in range(n_melds):
        meld = melds[n]
        in_meld = meld_mask(meld)
        kinds |= in_meld
        outside = outside and in_meld & TERMINALS_AND_HONORS != 0
        han += dora_han(game, meld, dora)
        if meld["type"] == r.MELD_CHOW:
            runs |= np.int64(1) << np.int64(meld["kind"])
        else:
            valued += triplet_yaku(game, seat, np.int64(meld["kind"]))
    return kinds, runs, outside, han, valued


@jit
def encode_reading(game, seat, rival, out):
    """Write what a seat's melds say about its hand; `rival`: 0..2, from the right. Dora must already be written."""
    n_melds = np.int64(game["n_melds"][seat])
    if n_melds == 0:
        return
    dora = (out[at.dora_count], out[at.dora_count + 1], out[at.dora_count + 2], np.int64(0))
    kinds, runs, outside, han, valued = read_melds(game, seat, game["melds"][seat], n_melds, dora)
    is_open = game["n_open"][seat] > 0
    flush = np.int64(0)
    for suit in range(3):
        in_flush = np.int64(HONORS | _SUIT << 9 * suit)
        if is_open and kinds & ~in_flush == 0:
            flush |= in_flush
    out[at.reading_flush + rival] = flush
    at_least(out, at.reading_yaku + rival * len(layout_calls.VALUED_STEPS), layout_calls.VALUED_STEPS, valued)
    at_least(out, at.reading_han + rival * len(layout.VISIBLE_HAN_STEPS), layout.VISIBLE_HAN_STEPS, han + valued)
    out[at.reading_triplets + rival] = flag(is_open and runs == 0)
    out[at.reading_simples + rival] = flag(is_open and kinds & TERMINALS_AND_HONORS == 0)
    out[at.reading_outside + rival] = flag(is_open and outside)
