"""The vocabulary of mjai: names of tiles and of rounds without a winner, and functions to read an event's fields.

The functions that read a field raise ValueError for a value that it cannot have, and KeyError if it is missing.
"""

from collections.abc import Iterable
from typing import Any

from simulator import record as r
from simulator.logs.model import MOST_POINTS

Event = dict[str, Any]
#: `kyoku_first` of an East-only game; 0 of others.
EAST_ONLY = 4
_MOST_FAN = 1000

TILE_NAMES = (
    *(f"{number}{suit}" for suit in "mps" for number in range(1, 10)),
    *("E", "S", "W", "N", "P", "F", "C"),
    *("5mr", "5pr", "5sr"),
)
_FACES = {name: face for face, name in enumerate(TILE_NAMES)}

#: `reason` of a ryukyoku as the dialects write it; the writer uses the first one of each kind.
_REASONS_OF_DRAWS = {
    r.RESULT_EXHAUSTIVE: ("exhaustive_draw", "fanpai"),
    r.RESULT_NAGASHI: ("nagashi_mangan", "nagashimangan", "nm"),
    r.RESULT_NINE_TERMINALS: ("kyushu_kyuhai", "kyushukyuhai", "yao9"),
    r.RESULT_FOUR_WINDS: ("sufuurenta", "sufonrenta", "kaze4"),
    r.RESULT_FOUR_RIICHI: ("suucha_riichi", "suchareach", "reach4"),
    r.RESULT_FOUR_KONGS: ("suukansansen", "sukaikan", "kan4"),
    r.RESULT_TRIPLE_RON: ("sanchaho", "sanchahoh", "ron3"),
}
DRAW_REASONS = {reason: result for result, reasons in _REASONS_OF_DRAWS.items() for reason in reasons}
REASON_NAMES = {result: reasons[0] for result, reasons in _REASONS_OF_DRAWS.items()}

_MOVES = {
    r.EVENT_DRAW: "tsumo",
    r.EVENT_DISCARD: "dahai",
    r.EVENT_RIICHI: "reach",
    r.EVENT_RIICHI_ACCEPTED: "reach_accepted",
    r.EVENT_CHOW: "chi",
    r.EVENT_PONG: "pon",
    r.EVENT_OPEN_KONG: "daiminkan",
    r.EVENT_CLOSED_KONG: "ankan",
    r.EVENT_ADDED_KONG: "kakan",
}

#: mjai's names of the yaku by Tenhou's number.
YAKU_NAMES = (
    "menzenchin_tsumoho", "reach", "ippatsu", "chankan", "rinshankaiho", "haiteiraoyue", "hoteiraoyui", "pinfu",
    "tanyaochu", "ipeko", *["jikaze"] * 4, *["bakaze"] * 4, *["sangenpai"] * 3, "double_reach", "chitoitsu",
    "honchantaiyao", "ikkitsukan", "sanshokudojun", "sanshokudoko", "sankantsu", "toitoiho", "sananko", "shosangen",
    "honroto", "ryanpeko", "junchantaiyao", "honiso", "chiniso", "renho", "tenho", "chiho", "daisangen", "suanko",
    "suanko", "tsuiso", "ryuiso", "chinroto", "churenpoton", "churenpoton", "kokushimuso", "kokushimuso", "daisushi",
    "shosushi", "sukantsu", "dora", "uradora", "akadora",
)  # fmt: skip


def stated(event: Event) -> Event:
    """Return an event without its fields that are null, which is the same as absent."""
    if None not in event.values():
        return event
    return {name: value for name, value in event.items() if value is not None}


def move_event(kind: int, seat: int, name: str, consumed: list[str], source: int, drawn: bool) -> Event:
    """Return the event of a move or an indicator; kind: EVENT_*, name: its tile, consumed: as the event lists them."""
    if kind == r.EVENT_DORA:
        return {"type": "dora", "dora_marker": name}
    event: Event = {"type": _MOVES[kind], "actor": seat}
    if kind in (r.EVENT_RIICHI, r.EVENT_RIICHI_ACCEPTED):
        return event
    if kind in (r.EVENT_CHOW, r.EVENT_PONG, r.EVENT_OPEN_KONG):
        event["target"] = source
    if kind != r.EVENT_CLOSED_KONG:
        event["pai"] = name
    if kind == r.EVENT_DISCARD:
        event["tsumogiri"] = drawn
    elif kind != r.EVENT_DRAW:
        event["consumed"] = consumed
    return event


def read_tile(name: Any) -> int:
    """Return the face for a tile name."""
    if not isinstance(name, str) or name not in _FACES:
        raise ValueError(f"{str(name)[:20]!r} is not a tile; tiles are 1m to 9s, 5mr, 5pr, 5sr, E S W N P F C")
    return _FACES[name]


def read_tiles(event: Event, name: str, count: int | None = None) -> list[int]:
    """Return the faces of a field that lists `count` tiles (None: any number)."""
    tiles = event[name]
    if not isinstance(tiles, list) or (count is not None and len(tiles) != count):
        raise ValueError(f"{name} is not a list of {'' if count is None else f'{count} '}tiles")
    return [read_tile(tile) for tile in tiles]


def yaku_names(yaku: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Return the han by mjai's name of (Tenhou's yaku number, han)."""
    han_by_name: dict[str, int] = {}
    for number, han in yaku:
        if han:
            han_by_name[YAKU_NAMES[number]] = han_by_name.get(YAKU_NAMES[number], 0) + han
    return han_by_name


def read_yaku(yakus: Any) -> dict[str, int]:
    """Return the han by mjai's name of a field like `[["reach", 1], ["dora", 2]]`."""
    han_by_name: dict[str, int] = {}
    for each in yakus if isinstance(yakus, list) else [yakus]:
        name, han = each if isinstance(each, list) and len(each) == 2 else (each, None)
        if name not in YAKU_NAMES or type(han) is not int or not 0 <= han <= _MOST_FAN:
            raise ValueError(f"{str(each)[:40]} is not a yaku with its han")
        if han:
            han_by_name[name] = han_by_name.get(name, 0) + han
    return han_by_name


def read_seat(event: Event, name: str) -> int:
    """Return a field that holds a seat, 0 to 3."""
    return read_count(event, name, 0, r.SEATS - 1)


def read_count(event: Event, name: str, least: int, most: int) -> int:
    """Return a field that holds an integer from `least` to `most`."""
    number = event[name]
    if type(number) is not int or not least <= number <= most:
        raise ValueError(f"{name} is {str(number)[:20]!r}, not {least} to {most}")
    return number


def read_points(event: Event, name: str) -> list[int] | None:
    """Return a field that holds the points of the four seats, None if it is missing."""
    numbers = event.get(name)
    if numbers is None:
        return None
    if not isinstance(numbers, list) or len(numbers) != r.SEATS:
        raise ValueError(f"{name} is not four numbers")
    if any(type(number) is not int or abs(number) > MOST_POINTS for number in numbers):
        raise ValueError(f"{name} {numbers} is not four whole numbers")
    return numbers
