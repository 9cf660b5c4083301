from __future__ import annotations

import copy
import dataclasses
import json
from urllib.parse import quote

import pytest
from log_games import looks, small_game

from simulator.logs.model import LogError, SkippedLog
from simulator.logs.tenhou6 import read_tenhou6
from simulator.logs.tenhou6_words import YAKU_NAMES, read_rules, read_score, read_yaku
from simulator.logs.tenhou6_writer import write_tenhou6
from simulator.record import (
    EVENT_DISCARD,
    EVENT_DRAW,
    EVENT_PONG,
    EVENT_RIICHI,
    EVENT_RIICHI_ACCEPTED,
    EVENT_WIN,
    RESULT_FOUR_KONGS,
    RESULT_FOUR_RIICHI,
    RESULT_NAGASHI,
    RESULT_TRIPLE_RON,
)
from simulator.rules import PRESETS, Rules

HANDS = [
    [11, 12, 13, 14, 51, 16, 17, 18, 41, 41, 46, 23, 24],
    [31, 32, 33, 34, 53, 36, 37, 38, 39, 41, 42, 43, 44],
    [25, 26, 27, 28, 29, 31, 31, 31, 32, 32, 45, 45, 47],
    [11, 12, 13, 14, 15, 16, 17, 18, 19, 43, 44, 46, 46],
]
NOBODY = ["流局", [0, 0, 0, 0]]


def log(draws: list[list], discards: list[list], result: list, **fields) -> dict:
    tables = [part for seat in range(4) for part in (HANDS[seat], draws[seat], discards[seat])]
    one = [[0, 0, 0], [25000] * 4, fields.pop("dora", [29]), fields.pop("ura", []), *tables, result]
    data = {"title": ["", ""], "name": ["A", "B", "C", "D"], "rule": {"disp": "般南喰赤", "aka": 1}, "log": [one]}
    return copy.deepcopy(data | fields)


def read(data: dict):
    (game,) = read_tenhou6(json.dumps(data, ensure_ascii=False).encode(), "file")
    return game


def types(game) -> list[int]:
    return game.rounds[0].events["type"].tolist()


def test_draws_and_discards_are_put_in_order():
    game = read(log([[47], [47], [], []], [[60], [44], [], []], NOBODY))
    events = game.rounds[0].events
    assert types(game)[:4] == [EVENT_DRAW, EVENT_DISCARD] * 2
    assert events["seat"].tolist()[:4] == [0, 0, 1, 1]
    assert events["drawn"].tolist()[:4] == [0, 1, 0, 0]
    assert events["tile"][0] != events["tile"][2]


def test_a_pong_takes_the_turn():
    game = read(log([[46, 45], [], [], ["4646p46"]], [[60, 60], [], [], [43]], NOBODY))
    assert types(game)[:5] == [EVENT_DRAW, EVENT_DISCARD, EVENT_PONG, EVENT_DISCARD, EVENT_DRAW]
    assert game.rounds[0].events["seat"].tolist()[:5] == [0, 0, 3, 3, 0]


def test_of_two_equal_discards_the_pong_takes_the_one_that_fits():
    draws = [[46, "4141p41"], [29], [], ["4646p46"]]
    events = read(log(draws, [[60, 46], [41], [], [43]], NOBODY)).rounds[0].events
    assert events["seat"].tolist()[:8] == [0, 0, 1, 1, 0, 0, 3, 3]


def test_a_pong_of_the_second_of_two_equal_discards_with_the_caller_skipped_between():
    """Viewers got this wrong (Equim-chan's tensoul, issue 14): the seats called from tell the discards apart."""
    draws = [[46, "41p4141", 12], [45], ["p454545"], ["4646p46"]]
    data = log(draws, [[60, 46, 60], [45], [41], [43]], NOBODY)
    data["log"][0][10][-1] = 41  # for the hand's 47
    events = read(data).rounds[0].events
    calls = events["type"] == EVENT_PONG
    assert (events["seat"][calls].tolist(), events["source"][calls].tolist()) == ([2, 0, 3], [1, 2, 0])
    assert events["seat"].tolist()[:-1] == [0, 0, 1, 1, 2, 2, 0, 0, 3, 3, 0, 0]


def test_riichi_is_accepted_unless_its_discard_is_won_on():
    draws, discards = [[47], [], [], []], [["r60"], [], [], []]
    win = ["和了", [-8000, 0, 8000, 0], [2, 0, 2, "満貫8000点", "混一色(3飜)", "役牌 中(1飜)", "対々和(2飜)"]]
    assert types(read(log(draws, discards, win)))[1:] == [EVENT_RIICHI, EVENT_DISCARD, EVENT_WIN]
    assert EVENT_RIICHI_ACCEPTED in types(read(log(draws, discards, NOBODY)))
    assert EVENT_RIICHI_ACCEPTED not in types(read(log(draws, discards, ["三家和了"])))


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("30符2飜2000点", (30, 2, 0, 2000)),
        ("満貫8000点", (None, None, 1, 8000)),
        ("30符4飜3900点∀", (30, 4, 0, 11700)),
        ("40符1飜400-700点", (40, 1, 0, 1500)),
        ("役満8000-16000点", (None, None, 5, 32000)),
        ("50Fu2Han3200点", (50, 2, 0, 3200)),
        ("Haneman 12000点", (None, None, None, 12000)),
        ("数え役満32000点", (None, None, 5, 32000)),
    ],
)
def test_scores(text, read_as):
    assert read_score(text) == read_as


def test_every_yaku_is_read_by_its_name():
    for number, name in enumerate(YAKU_NAMES):
        assert read_yaku(f"{name}(1飜)", 0, 0) == (number, 1)


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("役牌:自風牌(1飜)", (12, 1)),
        ("役牌:場風牌(1飜)", (15, 1)),
        ("Seat Wind(1飜)", (12, 1)),
        ("ダブル立直(2飜)", (21, 2)),
        ("国士無双十三面待ち(役満)", (48, 13)),
        ("九蓮宝燈(役満)", (45, 13)),
        ("Mixed Triple Sequence(2飜)", (25, 2)),
        ("裏ドラ(0飜)", (53, 0)),
    ],
)
def test_the_names_of_converters(text, read_as):
    assert read_yaku(text, seat_wind=2, round_wind=1) == read_as


def test_an_unknown_yaku_is_named():
    with pytest.raises(ValueError, match="十二落抬"):
        read_yaku("十二落抬(1飜)", 0, 0)


@pytest.mark.faults
@pytest.mark.parametrize("text", ["9" * 100_000, "1 " * 100_000, "a(" * 100_000, "a" + " " * 100_000])
def test_texts_too_long_for_a_score_or_a_yaku_are_refused_unread(text):
    with pytest.raises(ValueError, match="cannot read the score"):
        read_score(text)
    with pytest.raises(ValueError, match="is not a yaku"):
        read_yaku(text, 0, 0)


@pytest.mark.parametrize(
    ("word", "result"), [("四開槓", RESULT_FOUR_KONGS), ("四家立直", RESULT_FOUR_RIICHI), ("三家和", RESULT_TRIPLE_RON)]
)
def test_draws_by_either_name(word, result):
    assert read(log([[47], [], [], []], [[60], [], [], []], [word])).rounds[0].draw_type == result


def test_who_is_tenpai_as_far_as_it_is_said():
    def tenpai(result: list):
        return read(log([[47], [], [], []], [[60], [], [], []], result)).rounds[0].tenpai

    assert tenpai(["流局", [1500, -1500, 1500, -1500]]) == [True, False, True, False]
    assert tenpai(["全員聴牌"]) == [True] * 4
    assert tenpai(["全員不聴"]) == [False] * 4
    assert tenpai(NOBODY) is None
    nagashi = read(log([[47], [], [], []], [[60], [], [], []], ["流し満貫", [-4000, -2000, 8000, -2000]])).rounds[0]
    assert nagashi.draw_type == RESULT_NAGASHI


@pytest.mark.parametrize(
    ("rule", "rules", "room"),
    [
        ({"disp": "鳳南喰赤", "aka51": 1, "aka52": 1, "aka53": 1}, Rules.tenhou(), "phoenix"),
        ({"disp": "上東喰赤速", "aka": 1}, Rules.tenhou_east(), "advanced"),
        ({"disp": "般南喰", "aka": 0}, dataclasses.replace(Rules.tenhou(), red_fives=False), "normal"),
        ({"disp": "特南", "aka": 0}, dataclasses.replace(Rules.tenhou(), red_fives=False, open_tanyao=False), "expert"),
        ({}, Rules.tenhou(), ""),
    ],
)
def test_rule_lines_of_tenhou(rule, rules, room):
    assert read_rules({"rule": rule}) == (rules, room)


@pytest.mark.parametrize("display", ["玉の間南喰赤", "Jade Room South Red", "友人戦南喰赤", "金の間四人南"])
def test_rule_lines_of_mahjong_soul(display):
    if "mahjong_soul" not in PRESETS:
        with pytest.raises(LogError, match="Mahjong Soul"):
            read_rules({"rule": {"disp": display, "aka": 1}})
    else:
        rules, room = read_rules({"rule": {"disp": display, "aka": 1}})
        assert room == display
        assert rules.length == "east_south"


@pytest.mark.parametrize("fields", [{"rule": {"disp": "般三南喰赤"}}, {"ratingc": "PF3"}])
def test_three_player_games_are_skipped(fields):
    with pytest.raises(SkippedLog):
        read(log([[47], [], [], []], [[60], [], [], []], NOBODY, **fields))


def test_several_logs_one_a_line():
    one = json.dumps(log([[47], [], [], []], [[60], [], [], []], NOBODY), ensure_ascii=False)
    assert len(read_tenhou6(f"{one}\n\n{one}\n".encode())) == 2
    assert len(read_tenhou6(json.dumps(json.loads(one), indent=1).encode())) == 1


def test_a_link_to_the_viewer():
    one = json.dumps(log([[47], [], [], []], [[60], [], [], []], NOBODY), ensure_ascii=False)
    for text in (one, quote(one), quote(one, safe="{}[]:,"), f"{one}&ts=0", f"{quote(one)}&ts=0&tw=1"):
        assert len(read_tenhou6(f"https://tenhou.net/6/#json={text}".encode())) == 1


def test_what_is_written_is_read_back():
    game = small_game()
    (again,) = read_tenhou6(write_tenhou6(game), "made")
    assert looks(again) == looks(game)
    for one, other in zip(game.rounds, again.rounds, strict=True):
        for field in ("round", "repeat_counter", "bets", "dealer", "scores", "deltas", "draw_type"):
            assert getattr(one, field) == getattr(other, field)
        for win, other_win in zip(one.wins, other.wins, strict=True):
            for field in ("seat", "source", "points", "yaku", "yakuman", "liable", "deltas"):
                assert getattr(win, field) == getattr(other_win, field)
            assert bool(win.ura_indicators) == bool(other_win.ura_indicators)
    for field in ("rules", "names", "room", "dan", "rates", "final_scores", "final_points"):
        assert getattr(game, field) == getattr(again, field)


def test_calls_are_written_as_the_viewer_has_them():
    data = json.loads(write_tenhou6(small_game()))["log"][0]
    assert data[8][:2] == ["c252426", "m32323232"]
    assert data[6][0] == "111111a11"
    assert data[11][1] == "p191919"
    assert data[12][2] == "k19191919"
    assert data[9][:2] == [46, 0]


def test_a_sample_of_real_logs_survives_the_form(real_logs):
    from simulator.logs.archives import open_logs
    from simulator.logs.mjlog import read_mjlog

    for count, (source, data) in enumerate(open_logs([real_logs])):
        if count % 300 == 0:
            game = read_mjlog(data, source)
            (again,) = read_tenhou6(write_tenhou6(game), source)
            assert looks(again) == looks(game)
            assert [this.deltas for this in again.rounds] == [this.deltas for this in game.rounds]
