"""The public moves at a table, as text."""

import numpy as np

from simulator import record as r
from simulator.tiles import kind_name, tile_name

_CALLS = {r.EVENT_CHOW: "chow", r.EVENT_PONG: "pong", r.EVENT_OPEN_KONG: "open kong"}

#: (seat, or None for an event without a seat; the text, with tiles in notation).
Move = tuple[int | None, str]


def moves_since(game: np.void, start: int) -> list[Move]:
    """Return the moves in the round from event number `start` on, without draws and paid riichi bets."""
    events = game["events"][start : int(game["n_events"])].tolist()
    moves = [_move(game, event) for event in events]
    return [move for move in moves if move[1]]


def _move(game: np.void, event: int) -> Move:
    kind, seat, extra, tile = event & 15, event >> 4 & 3, event >> 6 & 3, event >> 8
    red_fives = bool(game["rules"]["red_fives"])
    if kind == r.EVENT_DISCARD:
        return seat, f"discard {tile_name(tile, red_fives)}"
    if kind == r.EVENT_RIICHI:
        return seat, "riichi"
    if kind in _CALLS:
        used = game["melds"][seat, extra]["tiles"].tolist()[1 : 4 if kind == r.EVENT_OPEN_KONG else 3]
        own = "".join(tile_name(each, red_fives) for each in used if each != r.NO_TILE)
        return seat, f"{_CALLS[kind]} {tile_name(tile, red_fives)} with {own}"
    if kind == r.EVENT_CLOSED_KONG:
        return seat, f"closed kong {kind_name(tile >> 2)}"
    if kind == r.EVENT_ADDED_KONG:
        return seat, f"added kong {tile_name(tile, red_fives)}"
    if kind == r.EVENT_DORA:
        return None, f"dora indicator {tile_name(tile, red_fives)}"
    if kind == r.EVENT_WIN:
        return seat, f"{'tsumo' if extra == seat else 'ron'} {tile_name(tile, red_fives)}"
    return None, r.RESULT_NAMES[tile] if kind == r.EVENT_NO_WINNER else ""
