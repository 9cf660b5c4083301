"""Encode positions as planes: `encode_batch`, `encode_call_batch` with a proposed call, `encode_oracle_batch`.

The planes hold only what the seat can see, without the pending answers of other seats; the oracle's block is separate.
Encoding runs in stages, each a separate loop over the positions, which keeps compile times short: the position
(`encode`), the value of hands in tenpai, the look-ahead, and the proposed call. Compiled code may call the stages
directly.
"""

import numpy as np
from numpy.typing import ArrayLike

from simulator.jit import jit
from simulator.legal import is_legal
from simulator.lookup import get_lookup
from simulator.record import ACTION_NAMES, ADDED_KONG, CHOW_LOW, GAME, SEATS
from simulator.tiles import KINDS
from suphx.features import encode_table as table
from suphx.features.encode_call import encode_call_all
from suphx.features.encode_hands import encode_efficiency
from suphx.features.encode_oracle import encode_oracle_all
from suphx.features.encode_points import encode_overtaking, encode_points
from suphx.features.encode_rivers import encode_melds, encode_reading, encode_river
from suphx.features.encode_safety import encode_safety
from suphx.features.encode_worth import encode_worth_all
from suphx.features.layout import CALL_PLANES, ORACLE_PLANES, PLANES
from suphx.features.lookahead import NO_PROPOSAL, encode_lookahead_all
from suphx.features.planes import nest

_LAST_CALL = ADDED_KONG + KINDS - 1


@jit
def encode_all(lookup, games, index, seats, out):
    """Write the planes of many positions, except those of the tenpai value and look-ahead.

    out: i64[n, 838 or more]. One function, since compiling another one for each position would take a second more.
    """
    for place in range(len(index)):
        game, seat, row = games[index[place]], np.int64(seats[place]), out[place]
        for n in range(PLANES):
            row[n] = 0
        held = nest(game["hand"][seat])
        table.encode_hand(game, seat, held, row)
        opened, dora = table.encode_indicators(game, row)
        for relative in range(SEATS):
            other = (seat + relative) & 3
            opened = encode_river(game, other, relative, opened, row)
            opened = encode_melds(game, other, relative, seat, opened, row)
            if relative:
                encode_reading(game, other, relative - 1, row)
        table.encode_seen(game, seat, held, opened, dora, row)
        table.encode_game(game, seat, row)
        encode_points(game, seat, row)
        encode_overtaking(game, seat, row)
        table.encode_riichi(game, seat, row)
        table.encode_wall(game, seat, row)
        table.encode_legal(game, seat, row)
        encode_safety(game, seat, row)
        encode_efficiency(lookup, game, seat, row)


@jit
def _first_no_call(games, index, seats, actions):
    """Return the index of the first position whose action is not a legal chow, pong or kong of the seat, or -1."""
    for n in range(len(index)):
        action = actions[n]
        if action < CHOW_LOW or action > _LAST_CALL or not is_legal(games[index[n]], seats[n], action):
            return n
    return -1


def is_call(action: int) -> bool:
    """Return whether an action of the table is a chow, pong or kong, and so can be proposed."""
    return CHOW_LOW <= action <= _LAST_CALL


def _checked_positions(
    games: np.ndarray, index: ArrayLike, seats: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return games, index and seats with the dtypes and the layout that the compiled code is compiled for.

    Raises ValueError for invalid ones, with which compiled code would read out of bounds.
    """
    which, seat = np.asarray(index, np.int64, order="C"), np.asarray(seats, np.int64, order="C")
    if games.dtype != GAME or games.ndim != 1:
        raise ValueError(f"an array of game records is needed, not {games.dtype} {games.shape}")
    if which.ndim != 1 or seat.shape != which.shape:
        raise ValueError(f"each position needs a game and a seat: {which.shape} games, {seat.shape} seats")
    if len(which) and not (0 <= which.min() and which.max() < len(games)):
        raise ValueError(f"positions must name games 0 to {len(games) - 1}")
    if len(seat) and not (0 <= seat.min() and seat.max() < SEATS):
        raise ValueError(f"positions must name seats 0 to {SEATS - 1}")
    return games, which, seat


def _rows(out: np.ndarray | None, n: int, planes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the output array, allocated if None, and a view of its rows as i64 for compiled code.

    Raises ValueError for a wrong shape, dtype or memory layout.
    """
    if out is None:
        out = np.empty((n, planes), np.uint64)
    if out.shape != (n, planes) or out.dtype not in (np.uint64, np.int64) or not out.flags.c_contiguous:
        raise ValueError(f"planes go to a contiguous uint64 or int64 [{n}, {planes}], not {out.dtype} {out.shape}")
    return out, out.view(np.int64)


def encode_batch(
    games: np.ndarray, index: ArrayLike, seats: ArrayLike, out: np.ndarray | None = None, with_lookahead: bool = True
) -> np.ndarray:
    """Return the planes of positions, u64[n, 838], as in `layout.LAYOUT`.

    games: GAME[m]; index, seats: integer[n], each position's game and the seat whose view it is; out: array to write
    to, u64 or i64 [n, 838]. Without `with_lookahead` the look-ahead planes are zero. Raises ValueError for wrong
    shapes and for games or seats out of range.
    """
    games, which, seat = _checked_positions(games, index, seats)
    out, rows = _rows(out, len(which), PLANES)
    _encode(games, which, seat, None, rows, with_lookahead)
    return out


def _encode(
    games: np.ndarray, which: np.ndarray, seat: np.ndarray, calls: np.ndarray | None, rows: np.ndarray, lookahead: bool
) -> None:
    """Run the stages for checked positions, each with a proposed call if there are any."""
    lookup = get_lookup()
    encode_all(lookup, games, which, seat, rows)
    encode_worth_all(lookup, games, which, seat, rows)
    if calls is not None:
        encode_call_all(lookup, games, which, seat, calls, rows)
    if lookahead:
        proposals = np.full(len(which), NO_PROPOSAL) if calls is None else calls
        encode_lookahead_all(lookup, games, which, seat, proposals, rows)


def encode_call_batch(
    games: np.ndarray,
    index: ArrayLike,
    seats: ArrayLike,
    actions: ArrayLike,
    out: np.ndarray | None = None,
    with_lookahead: bool = True,
) -> np.ndarray:
    """Return the planes of positions, each with a proposed chow, pong or kong, u64[n, 958], as in `layout.CALL_LAYOUT`.

    actions: integer[n], calls that are legal for the seats now; the look-ahead planes are those after the call.
    Otherwise as `encode_batch`; also raises ValueError for an action that is not a legal call.
    """
    games, which, seat = _checked_positions(games, index, seats)
    chosen = np.asarray(actions, np.int64, order="C")
    if chosen.shape != which.shape:
        raise ValueError(f"each position needs an action: {which.shape} positions, {chosen.shape} actions")
    wrong = _first_no_call(games, which, seat, chosen)
    if wrong >= 0:
        action = int(chosen[wrong])
        name = ACTION_NAMES[action] if 0 <= action < len(ACTION_NAMES) else "no action"
        raise ValueError(f"position {wrong}: action {action} ({name}) is no call that seat {seat[wrong]} may make")
    out, rows = _rows(out, len(which), CALL_PLANES)
    _encode(games, which, seat, chosen, rows, with_lookahead)
    return out


def encode_oracle_batch(
    games: np.ndarray, index: ArrayLike, seats: ArrayLike, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the oracle's planes of positions, u64[n, ORACLE_PLANES], as in `layout.ORACLE_LAYOUT`.

    They hold what the seats cannot see and are used only for oracle training. Otherwise as `encode_batch`.
    """
    games, which, seat = _checked_positions(games, index, seats)
    out, rows = _rows(out, len(which), ORACLE_PLANES)
    encode_oracle_all(get_lookup(), games, which, seat, rows)
    return out


def unpack(planes: np.ndarray) -> np.ndarray:
    """Return planes [..., n] as bool [..., n, 34], for display and tests; networks unpack in their first step."""
    return (planes[..., None] >> np.arange(KINDS, dtype=planes.dtype) & 1).astype(np.bool_)
