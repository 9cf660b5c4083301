"""Change each statement of a log once, and see whether the reader or the verifier notices: what `verify` is worth.

Every round is tried together with the one before it, since a log may begin anywhere, so that also what is stated of its
beginning is held against something.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from simulator.logs import tenhou6_words as words
from simulator.logs.archives import plain_data
from simulator.logs.formats import detect, read_log
from simulator.logs.mahjong_soul_words import TILE_NAMES as SOUL_TILES
from simulator.logs.mjai_words import REASON_NAMES, TILE_NAMES, YAKU_NAMES
from simulator.logs.mjlog_codes import DRAW_TYPES
from simulator.logs.model import LogError
from simulator.logs.verify import verify_game
from simulator.tiles import TILES

#: A changed log: what was changed, and the whole file.
Change = tuple[str, bytes]

_HIDDEN = "a tile that is not seen again may be any other where the log has no wall seed"
_AT_ONCE = f"drawn and discarded at once it is stated once; {_HIDDEN}"
_LABEL = "a label: nothing in the game depends on it"
_UNUSED = "the rule shows only in a game that uses it"
_COPY = "two tiles look the same, and which of them was discarded is stated once"
_URA = "an indicator that makes no tile of a winning hand a dora may be any other where the log has no wall seed"
_DEALT_IN = "a riichi that is never accepted, since its tile deals in, may as well have been only a discard"
_KEPT = "a seat may as well have called with other tiles that it held, where it shows neither"
_REPEATED = "it repeats what another statement implies, and is not read"
_ENDS = "a log may end anywhere, also where the game does"
_FIRST = "of the first round: a log may begin anywhere"
#: Why no reader could find a change, by the beginning of its name. Other changes of the same kind are found.
REASONS = {
    "mjlog mjloggm": _LABEL, "mjlog UN": _LABEL, "mjlog GO lobby": _LABEL, "mjlog SHUFFLE ref": _LABEL,
    "mjlog SHUFFLE seed": "walls are known for one kind of seed; another kind is not checked",
    "mjlog GO type": _UNUSED, "mjlog BYE": "who is away makes no decision, but so may one who is there",
    "mjlog INIT dice": "without the wall's seed nothing else depends on the dice", "mjlog INIT hai": _HIDDEN,
    "mjlog INIT indicator": _URA, "mjlog draw tile": _HIDDEN, "mjlog DORA": _URA, "mjlog AGARI doraHaiUra": _URA,
    "mjlog discard tile": _HIDDEN, "mjlog N m tiles": _KEPT,
    "mjlog REACH 1 missing": _DEALT_IN, "mjai reach missing": _DEALT_IN,
    "mjlog AGARI yaku 1": "Tenhou lists ura dora of 0 han, which say nothing",
    "mjai start_game names": _LABEL, "mjai start_game uri": _LABEL,
    "mjai start_game kyoku_first": _UNUSED, "mjai start_game aka_flag": _UNUSED,
    "mjai start_kyoku tehais": _HIDDEN, "mjai start_kyoku dora_marker": _URA, "mjai tsumo pai": _HIDDEN,
    "mjai start_kyoku kyoku": _FIRST, "mjai start_kyoku honba": _FIRST, "mjai start_kyoku kyotaku": _FIRST,
    "mjai start_kyoku scores": _FIRST, "mjai start_kyoku bakaze": _FIRST,
    "mjai dora dora_marker": _URA, "mjai hora ura_markers": _URA, "mjai dahai tsumogiri": _COPY,
    "mjai dahai pai": _HIDDEN,
    "tenhou6 title": _LABEL, "tenhou6 name": _LABEL, "tenhou6 dan": _LABEL, "tenhou6 rate": _LABEL,
    "tenhou6 ref": _LABEL, "tenhou6 lobby": _LABEL,
    "tenhou6 rule": _UNUSED, "tenhou6 hand": _HIDDEN, "tenhou6 draw": _AT_ONCE, "tenhou6 indicators": _URA,
    "mjx publicObservation playerIds": _LABEL, "mjx publicObservation gameId": _LABEL,
    "mjx publicObservation doraIndicators": _URA,
    "mjx publicObservation initScore": _FIRST, "mjx publicObservation events tile": _HIDDEN,
    "mjx privateObservations initHand": _HIDDEN, "mjx privateObservations draws": _HIDDEN,
    "mjx roundTerminal finalScore round": _REPEATED, "mjx roundTerminal finalScore honba": _REPEATED,
    "mjx roundTerminal noWinner tenpais hand opens": _REPEATED,
    "mjx roundTerminal finalScore riichi": "a win takes all bets", "mjx roundTerminal isGameOver": _ENDS,
    "mjx roundTerminal wins uraDoraIndicators": _URA,
    "mjx roundTerminal wins yakus": "Tenhou lists ura dora of 0 han, which say nothing",
    "mahjong_soul head accounts": _LABEL, "mahjong_soul head uuid": _LABEL, "mahjong_soul head config": _UNUSED,
    "mahjong_soul RecordNewRound tiles": _HIDDEN, "mahjong_soul RecordDealTile tile": _HIDDEN,
    "mahjong_soul RecordDiscardTile tile": _HIDDEN, "mahjong_soul RecordDiscardTile moqie": _COPY,
    "mahjong_soul RecordNewRound left_tile_count": _REPEATED, "mahjong_soul RecordDealTile left_tile_count": _REPEATED,
    "mahjong_soul RecordNewRound doras": _URA, "mahjong_soul RecordHule hules li_doras": _URA,
    "mahjong_soul RecordNewRound": _FIRST, "mahjong_soul RecordDiscardTile is_liqi": _DEALT_IN,
    "mahjong_soul RecordDealTile liqi": _REPEATED, "mahjong_soul RecordChiPengGang liqi": _REPEATED,
    "mahjong_soul RecordHule hules qinjia": _REPEATED,
    "tenhou6 ura": _URA, "tenhou6 discard": _COPY, "tenhou6 round": _FIRST, "tenhou6 points": _FIRST,
}  # fmt: skip


def reason_of(kind: str) -> str | None:
    """Return why a change of this kind need not be found, or None if it must be."""
    return next((reason for begin, reason in REASONS.items() if kind.startswith(begin)), None)


def tamper(data: bytes, source: str = "", every: int = 1) -> Iterator[tuple[str, bool]]:
    """Change each statement of one game's log and yield (what was changed, whether it was noticed).

    every: only each so many-th statement is changed, which is quicker.

    The kinds are named by format, place and field, such as `mjai hora fu`. Raises LogError for a log that cannot be
    read or does not verify as it is.
    """
    data = plain_data(data, source)
    name = detect(data, source).name
    text = data.decode("utf-8-sig")
    parts = {
        "mjlog": _mjlog_parts, "mjai": _mjai_parts, "tenhou6": _tenhou6_parts, "mjx": _mjx_parts,
        "mahjong_soul": _mahjong_soul_parts,
    }[name](text)  # fmt: skip
    count = 0
    for whole, changes in parts:
        for log in read_log(whole, source):
            for mismatch in verify_game(log).mismatches:
                raise LogError(f"the log does not verify as it is: {mismatch}", source)
        for count, (kind, changed) in enumerate(changes, count + 1):  # noqa: B020
            if count % every == 0:
                yield f"{name} {kind}", _noticed(changed, source)


def _noticed(data: bytes, source: str) -> bool:
    try:
        return any(verify_game(log).mismatches for log in read_log(data, source))
    except LogError:
        return True


def _other(value: Any) -> Any:
    """Return another value of the same kind as a leaf of a JSON log."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if value < 1000 else value + 100
    if value in TILE_NAMES[:34]:
        return TILE_NAMES[(TILE_NAMES.index(value) + 7) % 34]
    if value in TILE_NAMES:
        return value[:2]
    if value in SOUL_TILES:
        return SOUL_TILES[(SOUL_TILES.index(value) + 7) % len(SOUL_TILES)]
    if value in YAKU_NAMES:
        return YAKU_NAMES[(YAKU_NAMES.index(value) + 7) % len(YAKU_NAMES)]
    if value in REASON_NAMES.values():
        names = list(REASON_NAMES.values())
        return names[(names.index(value) + 1) % len(names)]
    return value + "x"


def _leaves(value: Any, change: Any = _other) -> Iterator[Any]:
    """Yield copies of a JSON value, in each of which one leaf is changed."""
    if not isinstance(value, list):
        yield change(value)
        return
    for at, part in enumerate(value):
        for other in _leaves(part, change):
            yield [*value[:at], other, *value[at + 1 :]]


# --- mjlog ----------------------------------------------------------------------------------------------------------

_TAG = re.compile(r"<(/?\w+)((?:\s+\w+=\"[^\"]*\")*)\s*/?>")
_SEED = ("round", "repeat counter", "bets", "dice", "dice", "indicator")
_TILES = ("hai", "hai0", "hai1", "hai2", "hai3", "machi", "doraHai", "doraHaiUra")


def _mjlog_parts(text: str) -> Iterator[tuple[bytes, Iterator[Change]]]:
    tags = [match[0] for match in _TAG.finditer(text)]
    starts = [at for at, tag in enumerate(tags) if tag.startswith("<INIT")]
    bounds = [*starts, len(tags) - 1]
    head = tags[: starts[0]]
    for number in range(len(starts)):
        first = bounds[max(number - 1, 0)]
        body = [*head, *tags[first : bounds[number + 1]], tags[-1]]
        begin = 0 if number == 0 else len(head) + bounds[number] - first

        def changes(body: list[str] = body, begin: int = begin) -> Iterator[Change]:
            for at in range(begin, len(body) - 1):
                for kind, other in _mjlog_tag(body[at]):
                    yield kind, "".join([*body[:at], other, *body[at + 1 :]]).encode()

        yield "".join(body).encode(), changes()


def _mjlog_tag(tag: str) -> Iterator[tuple[str, str]]:
    match = _TAG.match(tag)
    assert match is not None
    name, attributes = match[1], dict(re.findall(r"(\w+)=\"([^\"]*)\"", match[2]))
    if re.fullmatch(r"[T-WD-Gd-g]\d+", name):
        kind, tile = ("draw" if name[0] in "TUVW" else "discard"), int(name[1:])
        yield f"{kind} tile", f"<{name[0]}{(tile + 28) % TILES}/>"
        letters = next(each for each in ("TUVW", "DEFG", "defg") if name[0] in each)
        yield f"{kind} seat", f"<{letters[(letters.index(name[0]) + 1) % 4]}{tile}/>"
        return
    if name == "REACH":
        yield f"REACH {attributes['step']} missing", ""
    for field, value in attributes.items():
        if name == "N" and field == "m":
            code = int(value)
            if code & 3:
                yield "N m direction", tag.replace(f'm="{value}"', f'm="{code & ~3 | (code & 3) % 3 + 1}"')
            yield "N m tiles", tag.replace(f'm="{value}"', f'm="{code ^ 1 << 11}"')
            continue
        numbers = value.split(",")
        for at, number in enumerate(numbers):
            label = f"INIT {_SEED[at]}" if field == "seed" and name == "INIT" else f"{name} {field}"
            if field in ("yaku", "sc", "owari"):
                label += " 2" if at % 2 else " 1"
            elif name == "AGARI" and field == "ten":
                label += f" {('fu', 'points', 'limit')[at]}"
            other = _mjlog_value(field, number)
            if name == "SHUFFLE":
                other = number.replace("A", "B", 1) if field == "seed" and at else number + "x"
            if other != number:
                changed = ",".join([*numbers[:at], other, *numbers[at + 1 :]])
                yield label, tag.replace(f' {field}="{value}"', f' {field}="{changed}"')


def _mjlog_value(field: str, value: str) -> str:
    if field in _TILES:
        return str((int(value) + 28) % TILES)
    if field == "type" and value in DRAW_TYPES:
        names = list(DRAW_TYPES)
        return names[(names.index(value) + 1) % len(names)]
    if field == "type":
        return str(int(value) ^ 0x04)
    try:
        return str(int(value) + 1)
    except ValueError:
        return f"{float(value) + 1:.1f}" if re.fullmatch(r"-?\d+\.\d+", value) else value + "x"


# --- mjai -----------------------------------------------------------------------------------------------------------


def _mjai_parts(text: str) -> Iterator[tuple[bytes, Iterator[Change]]]:
    events = [json.loads(line) for line in text.splitlines() if line.strip()]
    starts = [at for at, event in enumerate(events) if event["type"] == "start_kyoku"]
    ends = [at + 1 for at, event in enumerate(events) if event["type"] == "end_kyoku"]
    for number in range(len(starts)):
        first = starts[max(number - 1, 0)]
        last = len(events) if number == len(starts) - 1 else ends[number]
        body = [*events[: starts[0]], *events[first:last]]
        begin = 0 if number == 0 else starts[0] + starts[number] - first

        def changes(body: list[Any] = body, begin: int = begin) -> Iterator[Change]:
            for at in range(begin, len(body)):
                event = body[at]
                if event["type"] in ("reach", "reach_accepted", "dora", "tsumo", "dahai"):
                    yield f"{event['type']} missing", _lines([*body[:at], *body[at + 1 :]])
                for field, value in event.items():
                    for other in _leaves(value) if field != "type" else ():
                        yield f"{event['type']} {field}", _lines([*body[:at], event | {field: other}, *body[at + 1 :]])

        yield _lines(body), changes()


def _lines(events: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, events)).encode()


# --- Tenhou's JSON --------------------------------------------------------------------------------------------------

_PARTS = ("round", "points", "indicators", "ura", *(name for _ in range(4) for name in ("hand", "draw", "discard")))


def _tenhou6_parts(text: str) -> Iterator[tuple[bytes, Iterator[Change]]]:
    game = json.loads(text)
    rounds = game["log"]
    for number, this in enumerate(rounds):
        before = rounds[number - 1 : number] if number else []
        head = {key: value for key, value in game.items() if key != "sc" or number == len(rounds) - 1}

        def changes(head: Any = head, before: Any = before, this: Any = this) -> Iterator[Change]:
            for field, value in head.items():
                if field != "log" and (field == "sc" or not before):
                    values = list(value.values()) if isinstance(value, dict) else value
                    for other in _leaves(values):
                        stated = dict(zip(value, other, strict=True)) if isinstance(value, dict) else other
                        yield field, _game(head | {field: stated, "log": [*before, this]})
            for at, part in enumerate(this):
                for kind, other in _tenhou6_part(at, part):
                    yield kind, _game(head | {"log": [*before, [*this[:at], other, *this[at + 1 :]]]})

        yield _game(head | {"log": [*before, this]}), changes()


def _game(log: Any) -> bytes:
    return json.dumps(log, ensure_ascii=False).encode()


def _tenhou6_part(at: int, part: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    if at < len(_PARTS):
        change = _other if _PARTS[at] in ("round", "points") else _tenhou6_tile
        for other in _leaves(part, change):
            yield _PARTS[at], other
        return
    yield "result word", [words.DRAW_NAMES[7] if part[0] in words.WIN_WORDS else words.WIN_WORDS[0], *part[1:]]
    for n, value in enumerate(part[1:], 1):
        for m, leaf in enumerate(value):
            for kind, other in _tenhou6_leaf(leaf, n, m):
                yield f"result {kind}", [*part[:n], [*value[:m], other, *value[m + 1 :]], *part[n + 1 :]]


def _tenhou6_tile(entry: Any) -> Any:
    """Return another tile for an entry of a hand, of draws or of discards; a call comes from another seat."""
    if isinstance(entry, int):
        return (
            (entry % 10 + 3) % 7 + 1 + entry // 10 * 10 if entry < 50 else (0 if entry == 60 else entry % 10 * 10 + 5)
        )
    if entry[0] == "r":
        return int(entry[1:])
    at = next(place for place, char in enumerate(entry) if not char.isdigit())
    moved = 0 if at else 2
    digits = entry[:at] + entry[at + 1 :]
    return digits[:moved] + entry[at] + digits[moved:]


def _tenhou6_leaf(leaf: Any, n: int, m: int) -> Iterator[tuple[str, Any]]:
    if isinstance(leaf, int):
        yield ("payments" if n % 2 else ("winner", "from", "liable")[m]), (leaf + 100 if n % 2 else (leaf + 1) % 4)
        return
    for match in re.finditer(r"\d+", leaf):
        kind = "score" if m == 3 else "yaku's han"
        unit = leaf[match.end() : match.end() + 1]
        name = {"符": "fu", "飜": "han"}.get(unit, "points") if m == 3 else ""
        yield f"{kind} {name}".strip(), leaf[: match.start()] + str(int(match[0]) + 1) + leaf[match.end() :]
    for limit, name in words.LIMIT_NAMES.items() if m == 3 else ():
        if leaf.startswith(name):
            yield "score limit", leaf.replace(name, words.LIMIT_NAMES[limit % 5 + 1])
    if m > 3:
        at = words.YAKU_NAMES.index(leaf.partition("(")[0])
        yield "yaku", leaf.replace(words.YAKU_NAMES[at], words.YAKU_NAMES[(at + 1) % len(words.YAKU_NAMES)])


# --- protobuf messages as JSON: mjx, Mahjong Soul ---------------------------------------------------------------------


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield copies of a JSON value, in each of which one leaf is changed, with the names of the fields above it."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        for kind, other in _fields(part, f"{name} {key}" if isinstance(key, str) else name):
            yield kind, {**value, key: other} if isinstance(value, dict) else [*value[:key], other, *value[key + 1 :]]
    if not isinstance(value, dict | list):
        yield name.strip(), _other(value)


def _mjx_parts(text: str) -> Iterator[tuple[bytes, Iterator[Change]]]:
    states = [json.loads(line) for line in text.splitlines()]
    for number, this in enumerate(states):
        before = states[number - 1 : number] if number else []
        yield _lines([*before, this]), ((kind, _lines([*before, other])) for kind, other in _fields(this))


def _mahjong_soul_parts(text: str) -> Iterator[tuple[bytes, Iterator[Change]]]:
    game = json.loads(text)
    records = [action["result"] for action in game["data"]["data"]["actions"]]
    starts = [at for at, record in enumerate(records) if record["name"].endswith("NewRound")]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(records)], strict=True)):
        last = number == len(starts) - 1
        head = {name: value for name, value in game["head"].items() if name != "result" or last}
        before, this = records[starts[max(number - 1, 0)] : start], records[start:end]

        def changes(head: Any = head, before: Any = before, this: Any = this) -> Iterator[Change]:
            for kind, other in _fields(head):
                yield f"head {kind}", _game({"head": other, "data": [*before, *this]})
            for at, record in enumerate(this):
                for kind, other in _fields(record["data"]):
                    changed = [*before, *this[:at], record | {"data": other}, *this[at + 1 :]]
                    yield f"{record['name'][4:]} {kind}", _game({"head": head, "data": changed})

        yield _game({"head": head, "data": [*before, *this]}), changes()
