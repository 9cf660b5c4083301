"""Vocabulary of Mahjong Soul's records: tiles, yaku, rules, rooms, kinds of calls and of rounds without a winner.

Its names are pinyin: `chang` is the round's wind, `ju` the dealer, `ben` the repeat counter, `liqi` riichi, `moqie` the
discard of the tile just drawn, `zimo` tsumo, `fan` a yaku, `ming` a meld, `baopai` liability.
"""

import dataclasses
import re
from typing import Any, Literal

from simulator import record as r
from simulator.logs.model import LogError, SkippedLog
from simulator.logs.protobuf_json import Message, number, part, texts
from simulator.logs.round_builder import face_name
from simulator.rules import Rules
from simulator.scoring import yaku as y
from simulator.tiles import KINDS

TILE_NAMES = tuple(face_name(face) for face in range(KINDS + 3))
_FACES = {name: face for face, name in enumerate(TILE_NAMES)}

#: Tenhou's number of each yaku by Mahjong Soul's, which is its place here (`fan` in the game's data, as in Equim-chan's
#: tensoul); 34 belongs to three-player games, 46 to none. Of the winds only the kind is stated: the first of four.
YAKU_OF_FAN = (
    None, y.MENZEN_TSUMO, y.RIICHI, y.CHANKAN, y.RINSHAN, y.HAITEI, y.HOUTEI, y.DRAGON, y.DRAGON + 1, y.DRAGON + 2,
    y.SEAT_WIND, y.ROUND_WIND, y.TANYAO, y.IIPEIKO, y.PINFU, y.CHANTA, y.ITTSU, y.SANSHOKU, y.DOUBLE_RIICHI,
    y.SANSHOKU_DOUKOU,
    y.SANKANTSU, y.TOITOI, y.SANANKOU, y.SHOUSANGEN, y.HONROUTOU, y.SEVEN_PAIRS, y.JUNCHAN, y.HONITSU, y.RYANPEIKO,
    y.CHINITSU,
    y.IPPATSU, y.DORA, y.RED_FIVE, y.URA_DORA, None, y.TENHOU, y.CHIIHOU, y.DAISANGEN, y.SUUANKOU, y.TSUUIISOU,
    y.RYUUIISOU, y.CHINROUTOU, y.KOKUSHI, y.SHOUSUUSHII, y.SUUKANTSU, y.CHUUREN, None, y.JUNSEI_CHUUREN,
    y.SUUANKOU_TANKI, y.KOKUSHI_13,
    y.DAISUUSHII,
)  # fmt: skip
FAN_OF_YAKU = {
    number + wind: fan
    for fan, number in enumerate(YAKU_OF_FAN)
    if number is not None
    for wind in range(4 if number in (y.SEAT_WIND, y.ROUND_WIND) else 1)
}

#: `type` of a RecordChiPengGang, and how many own tiles it takes.
CALLS = {0: (r.EVENT_CHOW, 2), 1: (r.EVENT_PONG, 2), 2: (r.EVENT_OPEN_KONG, 3)}
#: `type` of a RecordAnGangAddGang.
KONGS = {2: r.EVENT_ADDED_KONG, 3: r.EVENT_CLOSED_KONG}
#: `type` of a RecordLiuJu.
ABORTIVE_DRAWS = {
    1: r.RESULT_NINE_TERMINALS, 2: r.RESULT_FOUR_WINDS, 3: r.RESULT_FOUR_KONGS, 4: r.RESULT_FOUR_RIICHI,
    5: r.RESULT_TRIPLE_RON,
}  # fmt: skip
#: Moves that only three-player games and special modes have.
OTHER_MODES = {
    "RecordBaBei", "RecordSelectGap", "RecordChangeTile", "RecordGangResult", "RecordGangResultEnd", "RecordRevealTile",
    "RecordUnveilTile", "RecordLockTile", "RecordFillAwaitingTiles", "RecordHuleXueZhanMid", "RecordHuleXueZhanEnd",
    "RecordHuleXueLiuMid", "RecordHuleXueLiuEnd",
}  # fmt: skip

#: A game's id, which is in its address: a date and a UUID.
GAME_ID = re.compile(r"\d{6}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
RANKED, FRIENDLY, TOURNAMENT = 2, 1, 4  # `category` of a game
_LENGTHS: dict[int, Literal["east", "east_south"]] = {1: "east", 2: "east_south"}
MODE_OF_LENGTH = {length: mode for mode, length in _LENGTHS.items()}
_THREE_PLAYERS = 10  # from this mode on
#: (Name, mode) of ranked rooms by `mode_id`.
ROOMS = {
    **{3 * n + mode + 1: (f"{name}の間", mode) for n, name in enumerate("銅銀金玉") for mode in (0, 1, 2)},
    15: ("王座の間", 1), 16: ("王座の間", 2),
}  # fmt: skip
_CATEGORIES = {RANKED: "段位戦", FRIENDLY: "友人戦", TOURNAMENT: "大会戦"}

#: Fields of `detail_rule` that hold points.
POINTS = {"init_point": "starting_points", "fandian": "target_points", "jingsuanyuandian": "return_points"}
#: Other fields of `detail_rule`: the rule, its value without the field's flag, and with it.
DETAILS: dict[str, tuple[str, Any, Any]] = {
    "dora_count": ("red_fives", False, True),
    "shiduan": ("open_tanyao", False, True),
    "can_jifei": ("bust", False, True),
    "have_liujumanguan": ("nagashi_mangan", False, True),
    "have_qieshangmanguan": ("kiriage_mangan", False, True),
    "have_gang_biao_dora": ("kong_dora", False, True),
    "ming_dora_immediately_open": ("open_kong_dora", "discard", "immediate"),
    "have_li_dora": ("ura_dora", False, True),
    "have_gang_li_dora": ("kong_ura", False, True),
    "have_sifenglianda": ("abort_four_winds", False, True),
    "have_sigangsanle": ("abort_four_kongs", False, True),
    "have_sijializhi": ("abort_four_riichi", False, True),
    "have_jiuzhongjiupai": ("abort_nine_terminals", False, True),
    "have_sanjiahele": ("abort_triple_ron", False, True),
    "have_toutiao": ("multiple_ron", "all", "head_bump"),
    "have_nanruxiru": ("west_entry", False, True),
    "disable_leijiyiman": ("counted_yakuman", True, False),
    "disable_double_yakuman": ("double_yakuman", True, False),
    "disable_composite_yakuman": ("multiple_yakuman", True, False),
    "disable_double_wind_four_fu": ("double_wind_fu", 4, 2),
    "disable_angang_guoshi": ("thirteen_orphans_rob_closed_kong", True, False),
    "enable_shiti": ("swap_calling", "forbidden", "allowed"),
}
RED_FIVES = 3  # `dora_count` with one in each suit
_MODES = (
    "guyi_mode", "dora3_mode", "begin_open_mode", "jiuchao_mode", "muyu_mode", "open_hand", "xuezhandaodi",
    "huansanzhang", "chuanma", "reveal_discard", "field_spell_mode", "zhanxing", "tianming_mode", "yongchang_mode",
    "hunzhiyiji_mode", "xia_ke_shang_mode",
)  # fmt: skip
_MOST_UMA = 1000


def face_of_name(name: str) -> int:
    """Return the face for a tile name."""
    if name not in _FACES:
        raise ValueError(f"{name[:20]!r} is not a tile; tiles are 1m to 9s, 0m, 0p, 0s, and 1z to 7z")
    return _FACES[name]


def faces(message: Message, name: str) -> list[int]:
    """Return the faces of a field that lists tiles."""
    return [face_of_name(tile) for tile in texts(message, name)]


def yaku_of_fan(fan: int, seat_wind: int, round_wind: int) -> int:
    """Return Tenhou's yaku number for Mahjong Soul's; the winds are 0..3."""
    number = YAKU_OF_FAN[fan] if 0 <= fan < len(YAKU_OF_FAN) else None
    if number is None:
        raise ValueError(f"unknown yaku {fan}")
    return number + {y.SEAT_WIND: seat_wind, y.ROUND_WIND: round_wind}.get(number, 0)


def read_rules(head: Message) -> tuple[Rules, str, str]:
    """Return the rules, the room, and why not all rules are known; raise SkippedLog for what is not played here."""
    config = part(head, "config")
    mode = part(config, "mode")
    if not mode:
        return Rules.mahjong_soul(), "", "the record does not state its rules"
    length = number(mode, "mode", 1000)
    if length > _THREE_PLAYERS:
        raise SkippedLog("a three-player game")
    if length not in _LENGTHS:
        raise SkippedLog(f"a game of mode {length}, neither East nor East and South")
    detail = part(mode, "detail_rule")
    special = next((name for name in _MODES if detail.get(name)), None)
    if special is not None:
        raise SkippedLog(f"a game of the special mode {special}")
    rules = dataclasses.replace(Rules.mahjong_soul(), length=_LENGTHS[length])
    category = number(config, "category", 1000)
    name = _CATEGORIES.get(category, "")
    unsure = ""
    if category == RANKED:
        name = ROOMS.get(number(part(config, "meta"), "mode_id", 1 << 30), (name, 0))[0]
    else:
        ranked, rules, unsure = (
            rules,
            _with_details(rules, detail),
            "a room may have rules that its record does not state",
        )
        free = {field: getattr(rules, field) for field in ("red_fives", "open_tanyao", "starting_points")}
        name = name if rules == dataclasses.replace(ranked, **free) else ""
    display = f"{name}{'東' if length == 1 else '南'}喰{'赤' if rules.red_fives else ''}" if name else ""
    return rules, display, unsure


def _with_details(rules: Rules, detail: Message) -> Rules:
    """Return rules with what `detail_rule` states; what it does not is as in ranked games.

    Red fives and open tanyao are always stated, so that without their fields there are none.
    """
    changes: dict[str, Any] = {DETAILS[field][0]: False for field in ("dora_count", "shiduan") if detail}
    for field, rule in POINTS.items():
        if detail.get(field):
            changes[rule] = number(detail, field, 1_000_000)
    for field, (rule, without, with_it) in DETAILS.items():
        value = detail.get(field)
        if value not in (None, 0, RED_FIVES if field == "dora_count" else 1):
            raise LogError(f"{field} is {str(value)[:20]!r}, which this simulator does not play")
        if value is not None:
            changes[rule] = with_it if value else without
    uma = [number(detail, f"shunweima_{place}", _MOST_UMA, -_MOST_UMA) for place in (2, 3, 4)]
    if any(uma):
        changes["uma"] = (-sum(uma), *uma)
    return dataclasses.replace(rules, **changes)


def write_rules(rules: Rules, room: str) -> Message:
    """Return a head's `config` for the rules and the room; what it has no field for is lost."""
    mode = MODE_OF_LENGTH[rules.length]
    if rules == dataclasses.replace(Rules.mahjong_soul(), length=rules.length):
        fitting = (number for number, (name, played) in ROOMS.items() if played == mode and room.startswith(name))
        return {"category": RANKED, "mode": {"mode": mode}, "meta": {"mode_id": next(fitting, 0)}}
    detail: Message = {field: getattr(rules, rule) for field, rule in POINTS.items()}
    for field, (rule, without, _) in DETAILS.items():
        detail[field] = getattr(rules, rule) != without
    detail["dora_count"] = RED_FIVES * rules.red_fives
    detail["shiduan"] = int(rules.open_tanyao)
    detail |= {f"shunweima_{place}": round(rules.uma[place - 1]) for place in (2, 3, 4)}
    return {"category": FRIENDLY, "mode": {"mode": mode, "detail_rule": detail}, "meta": {}}
