"""Encode the look-ahead planes of a position, or of that after a proposed call: a separate stage (see `lookahead`).

The look-ahead sees what one seat sees of the game.
"""

import numpy as np

from simulator.jit import hold, jit
from simulator.lookup import COPIES
from simulator.moves import has_red_five, is_red_tile, tiles_left
from simulator.record import NO_TILE, RIVER_CALLED, SEATS
from simulator.tiles import DORA_OF, KINDS, RED_FIVE_KINDS
from simulator.walls import DORA_INDICATORS
from suphx.features import at
from suphx.features.lookahead import PLANES, VIEW, lookahead
from suphx.features.proposals import PROPOSAL, propose

_END = at.lookahead_points + PLANES

#: The action of a position without a proposed call.
NO_PROPOSAL = -1


@jit
def _show(game, view, tile):
    """Remove a tile that the seat sees from the unseen tiles."""
    view["unseen"][tile >> 2] -= 1
    if is_red_tile(game, tile):
        view["unseen_red"][tile // 36] -= 1


@jit
def _see_table(game, view):
    """Remove the tiles visible on the table from the unseen tiles, and write the dora."""
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
    """Write what a seat sees of a game into a VIEW; draws_left assumes no further calls: every fourth tile left."""
    for kind in range(KINDS):
        view["hand"][kind] = game["hand"][seat, kind]
        view["unseen"][kind] = COPIES - game["hand"][seat, kind]
        view["dora"][kind] = 0
    for suit in range(3):
        view["red"][suit] = 1 if has_red_five(game, seat, RED_FIVE_KINDS[suit]) else 0
        view["unseen_red"][suit] = game["rules"]["red_fives"] - view["red"][suit]
    view["n_melds"] = game["n_melds"][seat]
    for n in range(np.int64(view["n_melds"])):
        view["melds"][n] = game["melds"][seat, n]
    _see_table(game, view)
    view["seat_wind"] = (seat - np.int64(game["dealer"])) & 3
    view["round_wind"] = np.int64(game["round"]) >> 2 & 3
    view["draws_left"] = max(0, tiles_left(game)) // SEATS


@jit
def _see_proposal(proposal, view):
    """Copy the hand and the melds after a proposed call into a view."""
    for kind in range(KINDS):
        view["hand"][kind] = proposal["hand"][kind]
    for suit in range(3):
        view["red"][suit] = proposal["reds"] >> RED_FIVE_KINDS[suit] & 1
    view["n_melds"] = proposal["n_melds"]
    for n in range(proposal["n_melds"]):
        view["melds"][n] = proposal["melds"][n]


@jit
def encode_lookahead_all(lookup, games, index, seats, actions, out):
    """Write the look-ahead planes of many positions; actions: the proposed calls, or NO_PROPOSAL."""
    views, proposals = np.empty(1, VIEW), np.empty(1, PROPOSAL)
    view, proposal = views[0], proposals[0]
    for n in range(len(index)):
        game, seat = games[index[n]], np.int64(seats[n])
        see(game, seat, view)
        if actions[n] != NO_PROPOSAL:
            propose(game, seat, np.int64(actions[n]), proposal)
            _see_proposal(proposal, view)
        lookahead(lookup, view, game["rules"], out[n, at.lookahead_points : _END])
    hold(views)
    hold(proposals)
