"""Whatever a file holds, only a LogError that names the file comes out."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from log_games import SEED, small_game

from simulator.logs.archives import open_logs
from simulator.logs.formats import FORMATS, Format, format_named, read_log, read_logs
from simulator.logs.generate import generate_games
from simulator.logs.mjai_writer import write_mjai
from simulator.logs.mjlog_codes import pack_event, unpack_events
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog, LogError, RoundLog, SkippedLog
from simulator.logs.tenhou6_writer import write_tenhou6
from simulator.logs.verify import verify_game
from simulator.logs.verify_paths import verify_paths
from simulator.record import EVENT_DISCARD, EVENT_DRAW, EVENT_RIICHI_ACCEPTED, RESULT_EXHAUSTIVE
from simulator.rules import Rules
from simulator.walls import DORA_INDICATORS, FIRST_LIVE, TenhouWalls, dealt_places
from suphx.dataset.prepared import LeftOut
from suphx.evaluation.log_stats import count_game

pytestmark = pytest.mark.faults

GAME = small_game()
GAME.seed = None
TEXTS = {each.name: each.write(GAME).decode() for each in FORMATS}
PLAYED = next(generate_games(1, seed=5))
PLAYED.names = ["雀", "b", "c", "d"]


@pytest.fixture(params=FORMATS, ids=lambda kind: kind.name)
def kind(request) -> Format:
    return request.param


def refuse(data: bytes | str, match: str | None = None) -> LogError:
    with pytest.raises(LogError, match=match) as caught:
        read_log(data if isinstance(data, bytes) else data.encode(), "the-file")
    assert caught.value.source == "the-file"
    assert "the-file" in str(caught.value)
    return caught.value


@pytest.mark.parametrize("data", [b"", b" \n", b"\xef\xbb\xbf"])
def test_empty(data):
    refuse(data, "empty")


@pytest.mark.parametrize(
    "data", [b"hello", b"\x00\x01\x02", b"%PDF-1.4", b"PK\x03\x04", b"[]", b"{}", b'{"a": 1}', b"1"]
)
def test_no_log_at_all(data):
    refuse(data, "not a game log|not a Tenhou JSON log|empty|not JSON")


def sizes(game: GameLog) -> list[int]:
    return [len(each.events) for each in game.played]


def test_what_is_whole_of_a_text_that_ends_early_is_read(kind):
    text = kind.write(PLAYED)
    (whole,) = read_log(text)
    read = 0
    for end in range(1, len(text) - len("</mjloggm>"), len(text) // 40):
        try:
            (game,) = read_log(text[:end], "the-file")
        except LogError as error:
            assert not read and "the-file" in str(error)  # before there is a round
            continue
        read += 1
        n = len(game.rounds)
        assert sizes(game)[:n] == sizes(whole)[:n] and (game.cut is None or sizes(game)[n] <= sizes(whole)[n])
        assert (
            kind.name == "mjai" and text[end - 1 : end + 1] in (b"}\n", b"\n{")
        ) or "text ends early" in game.missing
        verified = verify_game(game)
        assert not verified.mismatches and verified.rounds == n
    assert read


def test_the_last_tile_is_discarded_and_the_result_is_missing(kind):
    number = next(number for number, each in enumerate(PLAYED.rounds) if each.draw_type == RESULT_EXHAUSTIVE)
    whole = PLAYED.rounds[number]
    cut = replace(whole, events=whole.events[:-1], draw_type=None, deltas=None, tenpai=None, shown=None)
    game = replace(PLAYED, rounds=PLAYED.rounds[:number], cut=cut, final_scores=None, final_points=None)
    (again,) = read_log(kind.write(game))
    verified = verify_game(again)
    assert not verified.mismatches and verified.unfinished and sizes(again) == sizes(game)


def seeded(turns: int = 6) -> GameLog:
    """Return the beginning of a game from a wall seed: in each turn, the tile drawn is discarded."""
    wall, dice = TenhouWalls(SEED).next_round()
    hands = [sorted(wall[dealt_places(0, seat)].tolist()) for seat in range(4)]
    packed = []
    for turn in range(turns):
        seat, tile = turn % 4, int(wall[FIRST_LIVE - turn])
        packed += [pack_event(EVENT_DRAW, seat, tile), pack_event(EVENT_DISCARD, seat, tile, drawn=1)]
    indicator = int(wall[DORA_INDICATORS[0]])
    cut = RoundLog(0, 0, 0, 0, [25000] * 4, hands, indicator, unpack_events(packed), dice=dice)
    return GameLog(Rules.tenhou(), [], seed=SEED, cut=cut)


@pytest.mark.parametrize("seed", [None, SEED])
def test_a_game_that_ends_in_its_first_round_verifies_with_and_without_a_wall_seed(seed):
    text = write_mjlog(replace(seeded(), seed=seed))
    for end in (len(text), -len("</mjloggm>"), -len("</mjloggm>") - 2):
        (game,) = read_log(text[:end], "the-file")
        assert game.seed == seed and game.cut is not None and not game.rounds
        assert ("0 whole rounds and the beginning" in game.missing) == (end < 0)
        verified = verify_game(game)
        assert not verified.mismatches and verified.unfinished


def test_a_game_that_ends_with_an_accepted_riichi(kind):
    def ending(log: RoundLog) -> int:
        return int(np.flatnonzero(log.events["type"] == EVENT_RIICHI_ACCEPTED)[0]) + 1

    number = next(n for n, each in enumerate(PLAYED.rounds) if (each.events["type"] == EVENT_RIICHI_ACCEPTED).any())
    whole = PLAYED.rounds[number]
    cut = replace(
        whole, events=whole.events[: ending(whole)], wins=[], draw_type=None, deltas=None, tenpai=None, shown=None
    )
    game = replace(PLAYED, rounds=PLAYED.rounds[:number], cut=cut, final_scores=None, final_points=None)
    (again,) = read_log(kind.write(game))
    assert not verify_game(again).mismatches


def test_a_gzip_stream_that_is_cut_off(kind):
    text = kind.write(PLAYED)
    packed = gzip.compress(text)
    (game,) = read_log(packed[: len(packed) // 2], "the-file")
    assert game.rounds and "text ends early" in game.missing
    (game,) = read_log(packed[:-4], "the-file")
    assert sizes(game) == sizes(PLAYED) and "text ends early" in game.missing
    refuse(packed[:15])


@pytest.mark.parametrize("name", ["mjai", "tenhou6"])
def test_a_character_that_is_cut_in_two(name):
    kind = format_named(name)
    text = kind.write(PLAYED) + b"\n" + kind.write(GAME)
    (game,) = read_log(text[: text.index("甲".encode()) + 1], "the-file")
    assert sizes(game) == sizes(PLAYED) and "text ends early" in game.missing


def test_an_attribute_twice_is_accepted_only_with_one_value():
    text = TEXTS["mjlog"]
    (game,) = read_log(text.replace('oya="0" hai0', 'oya="0" oya="0" hai0', 1).encode(), "the-file")
    assert "<INIT> has an attribute twice" in game.remark and not game.missing
    assert sizes(game) == sizes(GAME)
    refuse(text.replace('oya="0" hai0', 'oya="0" oya="1" hai0', 1), "duplicate attribute")
    (game,) = read_log(text.replace('oya="0" hai0', 'oya="0" oya="0" hai0', 1)[:-40].encode(), "the-file")
    assert "twice" in game.remark and "ends early" in game.missing


def test_damaged_files_do_not_keep_the_others_from_being_verified(tmp_path):
    text = write_mjlog(PLAYED)
    damaged = {
        "cut": text[: len(text) // 2], "gzip": gzip.compress(text)[:-9], "first": write_mjlog(seeded())[:-12],
        "empty": b"", "twice": text.replace(b'oya="', b'oya="0" oya="', 1), "junk": b"\0" * 99,
        "tag": text.replace(b"<N ", b"<M ", 1), "json": write_tenhou6(PLAYED)[:-99], "mjai": write_mjai(PLAYED)[:-99],
        "zip": b"PK\x03\x04" + text,
    }  # fmt: skip
    for name, data in damaged.items():
        (tmp_path / f"{name}.log").write_bytes(data)
    for number in range(3):
        (tmp_path / f"whole{number}.mjlog").write_bytes(text)
    *_, (summary, share) = verify_paths([tmp_path])
    assert not summary.good and share == 1.0
    assert (summary.games, summary.mismatches, summary.incomplete, summary.errors) == (9, 0, 5, 4), summary
    assert all(".log: " in words for words in summary.first_errors + summary.first_incomplete)
    left = LeftOut()
    for part in (count_game(log) for log in read_logs(open_logs([tmp_path]))):
        left += part if isinstance(part, LeftOut) else LeftOut()
    assert left.errors == 8 and left.mismatches == 0  # the gzip stream lacks only its end


def mjlog(old: str, new: str) -> str:
    assert old in TEXTS["mjlog"]
    return TEXTS["mjlog"].replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("<T54/>", "<T136/>", "unknown tag <T136>"),
        ("<T54/>", "<T-1/>", "unknown tag <T-1>"),
        ("<T54/>", "<X54/>", "unknown tag <X54>"),
        ("<T54/>", "<T54>", "not well-formed"),
        ("<T54/>", "<T54/>text", "between the tags"),
        ("<T54/>", "<T0/>", "tile 0 comes twice"),
        ("<T68/>", "<T54/>", "tile 54 comes twice"),
        ('hai0="0,1,', 'hai0="0,0,', "tile 0 comes twice"),
        ('hai0="0,1,', 'hai0="0,', "hai0 has 12 numbers, not 13"),
        ('hai0="0,1,', 'hai0="200,1,', "names tile 200"),
        ('hai0="0,1,', 'hai0="x,1,', "invalid literal"),
        ('hai0="', 'hai="', "no attribute 'hai0'"),
        ('ten="250,260,240,250"', 'ten="250,260,240"', "ten has 3 numbers"),
        ('seed="0,1,0,1,4,5"', 'seed="0,1,0,1,4"', "seed has 5 numbers"),
        ('seed="0,1,0,1,4,5"', 'seed="12,1,0,1,4,5"', "the round is 12"),
        ('m="31919"', 'm="31918"', "no chow from the left"),
        ('m="31919"', 'm="99999999"', "out of range"),
        ('<N who="1"', '<N who="7"', "out of range"),
        ('step="1"', 'step="3"', "step is '3'"),
        ('<DORA hai="103"/>', '<DORA hai="1,2"/>', "hai has 2 numbers"),
        ('type="yao9"', 'type="yao8"', "unknown type 'yao8'"),
        ('who="2" fromWho="0"', 'who="4" fromWho="0"', "who is 4"),
        ("sc=", "cs=", "no attribute 'sc'"),
        ("owari=", "owari='' x=", "float"),
        ('rate="2100.50,', 'rate="nan,', "`rate` has a number"),
        ('rate="2100.50,', 'rate="-inf,', "`rate` has a number"),
        ('rate="2100.50,', 'rate="', "rate has 3 numbers"),
        ('yaku="18,1,54,1,8,1"', 'yaku="18,-9,54,1,8,1"', "less than 0"),
        ('yaku="18,1,54,1,8,1"', 'yaku="18,1,54,21,8,1"', "more than 20 han"),
        ('yaku="18,1,54,1,8,1"', 'yaku="18,1,54"', "zip"),
        ('yaku="18,1,', 'yaku="99,1,', "yaku number"),
        ('<GO type="169"/>', "", "before <GO>"),
        ('<GO type="169"', '<GO type="x"', "invalid literal"),
        ("<mjloggm", "<svg", "not well-formed|not an mjlog"),
    ],
)
def test_a_broken_mjlog(old, new, match):
    refuse(mjlog(old, new), match)


def test_a_round_without_result_names_the_round():
    text = re.sub(r"<RYUUKYOKU(?! type)[^>]*/>", "", TEXTS["mjlog"])
    refuse(text, "round 2: .*no result")


def test_moves_after_the_result():
    refuse(mjlog('<INIT seed="1,', '<T135/><INIT seed="1,'), "goes on after its result")


def test_no_rounds():
    refuse('<mjloggm ver="2.3"><GO type="9"/></mjloggm>', "no rounds")
    refuse('{"name":["","","",""],"rule":{},"log":[]}', "no rounds")
    refuse('{"type":"start_game"}\n{"type":"end_game"}', "no rounds")


def test_an_entity_bomb_and_a_document_type():
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    bomb = f'<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a0 "ha">{entities}]><mjloggm>&a11;</mjloggm>'
    refuse(bomb, "document type")
    refuse('<!DOCTYPE m SYSTEM "file:///etc/passwd"><mjloggm/>', "document type")
    refuse("<mjloggm>&x;</mjloggm>", "not well-formed")


@pytest.mark.parametrize("encoding", ["utf-16", "shift_jis", "euc-jp", "gb18030"])
@pytest.mark.parametrize("name", ["mjai", "tenhou6"])
def test_other_encodings(name, encoding):
    refuse(TEXTS[name].replace("ⓝ", "n").encode(encoding), "not UTF-8|not a game log")


def declared(encoding: str) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>' + TEXTS["mjlog"]


@pytest.mark.parametrize(
    "encoding", ["UTF-8", "utf-16", "Shift_JIS", "euc-jp", "gbk", "big5", "utf-7", "idna", "base64", "foo"]
)
def test_an_mjlog_is_read_as_utf_8_whatever_encoding_it_declares(encoding):
    (game,) = read_log(declared(encoding).encode(), "the-file")
    assert game.names == GAME.names


def test_an_mjlog_that_is_not_utf_8():
    refuse(declared("Shift_JIS").replace("<T54/>", "<T54/>雀").encode("shift_jis"), "not well-formed")
    refuse(declared("utf-16").encode("utf-16"), "not a game log")


def test_deep_nesting():
    refuse('{"log":' + "[" * 200_000, "nested too deeply|not JSON|recursion")
    refuse('{"type":"none","x":' + "[" * 200_000, "nested too deeply|not JSON|recursion")
    refuse("<mjloggm>" + "<T1>" * 100_000, "not well-formed|GO|")


def test_huge_numbers():
    refuse(TEXTS["tenhou6"].replace("25000", "9" * 5000, 1))
    refuse(TEXTS["mjai"].replace("25000", "1e400", 1))
    refuse(mjlog('ten="250,', f'ten="{"9" * 5000},'))


def test_too_large():
    refuse(b"<mjloggm>" + b" " * (5 << 20), "at most")


def tenhou6(change) -> str:
    data = json.loads(TEXTS["tenhou6"])
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda data: data["log"][0].pop(), "a list of 17 lists"),
        (lambda data: data["log"][0][4].append(11), "thirteen tiles"),
        (lambda data: data["log"][0][4].__setitem__(12, 11), "more 1m than there are"),
        (lambda data: data["log"][0][4].__setitem__(0, 99), "'99' is not a tile"),
        (lambda data: data["log"][0][5].__setitem__(0, "c99"), "cannot read the call"),
        (lambda data: data["log"][0][5].pop(), "do not fit together"),
        (lambda data: data["log"][0][2].append(19), "more than the kongs reveal|more 9m"),
        (lambda data: data["log"][0][2].clear(), "0 dora indicators"),
        (lambda data: data["log"][0].__setitem__(1, [1, 2, 3]), "the scores"),
        (lambda data: data["log"][0].__setitem__(16, ["奇妙"]), "unknown result"),
        (lambda data: data["log"][0][16].pop(), "payments and details"),
        (lambda data: data["log"][0][16][2].__setitem__(0, 9), "seats"),
        (lambda data: data["log"][0][16][2].__setitem__(4, "奇妙(1飜)"), "unknown yaku"),
        (lambda data: data["log"][0][16][2].__setitem__(4, "ドラ(21飜)"), "more than 20 han"),
        (lambda data: data["rate"].__setitem__(0, 10**400), "`rate` has a number"),
        (lambda data: data["rate"].__setitem__(0, float("nan")), "`rate` has a number"),
        (lambda data: data["rate"].__setitem__(0, float("inf")), "`rate` has a number"),
        (lambda data: data["rule"].update(aka52=2), "red fives of a suit"),
        (lambda data: data.update(name="x"), "`name`"),
        (lambda data: data["name"].__setitem__(1, "\ud800"), "half a surrogate pair"),
        (lambda data: data["rule"].update(disp="Friendly \udfff"), "half a surrogate pair"),
    ],
)
def test_a_broken_tenhou_json(change, match):
    refuse(tenhou6(change), match)


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ('"pai":"5p"', '"pai":"0p"', "is not a tile"),
        ('"pai":"5p"', '"pai":"?"', "one player's view"),
        ('"actor":0', '"actor":4', "not 0 to 3"),
        ('"actor":0,', "", "no 'actor'"),
        ('"type":"tsumo"', '"type":"draw"', "unknown event 'draw'"),
        ('"honba":1', '"honba":-1', "honba is '-1'"),
        ('"kyoku":1', '"kyoku":5', "kyoku is '5'"),
        ('{"type":"end_kyoku"}', '{"type":"tsumo","actor":0,"pai":"7z"}', "after the result"),
        ('"deltas":[', '"deltas":[1,', "four numbers"),
        ('"reason":"exhaustive_draw"', '"reason":"rain"', "unknown reason 'rain'"),
        ("甲", r"\ud83d", "half a surrogate pair"),
    ],
)
def test_a_broken_mjai_log(old, new, match):
    assert old in TEXTS["mjai"]
    assert refuse(TEXTS["mjai"].replace(old, new, 1), match).place.startswith("line ")


def test_three_player_games_are_skipped_not_failed():
    for data in (mjlog('type="169"', 'type="185"'), tenhou6(lambda data: data["rule"].update(disp="三鳳南喰赤"))):
        with pytest.raises(SkippedLog):
            read_log(data.encode(), "the-file")


VALUES = b"0 -1 4 60 135 136 255 99999999999999999999 1.5 1e999 null [] {} NaN".split()


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Change bytes, numbers and quoted words, cut and repeat pieces."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, other = rng.randrange(len(changed)), rng.randrange(len(changed))
        pieces = list(re.finditer(rb'-?\d+|"[^"]*"', changed))
        piece = rng.choice(pieces) if pieces else None
        choice = rng.randrange(6)
        if choice == 0:
            changed[at] = rng.randrange(256)
        elif choice == 1:
            del changed[at : at + rng.randint(1, 20)]
        elif choice == 2:
            changed[at:at] = changed[other : other + rng.randint(1, 60)]
        elif choice == 3 and piece:
            changed[piece.start() : piece.end()] = rng.choice(pieces)[0]
        elif piece:
            changed[piece.start() : piece.end()] = rng.choice(VALUES)
        if not changed:
            return b"<"
    return bytes(changed)


@pytest.mark.parametrize("name", TEXTS)
def test_mutated_logs_give_games_or_log_errors(name):
    rng = random.Random(20)
    data = TEXTS[name].encode()
    for _ in range(1500):
        try:
            games = read_log(mutated(data, rng), "the-file")
        except LogError as error:
            assert "the-file" in str(error)
            continue
        for game in games:
            for target in FORMATS:
                try:
                    target.write(game)
                except LogError:
                    continue


def test_formats_are_found_by_name():
    assert [format_named(name).name for name in TEXTS] == list(TEXTS)


def damaged(text: bytes) -> Iterator[bytes]:
    """Yield a text cut at every byte, and with every byte doubled, and swapped with the next one."""
    for at in range(len(text)):
        yield text[:at]
        yield text[: at + 1] + text[at:]
        yield text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


@pytest.mark.full
def test_every_byte_of_ten_logs_cut_doubled_and_swapped(kind):
    """The shortest round of ten games each; what is left of a cut one agrees with the rules."""
    counts = Counter[str]()
    for game in generate_games(10, seed=11):
        game.rounds = [min(game.rounds, key=lambda each: len(each.events))]
        game.final_scores = game.final_points = None
        for index, data in enumerate(damaged(kind.write(game))):
            counts["tried"] += 1
            try:
                logs = read_log(data, "the-file")
            except LogError as error:
                assert "the-file" in str(error)
                counts["errors"] += 1
                continue
            counts["incomplete"] += any(log.missing for log in logs)
            if index % 3 == 0:
                assert not any(verify_game(log).mismatches for log in logs)
    print(kind.name, dict(counts))
    assert 0 < counts["errors"] < counts["tried"]
