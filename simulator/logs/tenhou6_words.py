"""Vocabulary of Tenhou's JSON: tiles, yaku, scores, results and rule lines, with the variants seen in real logs.

Converters from Mahjong Soul write the same format with other names: yaku of winds without the wind, other names of
abortive draws, English or romanised words.
"""

import dataclasses
import re
import unicodedata
from typing import Any, Literal, NamedTuple

from simulator import record as r
from simulator.logs.mahjong_soul_words import GAME_ID
from simulator.logs.model import MOST_HAN, LogError, SkippedLog
from simulator.rules import Rules, RulesError
from simulator.tiles import KINDS

WINDS = "東南西北"
#: Tenhou's yaku by number, as its JSON writes them.
YAKU_NAMES = (
    "門前清自摸和", "立直", "一発", "槍槓", "嶺上開花", "海底摸月", "河底撈魚", "平和", "断幺九", "一盃口",
    *(f"自風 {wind}" for wind in WINDS), *(f"場風 {wind}" for wind in WINDS), "役牌 白", "役牌 發", "役牌 中",
    "両立直", "七対子", "混全帯幺九", "一気通貫", "三色同順", "三色同刻", "三槓子", "対々和", "三暗刻", "小三元",
    "混老頭", "二盃口", "純全帯幺九", "混一色", "清一色", "人和", "天和", "地和", "大三元", "四暗刻", "四暗刻単騎",
    "字一色", "緑一色", "清老頭", "九蓮宝燈", "純正九蓮宝燈", "国士無双", "国士無双１３面", "大四喜", "小四喜",
    "四槓子", "ドラ", "裏ドラ", "赤ドラ",
)  # fmt: skip
SEAT_WIND, ROUND_WIND = 10, 14
YAKUMAN = "役満"
YAKUMAN_HAN = 13
#: No yaku with its han and no score is longer; the time that reading one takes grows with its length squared.
_LONGEST_TEXT = 60

#: Mahjong Soul's English names of the same yaku; none of the winds, which it names together, and of 人和.
_ENGLISH_NAMES = (
    "Fully Concealed Hand", "Riichi", "Ippatsu", "Robbing a Kan", "After a Kan", "Under the Sea", "Under the River",
    "Pinfu", "All Simples", "Pure Double Sequence", *[""] * 8, "White Dragon", "Green Dragon", "Red Dragon",
    "Double Riichi", "Seven Pairs", "Half Outside Hand", "Pure Straight", "Mixed Triple Sequence", "Triple Triplets",
    "Three Quads", "All Triplets", "Three Concealed Triplets", "Little Three Dragons", "All Terminals and Honors",
    "Twice Pure Double Sequence", "Fully Outside Hand", "Half Flush", "Full Flush", "", "Blessing of Heaven",
    "Blessing of Earth", "Big Three Dragons", "Four Concealed Triplets", "Single-wait Four Concealed Triplets",
    "All Honors", "All Green", "All Terminals", "Nine Gates", "True Nine Gates", "Thirteen Orphans",
    "Thirteen-wait Thirteen Orphans", "Four Big Winds", "Four Little Winds", "Four Quads", "Dora", "Ura Dora",
    "Red Five",
)  # fmt: skip
_OTHER_NAMES = {
    0: ("Menzen Tsumo",), 3: ("搶槓",), 5: ("海底撈月",), 8: ("断么九",), 18: ("役牌:白", "白"),
    19: ("役牌:發", "役牌:発", "役牌 発", "發"), 20: ("役牌:中", "中"), 21: ("ダブル立直", "ダブルリーチ", "w立直"),
    23: ("混全帯么九",), 28: ("対対和",), 33: ("純全帯么九",), 45: ("九蓮宝灯",), 46: ("純正九蓮宝灯",),
    48: ("国士無双十三面待ち", "国士無双十三面"), 54: ("Aka Dora",),
}  # fmt: skip
_SEAT_WIND_NAMES = ("役牌:自風牌", "役牌:自風", "Seat Wind")
_ROUND_WIND_NAMES = ("役牌:場風牌", "役牌:場風", "Prevalent Wind")


def _key(name: str) -> str:
    return re.sub(r"[\s々]", "", unicodedata.normalize("NFKC", name)).casefold()


_YAKU = {_key(name): number for names in (YAKU_NAMES, _ENGLISH_NAMES) for number, name in enumerate(names) if name}
_YAKU.update({_key(name): number for number, names in _OTHER_NAMES.items() for name in names})
_GENERIC_WINDS = {_key(name): SEAT_WIND for name in _SEAT_WIND_NAMES} | {
    _key(name): ROUND_WIND for name in _ROUND_WIND_NAMES
}

_YAKU_TEXT = re.compile(r"(.+?)\s*\(\s*(?:(\d+)\s*[飜翻番]?|(?:ダブル|2倍)?役満\d*|(?:double )?yakuman)\s*\)", re.I)


def read_yaku(text: str, seat_wind: int, round_wind: int) -> tuple[int, int]:
    """Return Tenhou's yaku number and the han of e.g. `立直(1飜)`; the winds, 0..3, resolve the generic wind names.

    Raises ValueError for an unknown name or more than MOST_HAN han.
    """
    short = len(text) <= _LONGEST_TEXT
    match = _YAKU_TEXT.fullmatch(unicodedata.normalize("NFKC", text).strip()) if short else None
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a yaku with its han")
    name, han = _key(match[1]), int(match[2] or YAKUMAN_HAN)
    if han > MOST_HAN:
        raise ValueError(f"{text[:40]!r} has more than {MOST_HAN} han")
    if name in _GENERIC_WINDS:
        first = _GENERIC_WINDS[name]
        return first + (seat_wind if first == SEAT_WIND else round_wind), han
    if name not in _YAKU:
        raise ValueError(f"unknown yaku {text[:40]!r}")
    return _YAKU[name], han


#: Results without a winner, including Mahjong Soul's names; `全員聴牌` and `全員不聴` also say who is tenpai.
ALL_TENPAI, NONE_TENPAI = "全員聴牌", "全員不聴"
WIN_WORDS = ("和了", "Agari")
#: The result of a round that has none, as hand-made positions state it.
UNKNOWN = "不明"
_WORDS_OF_DRAWS = {
    r.RESULT_EXHAUSTIVE: ("流局", "Ryuukyoku", "Exhaustive Draw", ALL_TENPAI, NONE_TENPAI),
    r.RESULT_NAGASHI: ("流し満貫", "Nagashi Mangan", "Mangan at Draw"),
    r.RESULT_NINE_TERMINALS: ("九種九牌", "Kyuushu Kyuuhai", "Nine Terminal Abortion"),
    r.RESULT_FOUR_WINDS: ("四風連打", "Suufon Renda", "Four Wind Abortion"),
    r.RESULT_FOUR_RIICHI: ("四家立直", "Suucha Riichi", "Four Riichi Abortion"),
    r.RESULT_FOUR_KONGS: ("四槓散了", "四開槓", "Suukaikan", "Four Kan Abortion"),
    r.RESULT_TRIPLE_RON: ("三家和了", "三家和", "Sanchahou", "Three Ron Abortion"),
}
DRAW_WORDS = {word: result for result, words in _WORDS_OF_DRAWS.items() for word in words}
DRAW_NAMES = {result: words[0] for result, words in _WORDS_OF_DRAWS.items()}

#: Tenhou's ranks by number.
DAN_NAMES = (
    "新人", *(f"{level}級" for level in "987654321"),
    "初段", *(f"{level}段" for level in "二三四五六七八九十"), "天鳳位",
)  # fmt: skip

TILE_OF_FACE = [10 * (kind // 9 + 1) + kind % 9 + 1 for kind in range(KINDS)] + [51, 52, 53]
_FACE_OF_TILE = {number: face for face, number in enumerate(TILE_OF_FACE)}


def read_tile(number: Any) -> int:
    """Return the face for a tile number such as 11, 47 or 53; raise ValueError for another number."""
    if type(number) is not int or number not in _FACE_OF_TILE:
        raise ValueError(f"{str(number)[:20]!r} is not a tile; tiles are 11-19, 21-29, 31-39, 41-47, 51-53")
    return _FACE_OF_TILE[number]


def sort_key(number: int) -> float:
    """Return the key that sorts a tile number in a hand: a red five comes before the plain ones."""
    return 10 * (number - 50) + 4.5 if number > 50 else number


_ROOM_SIGNS = {"般": "normal", "上": "advanced", "特": "expert", "鳳": "phoenix"}
ROOM_SIGN = {room: sign for sign, room in _ROOM_SIGNS.items()}
_MAHJONG_SOUL = re.compile(
    r"の間|之[间間]|Room|段位戦|友人戦|友人[场場]|Friendly|大会戦|大会室|Tou?r?nament|(Bronze|Silver|Gold|Jade|Throne)"
)
_EAST = re.compile(r"[東东]|East")
_THREE_PLAYERS = re.compile(r"三|3-Player|^3|サンマ")


def read_rules(log: dict[str, Any]) -> tuple[Rules, str]:
    """Return the rules and room of a log; raises SkippedLog for three players, and LogError for unsupported rules."""
    rule: Any = log.get("rule")
    if not isinstance(rule, dict):
        rule = {}
    display = str(rule.get("disp", ""))
    if _THREE_PLAYERS.search(display) or log.get("ratingc") == "PF3":
        raise SkippedLog("a three-player game")
    reds = [rule[name] for name in ("aka", "aka51", "aka52", "aka53") if name in rule]
    if any(type(number) is not int or number not in (0, 1) for number in reds):
        raise LogError(f"rule: {reds} red fives of a suit; this simulator plays with one or none")
    red_fives = any(reds) if reds else not display or "赤" in display or "Red" in display
    ref = log.get("ref")
    soul = bool(_MAHJONG_SOUL.search(display)) or (isinstance(ref, str) and bool(GAME_ID.fullmatch(ref)))
    try:
        base = Rules.preset("mahjong_soul" if soul else "tenhou")
    except RulesError as error:
        raise LogError(f"rule {display!r} is Mahjong Soul's: {error}") from error
    tanyao = soul or not any(sign in display for sign in _ROOM_SIGNS) or "喰" in display
    length: Literal["east", "east_south"] = "east_south"
    if _EAST.search(display) and "南" not in display:
        length = "east"
    room = display if soul else _ROOM_SIGNS.get(display[:1], display)
    return dataclasses.replace(base, length=length, red_fives=red_fives, open_tanyao=tanyao), room


def write_rules(rules: Rules, room: str) -> dict[str, Any]:
    """Return a log's `rule` entry for the rules and the room."""
    red = int(rules.red_fives)
    reds = {"aka53": red, "aka52": red, "aka51": red}
    if room and room not in ROOM_SIGN and read_rules({"rule": {"disp": room} | reds})[0] == rules:
        return {"disp": room} | reds
    sign = ROOM_SIGN.get(room, ROOM_SIGN["normal"])
    length = "東" if rules.length == "east" else "南"
    return {"disp": sign + length + "喰" * rules.open_tanyao + "赤" * red} | reds


_SCORE = re.compile(
    r"(?:(\d+)\s*(?:符|Fu))?\s*(?:(\d+)\s*(?:[飜翻番]|Han))?.*?(?:(\d+)-)?(\d+)\s*(?:点|Points)(∀|オール|all)?", re.I
)
#: The names of limits that a score may begin with, by their number (`WinLog.limit`).
LIMIT_NAMES = {5: YAKUMAN, 4: "三倍満", 3: "倍満", 2: "跳満", 1: "満貫"}


class StatedScore(NamedTuple):
    """What the text of a score states; None for what it does not."""

    fu: int | None = None
    han: int | None = None
    limit: int | None = None
    points: int | None = None
    """From all payers together."""


def read_score(text: str) -> StatedScore:
    """Return what a score such as `30符4飜3900点∀` states; raises ValueError for a score that cannot be read."""
    match = _SCORE.fullmatch(text.strip()) if len(text) <= _LONGEST_TEXT else None
    if match is None:
        raise ValueError(f"cannot read the score {text[:40]!r}")
    fu, han, low, points, each = match.groups()
    total = 3 * int(points) if each else 2 * int(low) + int(points) if low else int(points)
    limit = next((limit for limit, name in LIMIT_NAMES.items() if name in text), None)
    if limit is None and fu and han:
        limit = 0
    return StatedScore(int(fu) if fu else None, int(han) if han else None, limit, total)
