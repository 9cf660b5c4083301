"""Encode the look-ahead planes of a position, or of that after a proposed call: a separate stage (see `lookahead`)."""

from __future__ import annotations

import numpy as np

from simulator.jit import hold, jit
from simulator.tiles import KINDS, RED_FIVE_KINDS
from suphx.features.lookahead import PLANES
from suphx.features.lookahead_view import VIEW, look_ahead, see
from suphx.features.planes import start
from suphx.features.proposals import PROPOSAL, propose

_FIRST = start("lookahead.points")
_END = _FIRST + PLANES

#: The action of a position without a proposed call.
NO_PROPOSAL = -1


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
        look_ahead(lookup, view, game["rules"], out[n, _FIRST:_END])
    hold(views)
    hold(proposals)
