"""The elementary changes of a game record: tiles in and out of a hand, events, the river, melds, draws, indicators.

Nothing here checks whether a move is legal; `legal.py` does that, and `engine.py` puts the moves in order.
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.shanten import KEY_STEP
from simulator.tiles import RED_FIVE_KINDS
from simulator.walls import DEAD_WALL, DORA_INDICATORS, REPLACEMENTS

_FIVE_M, _FIVE_P, _FIVE_S = RED_FIVE_KINDS


@jit
def tiles_left(game):
    """Return how many tiles can still be drawn from the live wall."""
    return np.int64(game["next_draw"]) - DEAD_WALL - np.int64(game["kongs"]) + 1


@jit
def is_five(kind):
    """Return whether the kind is one that has a red copy."""
    return kind == _FIVE_M or kind == _FIVE_P or kind == _FIVE_S


@jit
def is_red_tile(game, tile):
    """Return whether a physical tile is a red five in this game."""
    return game["rules"]["red_fives"] != 0 and tile & 3 == 0 and is_five(tile >> 2)


@jit
def has_red_five(game, seat, kind):
    """Return whether a hand holds the red five of a kind."""
    return game["rules"]["red_fives"] != 0 and is_five(kind) and game["copies"][seat, kind] & 1 == 1


@jit
def plain_copies(game, seat, kind):
    """Return the bits of the copies of a kind that a seat holds, except the red five and the tile just drawn."""
    copies = np.int64(game["copies"][seat, kind])
    drawn = np.int64(game["drawn"])
    if drawn != r.NO_TILE and seat == game["turn"] and drawn >> 2 == kind:
        copies &= ~(1 << (drawn & 3))
    if is_five(kind) and game["rules"]["red_fives"]:
        copies &= ~1
    return copies


@jit
def lowest_copy(copies):
    """Return the lowest copy number of a non-empty set of copies."""
    copy = 0
    while not copies >> copy & 1:
        copy += 1
    return copy


@jit
def add_tile(game, seat, tile):
    """Put a physical tile into a hand."""
    kind = tile >> 2
    game["hand"][seat, kind] += 1
    game["copies"][seat, kind] |= 1 << (tile & 3)
    game["suit_keys"][seat, kind // 9] += KEY_STEP[kind]


@jit
def take_tile(game, seat, tile):
    """Take a physical tile out of a hand."""
    kind = tile >> 2
    game["hand"][seat, kind] -= 1
    game["copies"][seat, kind] &= 15 ^ (1 << (tile & 3))
    game["suit_keys"][seat, kind // 9] -= KEY_STEP[kind]


@jit
def push_event(game, event_type, seat, extra, tile):
    """Append an event to this round's events."""
    n = np.int64(game["n_events"])
    if n < r.MAX_EVENTS:  # never false in a legal round; an invalid record must not be written beyond its end
        game["events"][n] = event_type | seat << 4 | extra << 6 | tile << 8
        game["n_events"] = n + 1


@jit
def push_river(game, seat, tile, drawn, riichi):
    """Put a discard into the river."""
    n = np.int64(game["n_river"][seat])
    if n < r.MAX_RIVER:  # 30 is the maximum possible (70 draws, 16 calls)
        game["river"][seat, n] = tile | (r.RIVER_DRAWN if drawn else 0) | (r.RIVER_RIICHI if riichi else 0)
        game["n_river"][seat] = n + 1
    game["discarded"][seat] |= np.int64(1) << (tile >> 2)


@jit
def _draw(game, seat, tile, replacement):
    add_tile(game, seat, tile)
    game["turn"] = seat
    game["drawn"] = tile
    game["replacement"] = replacement
    push_event(game, r.EVENT_DRAW, seat, replacement, tile)


@jit
def draw_live(game, seat):
    """Draw the next live tile for a seat."""
    tile = np.int64(game["wall"][game["next_draw"]])
    game["next_draw"] -= 1
    _draw(game, seat, tile, 0)


@jit
def draw_replacement(game, seat):
    """Draw the replacement tile of the kong that was just counted."""
    _draw(game, seat, np.int64(game["wall"][REPLACEMENTS[np.int64(game["kongs"]) - 1]]), 1)


@jit
def show_pending_indicators(game):
    """Reveal the dora indicators of earlier kongs that have not been revealed yet."""
    while game["pending_indicators"] > 0:
        game["pending_indicators"] -= 1
        n = np.int64(game["indicators"])
        if n < 5:
            game["indicators"] = n + 1
            push_event(game, r.EVENT_DORA, 0, 0, np.int64(game["wall"][DORA_INDICATORS[n]]))


@jit
def add_meld(game, seat, meld_type, called, own_1, own_2, own_3, source):
    """Record a new meld: called tile first, own ones ascending; return its index among the seat's melds."""
    n = np.int64(game["n_melds"][seat])
    meld = game["melds"][seat, n]
    meld["type"] = meld_type
    low = min(called >> 2, own_1 >> 2)
    meld["kind"] = min(low, own_2 >> 2)
    meld["tiles"][0] = called
    meld["tiles"][1] = own_1
    meld["tiles"][2] = own_2
    meld["tiles"][3] = own_3
    meld["source"] = source
    game["n_melds"][seat] = n + 1
    if meld_type != r.MELD_CLOSED_KONG:
        game["n_open"][seat] += 1
    return n


@jit
def is_kong(meld_type):
    """Return whether a meld type is a kong."""
    return meld_type == r.MELD_OPEN_KONG or meld_type == r.MELD_CLOSED_KONG or meld_type == r.MELD_ADDED_KONG


@jit
def pong_of(game, seat, kind):
    """Return the index of a seat's pong of a kind, or -1."""
    for n in range(np.int64(game["n_melds"][seat])):
        meld = game["melds"][seat, n]
        if meld["type"] == r.MELD_PONG and meld["kind"] == kind:
            return n
    return -1
