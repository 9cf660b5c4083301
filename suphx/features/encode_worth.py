"""Encode the points of a hand in tenpai, without declaring riichi now: by each discard, and by each wait.

This is a separate stage after the others, since it needs scoring, which few positions use and which takes long to
compile.
"""

import numpy as np

from simulator.jit import hold, jit
from simulator.moves import is_red_tile
from simulator.record import NO_TILE, WIN
from simulator.scoring.blocks import bit_count
from simulator.scoring.payments import base_points
from simulator.scoring.winning import DOUBLE_RIICHI, RIICHI, score_hand
from simulator.shanten import accepted
from simulator.tiles import DORA_OF, KINDS
from simulator.walls import DORA_INDICATORS
from suphx.features import at, layout
from suphx.features.encode_table import own_reds

_MOST_POINTS = 1 << 30  # more than any win

#: A hand in tenpai and the points it would win.
WORTH = np.dtype([
    ("hand", "u1", (KINDS,)),  # the concealed tiles; 3n+1 of them while the waits are scored
    ("dora", "u1", (KINDS,)),  # how often each kind is dora
    ("own_dora", "i8"),  # han of dora in hand and melds
    ("reds", "i8"),  # fives whose red tile is concealed, as a set of kinds
    ("red", "i8"),  # red fives in hand and melds
    ("points", "i8", (KINDS,)),  # points of a ron on each wait
    ("win", WIN),  # scratch space to score a win
], align=True)  # fmt: skip


@jit
def _read_hand(game, seat, worth):
    """Write the hand, its dora and its red fives into `worth`."""
    hand, dora = worth["hand"], worth["dora"]
    for kind in range(KINDS):
        hand[kind] = game["hand"][seat, kind]
        dora[kind] = 0
    for n in range(np.int64(game["indicators"])):
        dora[DORA_OF[np.int64(game["wall"][DORA_INDICATORS[n]]) >> 2]] += 1
    own_dora = np.int64(0)
    for kind in range(KINDS):
        own_dora += np.int64(hand[kind]) * np.int64(dora[kind])
    reds = own_reds(game, seat)
    red = bit_count(reds)
    for n in range(np.int64(game["n_melds"][seat])):
        for place in range(4):
            tile = np.int64(game["melds"][seat, n]["tiles"][place])
            if tile != NO_TILE:
                own_dora += np.int64(dora[tile >> 2])
                red += is_red_tile(game, tile)
    worth["own_dora"], worth["reds"], worth["red"] = own_dora, reds, red


@jit
def _claim_points(game, seat, worth, kind, discard):
    """Return the points of a ron on `kind` after a discard (a set of one kind, or none); 0 without a yaku."""
    hand, win = worth["hand"], worth["win"]
    dora, red = worth["own_dora"] + np.int64(worth["dora"][kind]), worth["red"]
    if discard:
        gone = bit_count(discard - 1)
        dora -= np.int64(worth["dora"][gone])
        if worth["reds"] & discard and hand[gone] == 0:  # otherwise a plain five would be discarded instead
            red -= 1
    win["dora"], win["ura"], win["red"] = dora, 0, red
    situation = 0
    if game["riichi"][seat]:
        situation = DOUBLE_RIICHI if game["double_riichi"][seat] else RIICHI
    dealer = np.int64(game["dealer"])
    melds, n_melds = game["melds"][seat], np.int64(game["n_melds"][seat])
    round_wind = np.int64(game["round"]) >> 2
    hand[kind] += 1
    good = score_hand(hand, melds, n_melds, kind, situation, (seat - dealer) & 3, round_wind, game["rules"], win)
    hand[kind] -= 1
    if not good:
        return np.int64(0)
    base = base_points(np.int64(win["han"]), np.int64(win["fu"]), np.int64(win["yakuman"]), game["rules"])
    return (base * (6 if seat == dealer else 4) + 99) // 100 * 100


@jit
def _judge_waits(game, seat, waits, discard, worth):
    """Write the points of a ron on each wait into `worth`; return their maximum and minimum (0: no waits)."""
    most, least = np.int64(0), np.int64(_MOST_POINTS if waits else 0)
    while waits:
        kind = bit_count((waits & -waits) - 1)
        waits &= waits - 1
        points = _claim_points(game, seat, worth, kind, discard)
        worth["points"][kind] = points
        most, least = max(most, points), min(least, points)
    return most, least


@jit
def _write_waits(worth, waits, out):
    """Write the planes of the points of each wait."""
    while waits:
        kind = bit_count((waits & -waits) - 1)
        waits &= waits - 1
        for n in range(len(layout.VALUE_STEPS)):
            out[at.efficiency_value_wait + n] |= np.int64(worth["points"][kind] >= layout.VALUE_STEPS[n]) << kind


@jit
def encode_worth(lookup, game, seat, worth, out):
    """Write the points of a hand in tenpai, and nothing for any other hand; its other planes must already be written.

    worth: a WORTH record as scratch space. If there is a tile to discard, every discard that leaves the hand tenpai is
    scored.
    """
    if not out[at.efficiency_shanten]:
        return
    _read_hand(game, seat, worth)
    hand, n_melds = worth["hand"], np.int64(game["n_melds"][seat])
    discards = out[at.efficiency_keep]
    while True:
        discard = discards & -discards  # 0 if there is nothing to discard
        discards ^= discard
        kind = bit_count(discard - 1) if discard else np.int64(0)
        hand[kind] -= discard != 0
        waits = accepted(lookup, hand, n_melds) & out[at.tiles_left]
        most, least = _judge_waits(game, seat, waits, discard, worth)
        hand[kind] += discard != 0
        if discard == out[at.efficiency_best]:
            _write_waits(worth, waits, out)
        if discard:
            for n in range(len(layout.VALUE_STEPS)):
                out[at.efficiency_value_discard + n] |= np.int64(most >= layout.VALUE_STEPS[n]) << kind
            if least > 0:
                out[at.efficiency_yaku_discard] |= discard
        if not discards:
            return


@jit
def encode_worth_all(lookup, games, index, seats, out):
    """Write the points of hands in tenpai for many positions already written by `encode_all`."""
    held = np.empty(1, WORTH)
    worth = held[0]
    for n in range(len(index)):
        encode_worth(lookup, games[index[n]], np.int64(seats[n]), worth, out[n])
    hold(held)
