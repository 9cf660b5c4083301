"""Frames: the table as the page draws it, one JSON object per moment, and the changes from one moment to the next.

A whole frame has `round`, `repeat`, `bets`, `dealer`, `turn`, `left` (tiles in the wall), `indicators`, `dora`,
`phase`, `open` (the tile that may be claimed, or empty), `asked` ([seat, action taken] for each seat that must act) and
`seats`, four objects: `wind`, `score`, `riichi` (empty, `declared` or `riichi`), `hand` (concealed tiles without the
one drawn), `drawn`, `melds`, `river`, `waits` (kinds) and `furiten`. Tiles are lists in notation. A meld is `[type,
[tiles as they lie, left to right], place of the turned tile or -1, added tile or empty]`; a discard is `[tile, marks]`
with the marks `d` (just drawn), `r` (turned for riichi) and `0` to `3` (called by that seat).

In a hidden hand each tile is `?`, and its waits are left empty.

A change contains only the fields that differ, and `seats` as `{seat: fields}`.
"""

from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np

from simulator.efficiency import kinds_of
from simulator.legal import is_furiten
from simulator.record import PHASE_NAMES, SEATS
from simulator.tiles import split_tiles
from simulator.views.table import Meld, RiverTile, SeatView, table_view, waits_now

Frame = dict[str, Any]


def frame_of(game: np.void, actions: list[list[Any]], open_seats: Collection[int] = range(SEATS)) -> Frame:
    """Return the whole frame of a GAME record; open_seats: the seats whose hands are visible."""
    view = table_view(game, open_seats)
    return {
        "round": view.round,
        "repeat": view.repeat_counter,
        "bets": view.bets,
        "dealer": view.dealer,
        "turn": view.turn,
        "left": view.tiles_left,
        "indicators": list(view.indicators),
        "dora": list(view.dora),
        "phase": PHASE_NAMES[game["phase"]],
        "open": view.open_tile,
        "asked": actions,
        "seats": [_seat(game, each, each.seat in open_seats) for each in view.seats],
    }


def _seat(game: np.void, view: SeatView, is_open: bool) -> Frame:
    seat = view.seat
    waits = waits_now(game, seat) if is_open else 0
    hand = ["?"] * (view.hand_size - bool(view.drawn)) if view.hand is None else split_tiles(view.hand)
    return {
        "wind": view.wind,
        "score": view.score,
        "riichi": view.riichi,
        "hand": hand,
        "drawn": view.drawn,
        "melds": [_meld(meld) for meld in view.melds],
        "river": [_discard(discard) for discard in view.river],
        "waits": kinds_of(waits),
        "furiten": bool(waits and is_furiten(game, seat)),
    }


def _meld(meld: Meld) -> list[Any]:
    if not meld.claimed:
        return [meld.type, list(meld.own), -1, ""]
    place = len(meld.own) if meld.turned < 0 else meld.turned
    tiles = list(meld.own)
    tiles.insert(place, meld.claimed)
    return [meld.type, tiles, place, meld.added]


@cache
def _discard(discard: RiverTile) -> list[str]:
    marks = "d" * discard.drawn + "r" * discard.riichi
    return [discard.tile, marks + ("" if discard.caller is None else str(discard.caller))]


def change(before: Frame, after: Frame) -> Frame:
    """Return the change from one frame to the next, as documented above."""
    changes = {key: value for key, value in after.items() if key != "seats" and value != before[key]}
    seats = {
        str(seat): {key: value for key, value in now.items() if value != then[key]}
        for seat, (then, now) in enumerate(zip(before["seats"], after["seats"], strict=True))
    }
    if any(seats.values()):
        changes["seats"] = {seat: fields for seat, fields in seats.items() if fields}
    return changes
