"""The effects of chows, pongs and kongs on a game: the meld, liability (pao), the replacement and dora indicator."""

import numpy as np

from simulator import moves
from simulator import record as r
from simulator.jit import jit
from simulator.rules import OPEN_KONG_DORA_DISCARD
from simulator.shanten import waits
from simulator.tiles import DRAGONS, EAST, NORTH, RED, WHITE, WINDS


@jit
def _break_first_turns(game):
    """End every ippatsu and the uninterrupted first turn, as any call or kong does."""
    game["interrupted"] = 1
    for seat in range(4):
        game["ippatsu"][seat] = 0


@jit
def _note_liability(game, seat, kind, source):
    """Record who is liable (pao): the seat whose tile made big three dragons, big four winds or four kongs certain."""
    dragons = 0
    winds = 0
    kongs = 0
    for n in range(np.int64(game["n_melds"][seat])):
        meld = game["melds"][seat, n]
        if meld["type"] != r.MELD_CHOW:
            dragons += np.int64(DRAGONS) >> meld["kind"] & 1
            winds += np.int64(WINDS) >> meld["kind"] & 1
        kongs += moves.is_kong(meld["type"])
    rules = game["rules"]
    if rules["liability_dragons"] and dragons == 3 and WHITE <= kind <= RED:
        game["liable_dragons"][seat] = source
    if rules["liability_winds"] and winds == 4 and EAST <= kind <= NORTH:
        game["liable_winds"][seat] = source
    if (
        rules["liability_kongs"]
        and kongs == 4
        and moves.is_kong(game["melds"][seat, game["n_melds"][seat] - 1]["type"])
    ):
        game["liable_kongs"][seat] = source


@jit
def _mark_called(game, source, seat):
    last = np.int64(game["n_river"][source]) - 1
    game["river"][source, last] |= r.RIVER_CALLED | seat << r.RIVER_CALLER_SHIFT


@jit
def _own_copy(game, seat, kind, red, hint):
    """Return the physical tile of a kind that a call takes from the hand."""
    if hint != r.NO_TILE:
        return np.int64(hint)
    if red and moves.has_red_five(game, seat, kind):
        return kind << 2
    return kind << 2 | moves.lowest_copy(moves.plain_copies(game, seat, kind))


@jit
def call(game, seat, action, hint_1, hint_2):
    """Make a chow, pong or open kong with the claimed tile; return its kind and its place in a chow (-1 if none)."""
    source = np.int64(game["turn"])
    tile = np.int64(game["claim_tile"])
    kind = tile >> 2
    place = -1
    own_3 = r.NO_TILE
    if action == r.OPEN_KONG:
        first, copy = kind << 2, tile & 3  # the other three copies, ascending
        own_1, own_2, own_3 = first + (copy == 0), first + 1 + (copy <= 1), first + 2 + (copy <= 2)
        meld_type, event = r.MELD_OPEN_KONG, r.EVENT_OPEN_KONG
    elif action == r.PONG or action == r.PONG_RED:
        own_1 = _own_copy(game, seat, kind, action == r.PONG_RED, hint_1)
        if hint_2 != r.NO_TILE:
            own_2 = np.int64(hint_2)
        else:
            own_2 = kind << 2 | moves.lowest_copy(moves.plain_copies(game, seat, kind) & ~(1 << (own_1 & 3)))
        meld_type, event = r.MELD_PONG, r.EVENT_PONG
    else:
        place = (action - r.CHOW_LOW) >> 1
        red = (action - r.CHOW_LOW) & 1 == 1
        first = kind - place
        own_1 = _own_copy(game, seat, first if place else first + 1, red, hint_1)
        own_2 = _own_copy(game, seat, first + 1 if place == 2 else first + 2, red, hint_2)
        meld_type, event = r.MELD_CHOW, r.EVENT_CHOW
    moves.take_tile(game, seat, own_1)
    moves.take_tile(game, seat, own_2)
    if own_3 != r.NO_TILE:
        moves.take_tile(game, seat, own_3)
    n = moves.add_meld(game, seat, meld_type, tile, own_1, own_2, own_3, source)
    moves.push_event(game, event, seat, n, tile)
    _mark_called(game, source, seat)
    _break_first_turns(game)
    game["turn"] = seat
    game["claim_tile"] = r.NO_TILE
    if meld_type != r.MELD_CHOW:
        _note_liability(game, seat, kind, source)
    return kind, place


@jit
def replace_after_kong(lookup, game, closed):
    """Count a kong that nobody has robbed, reveal dora indicators and draw the replacement.

    A closed kong's indicator is revealed at once. That of an open or added kong is revealed with the next discard, or
    before the replacement of a further kong (unless the rules reveal it at once too).
    """
    seat = np.int64(game["turn"])
    game["claim_tile"] = r.NO_TILE
    game["robbing"] = 0
    _break_first_turns(game)
    game["kongs"] += 1
    moves.show_pending_indicators(game)
    if game["rules"]["kong_dora"]:
        game["pending_indicators"] += 1
        if closed or game["rules"]["open_kong_dora"] != OPEN_KONG_DORA_DISCARD:
            moves.show_pending_indicators(game)
    if not game["riichi"][seat]:
        # The waits of the hand without the tiles of the kong: a win on the replacement tile needs them.
        game["waits"][seat] = waits(lookup, game["hand"][seat], np.int64(game["n_melds"][seat]))
    moves.draw_replacement(game, seat)
    game["phase"] = r.PHASE_TURN
    game["asked"] = 0


@jit
def declare_kong(game, action, hint):
    """Make a closed or added kong for the seat whose turn it is."""
    seat = np.int64(game["turn"])
    if action >= r.ADDED_KONG:
        kind = action - r.ADDED_KONG
        tile = np.int64(hint)
        if hint == r.NO_TILE:
            tile = kind << 2 | moves.lowest_copy(np.int64(game["copies"][seat, kind]))
        moves.take_tile(game, seat, tile)
        n = moves.pong_of(game, seat, kind)
        game["melds"][seat, n]["type"] = r.MELD_ADDED_KONG
        game["melds"][seat, n]["tiles"][3] = tile
        moves.push_event(game, r.EVENT_ADDED_KONG, seat, n, tile)
    else:
        kind = action - r.CLOSED_KONG
        tile = kind << 2
        for copy in range(4):
            moves.take_tile(game, seat, tile | copy)
        n = moves.add_meld(game, seat, r.MELD_CLOSED_KONG, tile, tile + 1, tile + 2, tile + 3, seat)
        moves.push_event(game, r.EVENT_CLOSED_KONG, seat, n, tile)
    game["drawn"] = r.NO_TILE
    game["claim_tile"] = tile
    game["robbing"] = 1
    game["phase"] = r.PHASE_KONG_CLAIM
