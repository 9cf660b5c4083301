"""What the look-ahead needs of a game as one seat sees it, with a proposed call made in the mind; compiled."""

from __future__ import annotations

import numpy as np

from simulator.jit import jit
from simulator.lookup import COPIES
from simulator.moves import has_red_five, is_red_tile, tiles_left
from simulator.record import (
    CHOW_LOW,
    CHOW_LOW_RED,
    MELD,
    MELD_CHOW,
    MELD_OPEN_KONG,
    MELD_PONG,
    NO_TILE,
    OPEN_KONG,
    PONG,
    RIVER_CALLED,
    SEATS,
)
from simulator.tiles import DORA_OF, KINDS, RED_FIVE_KINDS
from simulator.wall import DORA_INDICATORS
from suphx.features.lookahead import lookahead

#: The arguments of `lookahead`, as it documents them.
VIEW = np.dtype(
    [
        ("hand", np.uint8, (KINDS,)),
        ("red", np.uint8, (3,)),
        ("melds", MELD, (4,)),
        ("n_melds", np.uint8),
        ("unseen", np.uint8, (KINDS,)),
        ("unseen_red", np.uint8, (3,)),
        ("dora", np.uint8, (KINDS,)),
        ("seat_wind", np.uint8),
        ("round_wind", np.uint8),
        ("draws_left", np.uint8),
    ],
    align=True,
)


@jit
def _show(game, view, tile):
    """Take a tile that the seat sees off the unseen ones."""
    view["unseen"][tile >> 2] -= 1
    if is_red_tile(game, tile):
        view["unseen_red"][tile // 36] -= 1


@jit
def _see_table(game, view):
    """Take what lies on the table off the unseen tiles, and note the dora."""
    for seat in range(SEATS):
        for n in range(np.int64(game["n_river"][seat])):
            entry = np.int64(game["river"][seat, n])
            if not entry & RIVER_CALLED:
                _show(game, view, entry & 255)
        for n in range(np.int64(game["n_melds"][seat])):
            for place in range(4):
                tile = np.int64(game["melds"][seat, n]["tiles"][place])
                if tile != NO_TILE:
                    _show(game, view, tile)
    for n in range(np.int64(game["indicators"])):
        tile = np.int64(game["wall"][DORA_INDICATORS[n]])
        _show(game, view, tile)
        view["dora"][DORA_OF[tile >> 2]] += 1


@jit
def see(game, seat, view):
    """Write what a seat sees of a game into a VIEW; it draws on as if no call came, every fourth tile from now."""
    for kind in range(KINDS):
        view["hand"][kind] = game["hand"][seat, kind]
        view["unseen"][kind] = COPIES - game["hand"][seat, kind]
        view["dora"][kind] = 0
    for suit in range(3):
        view["red"][suit] = 1 if has_red_five(game, seat, RED_FIVE_KINDS[suit]) else 0
        view["unseen_red"][suit] = game["rules"]["red_fives"] - view["red"][suit]
    view["n_melds"] = game["n_melds"][seat]
    for n in range(np.int64(view["n_melds"])):
        _copy_meld(game["melds"][seat, n], view["melds"][n])
    _see_table(game, view)
    view["seat_wind"] = (seat - np.int64(game["dealer"])) & 3
    view["round_wind"] = np.int64(game["round"]) >> 2 & 3
    view["draws_left"] = max(0, tiles_left(game)) // SEATS


@jit
def _copy_meld(meld, copy):
    copy["type"], copy["kind"], copy["source"] = meld["type"], meld["kind"], meld["source"]
    for place in range(4):
        copy["tiles"][place] = meld["tiles"][place]


@jit
def _give(view, meld, place, kind, red):
    """Move a tile from the hand into a meld: the red five if `red` and there is one, else a plain one."""
    red = red and kind % 9 == 4 and kind < 27 and view["red"][kind // 9] > 0
    view["hand"][kind] -= 1
    meld["tiles"][place] = 4 * kind + (0 if red else 1)
    if red:
        view["red"][kind // 9] = 0


@jit
def call(game, view, action):
    """Make a chow, pong or open kong of the tile on offer in the mind: the VIEW of a seat that may, as after it."""
    tile = np.int64(game["claim_tile"])
    kind = tile >> 2
    n = np.int64(view["n_melds"])
    meld = view["melds"][n]
    meld["kind"], meld["source"] = kind, game["turn"]
    meld["tiles"][0], meld["tiles"][3] = tile, NO_TILE
    if action < PONG:
        meld["type"] = MELD_CHOW
        meld["kind"] = kind - ((action - CHOW_LOW) >> 1)
        place = 1
        for other in range(meld["kind"], meld["kind"] + 3):
            if other != kind:
                _give(view, meld, place, other, (action - CHOW_LOW) & 1 == CHOW_LOW_RED - CHOW_LOW)
                place += 1
    else:
        meld["type"] = MELD_OPEN_KONG if action == OPEN_KONG else MELD_PONG
        own = 3 if action == OPEN_KONG else 2
        for place in range(1, own + 1):
            _give(view, meld, place, kind, place == 1 and action != PONG)
    view["n_melds"] = n + 1


@jit
def look_ahead(lookup, view, rules, out):
    """Write the look-ahead planes of a VIEW into `out` (see `lookahead`)."""
    lookahead(
        lookup, view["hand"], view["red"], view["melds"], view["n_melds"], view["unseen"], view["unseen_red"],
        view["dora"], view["seat_wind"], view["round_wind"], view["draws_left"], rules, out,
    )  # fmt: skip
