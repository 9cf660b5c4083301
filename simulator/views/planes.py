"""What a seat sees as one small array, u8[ROWS, 34]: a row for each feature, a column for each kind of tile.

A simple encoding to start from. `ROW_NAMES` lists every row, `SCALAR_NAMES` the single numbers in the last row.
Seats are relative: 0 the seat itself, 1 the next in turn (right), 2 across, 3 the one before (left).
"""

import numpy as np

from simulator import record as r
from simulator.jit import jit
from simulator.legal import is_furiten
from simulator.moves import is_red_tile, tiles_left
from simulator.tiles import DORA_OF, KINDS
from simulator.walls import DORA_INDICATORS

_OWN_ROWS = (
    ("hand", "own concealed tiles, 0..4, the one just drawn included"),
    ("hand red", "1: the red five of that kind is among them"),
    ("drawn", "1: the tile just drawn"),
    ("waits", "1: completes the own hand of 3n + 1 tiles"),
    ("open tile", "the discard or kong tile that may be claimed: 1, a red five 2"),
    ("forbidden", "1: may not be discarded now (swap-calling)"),
    ("indicators", "dora indicators shown, 0..4"),
    ("dora", "how often the kind is dora, 0..4"),
)
_SEAT_ROWS = (
    ("melds", "tiles in melds, 0..4"),
    ("melds red", "1: the red five is in a meld"),
    ("closed kongs", "1: a closed kong"),
    ("river", "discards, called ones included, 0..4"),
    ("river from hand", "those of them that were not the tile just drawn"),
    ("river last", "place of the last such discard in the river, from 1; 0 if there is none"),
    ("river riichi", "1: declared riichi with it"),
    ("river called", "those that others have called"),
    ("river red", "1: the red five is in the river"),
)
#: (name, meaning) of each row.
ROW_NAMES = (
    *_OWN_ROWS,
    *((f"seat +{d} {name}", text) for d in range(r.SEATS) for name, text in _SEAT_ROWS),
    ("scalars", "single numbers, see SCALAR_NAMES"),
)
ROWS = len(ROW_NAMES)
#: (first column, columns, name, meaning) of the numbers in the last row; groups of four are by relative seat.
SCALAR_NAMES = (
    (0, 1, "situation", "PHASE_* that the seat is asked in; 0 if it is not asked"),
    (1, 1, "round", "0 = East 1 .. 11 = West 4"),
    (2, 1, "repeat counter", ""),
    (3, 1, "bets", "riichi bets on the table"),
    (4, 1, "seat wind", "0..3, East to North; 0 is the dealer"),
    (5, 1, "turn", "relative seat that is to act or has acted last"),
    (6, 1, "tiles left", "in the live wall"),
    (7, 1, "furiten", "1: the own hand may not ron"),
    (8, 4, "riichi", "0 none, 1 declared, 2 bet paid"),
    (12, 4, "ippatsu", "1: a win now is ippatsu"),
    (16, 4, "thousands", "100 + whole thousands of points (rounded down), 0..255"),
    (20, 4, "hundreds", "hundreds of points beyond them, 0..9"),
    (24, 4, "concealed", "concealed tiles"),
)
_FIRST_SEAT_ROW = len(_OWN_ROWS)
_ROWS_A_SEAT = len(_SEAT_ROWS)
_THOUSANDS_BELOW_ZERO = 100


@jit
def _encode_seat(game, seat, rows):
    """Write the melds and the river of one seat."""
    for n in range(np.int64(game["n_melds"][seat])):
        meld = game["melds"][seat, n]
        for place in range(4):
            tile = np.int64(meld["tiles"][place])
            if tile != r.NO_TILE:
                rows[0, tile >> 2] += 1
                if is_red_tile(game, tile):
                    rows[1, tile >> 2] = 1
        if meld["type"] == r.MELD_CLOSED_KONG:
            rows[2, meld["kind"]] = 1
    for n in range(np.int64(game["n_river"][seat])):
        entry = np.int64(game["river"][seat, n])
        tile = entry & 255
        kind = tile >> 2
        rows[3, kind] += 1
        rows[4, kind] += not entry & r.RIVER_DRAWN
        rows[5, kind] = n + 1
        if entry & r.RIVER_RIICHI:
            rows[6, kind] = 1
        rows[7, kind] += entry & r.RIVER_CALLED != 0
        if is_red_tile(game, tile):
            rows[8, kind] = 1


@jit
def encode(game, seat, out):
    """Write what a seat sees of a GAME record into u8[ROWS, 34]."""
    out[:, :] = 0
    turn = np.int64(game["turn"])
    waiting = turn != seat or game["phase"] != r.PHASE_CALL_DISCARD  # there the waits are updated with the discard
    for kind in range(KINDS):
        out[0, kind] = game["hand"][seat, kind]
        out[3, kind] = waiting and game["waits"][seat] >> kind & 1
        if turn == seat:
            out[5, kind] = game["forbidden"] >> kind & 1
    if game["rules"]["red_fives"]:
        for suit in range(3):
            out[1, 9 * suit + 4] = game["copies"][seat, 9 * suit + 4] & 1
    drawn = np.int64(game["drawn"])
    if turn == seat and drawn != r.NO_TILE:
        out[2, drawn >> 2] = 1
    tile = np.int64(game["claim_tile"])
    if tile != r.NO_TILE:
        out[4, tile >> 2] = 2 if is_red_tile(game, tile) else 1
    for n in range(np.int64(game["indicators"])):
        kind = np.int64(game["wall"][DORA_INDICATORS[n]]) >> 2
        out[6, kind] += 1
        out[7, DORA_OF[kind]] += 1
    numbers = out[ROWS - 1]
    numbers[0] = game["phase"] if game["pending"] >> seat & 1 else 0
    numbers[1] = game["round"]
    numbers[2] = game["repeat_counter"]
    numbers[3] = game["bets"]
    numbers[4] = (seat - np.int64(game["dealer"])) & 3
    numbers[5] = (turn - seat) & 3
    numbers[6] = tiles_left(game)
    numbers[7] = is_furiten(game, seat)
    for relative in range(r.SEATS):
        other = (seat + relative) & 3
        first = _FIRST_SEAT_ROW + _ROWS_A_SEAT * relative
        _encode_seat(game, other, out[first : first + _ROWS_A_SEAT])
        points = np.int64(game["scores"][other])
        numbers[8 + relative] = game["riichi"][other]
        numbers[12 + relative] = game["ippatsu"][other]
        numbers[16 + relative] = min(max(points // 1000 + _THOUSANDS_BELOW_ZERO, 0), 255)
        numbers[20 + relative] = points // 100 % 10
        held = 0
        for kind in range(KINDS):
            held += np.int64(game["hand"][other, kind])
        numbers[24 + relative] = held


@jit
def encode_batch(games, index, seats, out):
    """Write what `seats[n]` sees of `games[index[n]]` into `out[n]`; `out` is u8[n, ROWS, 34]."""
    for n in range(len(index)):
        encode(games[index[n]], np.int64(seats[n]), out[n])


def encode_one(game: np.void, seat: int) -> np.ndarray:
    """Return what a seat sees of one game (GAME record), u8[ROWS, 34]."""
    out = np.zeros((1, ROWS, KINDS), np.uint8)
    encode_batch(np.array([game], r.GAME), np.zeros(1, np.int32), np.array([seat], np.uint8), out)
    return out[0]
