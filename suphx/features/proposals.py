"""A proposed call: the hand and the melds as they would be after it."""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.legal import swap_forbidden
from simulator.moves import pong_of
from simulator.tiles import KINDS
from suphx.features.encode_table import own_reds

# Kinds of proposed call, in the order of the planes `call.what`; chows by the place of the called tile.
PROPOSE_PONG, PROPOSE_OPEN_KONG, PROPOSE_CLOSED_KONG, PROPOSE_ADDED_KONG = 3, 4, 5, 6

_MOST_MELDS = 4
_ONE, _TWO, _THREE, _FOUR = np.arange(1, 5)  # not literal ints, for each of which Numba would compile again
_PLAIN_COPY = 1  # this copy is never a red five, for any kind

#: A proposed call, and the hand and melds after it.
PROPOSAL = np.dtype([
    ("what", "i8"),  # 0, 1, 2: chow low, middle, high; otherwise PROPOSE_*
    ("tile", "i8"),  # the claimed tile, or for a closed or added kong a tile of its kind
    ("kind", "i8"),  # its kind
    ("used", "i8", (4,)),  # own concealed tiles that the call uses, as nested sets
    ("used_red", "i8"),  # the five of which it uses the own red tile, as a set of kinds
    ("forbidden", "i8"),  # kinds that may not be discarded after it
    ("hand", "u1", (KINDS,)),  # the concealed tiles after it
    ("reds", "i8"),  # the fives whose red tile is among them, as a set of kinds
    ("melds", r.MELD, (_MOST_MELDS,)),  # with the new one; kinds and red fives are exact, other copies are not
    ("n_melds", "i8"),
    ("meld", "i8"),  # index of the new one
], align=True)  # fmt: skip


@jit
def _use(proposal, kind, count, red):
    """Take `count` tiles of a kind from the hand, including the red one if `red`; return the first physical tile."""
    bit = np.int64(1) << kind
    for n in range(count):
        proposal["used"][n] |= bit
    proposal["hand"][kind] -= count
    if red:
        proposal["used_red"] |= proposal["reds"] & bit
        proposal["reds"] &= ~bit
        if proposal["used_red"] & bit:
            return kind << 2
    return kind << 2 | _PLAIN_COPY


@jit
def _new_meld(proposal, meld_type, kind, source):
    """Add a meld, without its tiles, and return it."""
    n = proposal["n_melds"]
    proposal["meld"], proposal["n_melds"] = n, n + 1
    meld = proposal["melds"][n]
    meld["type"], meld["kind"], meld["source"] = meld_type, kind, source
    for place in range(4):
        meld["tiles"][place] = r.NO_TILE
    return meld


@jit
def _propose_own_kong(game, seat, action, proposal):
    closed = action < r.ADDED_KONG
    kind = action - (r.CLOSED_KONG if closed else r.ADDED_KONG)
    proposal["tile"], proposal["kind"] = kind << 2 | _PLAIN_COPY, kind
    if closed:
        proposal["what"] = PROPOSE_CLOSED_KONG
        meld = _new_meld(proposal, r.MELD_CLOSED_KONG, kind, seat)
        _use(proposal, kind, _FOUR, True)
        for copy in range(4):
            meld["tiles"][copy] = kind << 2 | copy
    else:
        proposal["what"] = PROPOSE_ADDED_KONG
        n = pong_of(game, seat, kind)
        proposal["meld"] = n
        meld = proposal["melds"][n]
        meld["type"] = r.MELD_ADDED_KONG
        meld["tiles"][3] = _use(proposal, kind, _ONE, True)


@jit
def _propose_claim(game, seat, action, proposal):
    tile, source = np.int64(game["claim_tile"]), np.int64(game["turn"])
    kind = tile >> 2
    proposal["tile"], proposal["kind"] = tile, kind
    if action < r.PONG:
        place, red = (action - r.CHOW_LOW) >> 1, (action - r.CHOW_LOW) & 1 == 1
        proposal["what"] = place
        first = kind - place
        meld = _new_meld(proposal, r.MELD_CHOW, first, source)
        meld["tiles"][1] = _use(proposal, first if place else first + 1, _ONE, red)
        meld["tiles"][2] = _use(proposal, first + 1 if place == 2 else first + 2, _ONE, red)
        proposal["forbidden"] = swap_forbidden(game, kind, place)
    elif action == r.OPEN_KONG:
        proposal["what"] = PROPOSE_OPEN_KONG
        meld = _new_meld(proposal, r.MELD_OPEN_KONG, kind, source)
        meld["tiles"][1] = _use(proposal, kind, _THREE, True)
        meld["tiles"][2] = meld["tiles"][3] = kind << 2 | _PLAIN_COPY
    else:
        proposal["what"] = PROPOSE_PONG
        meld = _new_meld(proposal, r.MELD_PONG, kind, source)
        meld["tiles"][1] = _use(proposal, kind, _TWO, action == r.PONG_RED)
        meld["tiles"][2] = kind << 2 | _PLAIN_COPY
        proposal["forbidden"] = swap_forbidden(game, kind, -1)
    meld["tiles"][0] = tile


@jit
def propose(game, seat, action, proposal):
    """Fill a PROPOSAL record for a legal chow, pong or kong of a seat."""
    for n in range(4):
        proposal["used"][n] = 0
    proposal["used_red"], proposal["forbidden"] = 0, 0
    proposal["reds"] = own_reds(game, seat)
    for kind in range(KINDS):
        proposal["hand"][kind] = game["hand"][seat, kind]
    n_melds = np.int64(game["n_melds"][seat])
    proposal["n_melds"] = n_melds
    for n in range(n_melds):
        proposal["melds"][n] = game["melds"][seat, n]
    if action >= r.CLOSED_KONG:
        _propose_own_kong(game, seat, action, proposal)
    else:
        _propose_claim(game, seat, action, proposal)
