"""Numbers in Tenhou's mjlog: tile tags, meld codes, table types, and the packed form of an event.

A packed event is one integer, the little-endian bytes of a LOG_EVENT, so that a reader can collect plain integers
and convert them to one array at the end.
"""

import dataclasses
from functools import cache

import numpy as np

from simulator import record as r
from simulator.logs.model import LOG_EVENT
from simulator.rules import Rules
from simulator.tiles import KINDS, NO_TILE, TILES

#: `type` of a RYUUKYOKU tag; absent for an exhaustive draw.
DRAW_TYPES = {
    "": r.RESULT_EXHAUSTIVE,
    "nm": r.RESULT_NAGASHI,
    "yao9": r.RESULT_NINE_TERMINALS,
    "kaze4": r.RESULT_FOUR_WINDS,
    "reach4": r.RESULT_FOUR_RIICHI,
    "kan4": r.RESULT_FOUR_KONGS,
    "ron3": r.RESULT_TRIPLE_RON,
}

# Bits of a GO tag's type.
TYPE_MULTIPLAYER = 0x01
TYPE_NO_RED_FIVES = 0x02
TYPE_NO_OPEN_TANYAO = 0x04
TYPE_EAST_SOUTH = 0x08
TYPE_THREE_PLAYERS = 0x10
ROOMS = {0x00: "normal", 0x80: "advanced", 0x20: "expert", 0xA0: "phoenix"}
ROOM_MASK = 0xA0

MELD_CODES = 1 << 16
_CHOW, _PONG, _ADDED_KONG, _NORTH = 4, 8, 16, 32
#: The bits in which the codes of a pong and of the kong that extends it differ.
PONG_OR_ADDED_KONG = _PONG | _ADDED_KONG

NO_CONSUMED = (NO_TILE, NO_TILE, NO_TILE)


def pack_event(
    kind: int,
    seat: int = 0,
    tile: int = NO_TILE,
    source: int = r.NO_SEAT,
    consumed: tuple[int, int, int] = NO_CONSUMED,
    drawn: int = 0,
) -> int:
    """Return one LOG_EVENT as an integer; `kind` is an EVENT_*."""
    low = kind | seat << 8 | tile << 16 | source << 24
    return low | consumed[0] << 32 | consumed[1] << 40 | consumed[2] << 48 | drawn << 56


def unpack_events(packed: list[int] | np.ndarray) -> np.ndarray:
    """Return LOG_EVENT[n] for packed events."""
    return np.asarray(packed, "<u8").view(LOG_EVENT)


#: Packed event of each draw tag (`T0`..`W135`) and discard tag (`D0`..`G135`; lower case: the tile just drawn).
TILE_TAGS = {
    **{f"{'TUVW'[s]}{t}": pack_event(r.EVENT_DRAW, s, t) for s in range(4) for t in range(TILES)},
    **{f"{'DEFG'[s]}{t}": pack_event(r.EVENT_DISCARD, s, t) for s in range(4) for t in range(TILES)},
    **{f"{'defg'[s]}{t}": pack_event(r.EVENT_DISCARD, s, t, drawn=1) for s in range(4) for t in range(TILES)},
}


@cache
def rules_of_type(table_type: int) -> Rules:
    """Return the rules that a four-player GO type stands for."""
    return dataclasses.replace(
        Rules.preset("tenhou" if table_type & TYPE_EAST_SOUTH else "tenhou_east"),
        red_fives=not table_type & TYPE_NO_RED_FIVES,
        open_tanyao=not table_type & TYPE_NO_OPEN_TANYAO,
    )


def type_of_rules(rules: Rules, room: str) -> int:
    """Return the GO type closest to the rules; a room that Tenhou does not have is written as normal."""
    bits = next((bits for bits, name in ROOMS.items() if name == room), 0)
    return (
        TYPE_MULTIPLAYER
        | bits
        | (0 if rules.red_fives else TYPE_NO_RED_FIVES)
        | (0 if rules.open_tanyao else TYPE_NO_OPEN_TANYAO)
        | (TYPE_EAST_SOUTH if rules.length == "east_south" else 0)
    )


@cache
def decode_meld(code: int, seat: int) -> int:
    """Return the packed event for an N tag's `m` and `who`; raise ValueError for a code that is no meld."""
    if not 0 <= code < MELD_CODES or not 0 <= seat < 4:
        raise ValueError(f"meld code {code} of seat {seat} is out of range")
    relative = code & 3
    source = (seat + relative) % 4
    if code & _CHOW:
        number, called = divmod(code >> 10, 3)
        suit, low = divmod(number, 7)
        if suit > 2 or relative != 3:
            raise ValueError(f"meld code {code} is no chow from the left")
        kind = suit * 9 + low
        tiles = [4 * (kind + i) + (code >> (3 + 2 * i) & 3) for i in range(3)]
        tile = tiles.pop(called)
        return pack_event(r.EVENT_CHOW, seat, tile, source, (tiles[0], tiles[1], NO_TILE))
    if code & (_PONG | _ADDED_KONG):
        kind, called = divmod(code >> 9, 3)
        if kind >= KINDS or not relative:
            raise ValueError(f"meld code {code} is no pong of a tile of another seat")
        unused = 4 * kind + (code >> 5 & 3)
        if not code & _PONG:
            return pack_event(r.EVENT_ADDED_KONG, seat, unused)
        tiles = [tile for tile in range(4 * kind, 4 * kind + 4) if tile != unused]
        tile = tiles.pop(called)
        return pack_event(r.EVENT_PONG, seat, tile, source, (tiles[0], tiles[1], NO_TILE))
    if code & _NORTH:
        raise ValueError(f"meld code {code} sets a North aside, which only three-player games do")
    tile = code >> 8
    if tile >= TILES:
        raise ValueError(f"meld code {code} names tile {tile}; tiles are 0 to 135")
    first = tile & ~3
    if not relative:
        return pack_event(r.EVENT_CLOSED_KONG, seat, first, consumed=(first + 1, first + 2, first + 3))
    a, b, c = (other for other in range(first, first + 4) if other != tile)
    return pack_event(r.EVENT_OPEN_KONG, seat, tile, source, (a, b, c))


def without_copy(code: int) -> int:
    """Return a meld code without which of its four tiles a closed kong names: it means nothing."""
    return code if code & 0xFF else code & ~0x300


def encode_meld(event: np.void, pong: int | None = None) -> int:
    """Return the meld code of a LOG_EVENT call; an added kong needs the code of the `pong` that it extends."""
    kind, seat, tile = int(event["type"]), int(event["seat"]), int(event["tile"])
    relative = (int(event["source"]) - seat) % 4 if event["source"] != r.NO_SEAT else 0
    if kind == r.EVENT_CLOSED_KONG:
        return (tile & ~3) << 8
    if kind == r.EVENT_OPEN_KONG:
        return tile << 8 | relative
    if kind == r.EVENT_ADDED_KONG:
        if pong is None:
            raise ValueError("an added kong without its pong")
        return pong & ~_PONG | _ADDED_KONG
    tiles = sorted([tile, int(event["consumed"][0]), int(event["consumed"][1])])
    called = tiles.index(tile)
    if kind == r.EVENT_CHOW:
        low = tiles[0] >> 2
        copies = sum((each & 3) << (3 + 2 * i) for i, each in enumerate(tiles))
        return ((low // 9 * 7 + low % 9) * 3 + called) << 10 | copies | _CHOW | relative
    unused = next(copy for copy in range(4) if (tile & ~3) + copy not in tiles)
    return ((tile >> 2) * 3 + called) << 9 | unused << 5 | _PONG | relative


def add_meld(codes: list[int], event: np.void) -> int:
    """Return the code of a LOG_EVENT call and put it before those of the seat's other melds, or in its pong's place."""
    if event["type"] != r.EVENT_ADDED_KONG:
        codes.insert(0, encode_meld(event))
        return codes[0]
    for place, code in enumerate(codes):
        if code & (_CHOW | _PONG) == _PONG and (code >> 9) // 3 == event["tile"] >> 2:
            codes[place] = encode_meld(event, code)
            return codes[place]
    raise ValueError("a kong is added to no pong")


def meld_codes(events: np.ndarray, seat: int) -> list[int]:
    """Return the codes of all melds of a seat after a round's events, the last one first, as Tenhou lists them."""
    codes: list[int] = []
    for event in events[(events["type"] >= r.EVENT_CHOW) & (events["type"] <= r.EVENT_ADDED_KONG)]:
        if event["seat"] == seat:
            add_meld(codes, event)
    return codes
