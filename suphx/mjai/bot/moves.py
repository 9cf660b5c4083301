"""The changes that a seat's view makes to its record: swapping hidden tiles, and carrying out moves of other seats.

The record's hidden tiles are made up, so nothing may depend on what the engine would conclude from another seat's hand:
who claims, wins or declares is taken from the events alone. Likewise, indicators are shown when an event shows them,
because hosts differ in the timing. Compiled.
"""

import numpy as np

from simulator.asking import ask_claims, ask_turn
from simulator.engine import advance, discard
from simulator.jit import jit
from simulator.moves import add_tile, push_event, take_tile
from simulator.record import EVENT_DORA, EVENT_DRAW, NO_TILE, PASS, SEATS
from simulator.redeal.hidden import set_waits
from simulator.tiles import TILES
from simulator.walls import DORA_INDICATORS


@jit
def _owner(game, tile):
    for seat in range(SEATS):
        if game["copies"][seat, tile >> 2] >> (tile & 3) & 1:
            return seat
    return -1


@jit
def _swapped(tile, one, other):
    return other if tile == one else one if tile == other else tile


@jit
def swap_hidden(lookup, game, one, other):
    """Swap two hidden tiles wherever they occur in the record: in the wall, in draw events and in hands."""
    if one == other:
        return
    for n in range(TILES):
        game["wall"][n] = _swapped(np.int64(game["wall"][n]), one, other)
    for n in range(np.int64(game["n_events"])):
        event = np.int64(game["events"][n])
        if event & 15 == EVENT_DRAW:
            game["events"][n] = event & 255 | _swapped(event >> 8, one, other) << 8
    game["drawn"] = _swapped(np.int64(game["drawn"]), one, other)
    holder, other_holder = _owner(game, one), _owner(game, other)
    if holder != other_holder:
        if holder >= 0:
            take_tile(game, holder, one)
            add_tile(game, holder, other)
        if other_holder >= 0:
            take_tile(game, other_holder, other)
            add_tile(game, other_holder, one)
    for seat in (holder, other_holder):
        if seat >= 0:
            set_waits(lookup, game, seat)


@jit
def show_indicator(game):
    """Reveal the next indicator, which is already in its place in the wall."""
    n = np.int64(game["indicators"])
    game["indicators"] = n + 1
    push_event(game, EVENT_DORA, 0, 0, np.int64(game["wall"][DORA_INDICATORS[n]]))


@jit
def _keep_question(game, own):
    """Leave only the own seat asked, and set the number of indicators still to be shown for kongs."""
    game["asked"] &= 1 << own
    game["pending"] &= 1 << own
    game["pending_indicators"] = 0
    if game["rules"]["kong_dora"] and game["kongs"] + 1 > game["indicators"]:
        game["pending_indicators"] = game["kongs"] + 1 - game["indicators"]


@jit
def carry_out(lookup, game, own, seat, action, hint_1, hint_2):
    """Let a seat take `action`, on its turn or as its claim, and all others pass; advance to the next question.

    `hint_1`, `hint_2`: physical tiles of the action, or NO_TILE. The action is not checked for legality. Indicators
    stay as they are. Afterwards only the seat `own` is asked.
    """
    for other in range(SEATS):
        game["answers"][other] = PASS
    game["answers"][seat] = action
    game["asked"] = 1 << seat
    game["pending"] = 0
    by_kongs = game["rules"]["kong_dora"]
    game["rules"]["kong_dora"] = 0
    game["pending_indicators"] = 0
    advance(lookup, game, False, hint_1, hint_2)
    game["rules"]["kong_dora"] = by_kongs
    _keep_question(game, own)


@jit
def carry_out_discard(lookup, game, own, action, tile):
    """Let the seat to move discard a physical tile by `action`; the game then stops with the tile open to claims."""
    game["pending_indicators"] = 0
    discard(lookup, game, action, tile)
    ask_claims(lookup, game)
    _keep_question(game, own)


@jit
def ask_own_turn(lookup, game, own, tile):
    """Make `tile` the own seat's drawn tile and ask the seat for its turn (anew, if it was asked with another tile)."""
    swap_hidden(lookup, game, np.int64(game["drawn"]), tile)
    game["decisions"][own] -= game["asked"] >> own & 1
    game["asked"] = 0
    game["pending"] = 0
    ask_turn(lookup, game)


assert NO_TILE >= TILES
