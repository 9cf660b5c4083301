from __future__ import annotations

import gzip
import itertools
import json

import numpy as np
import pytest
from log_games import assert_same_game, looks, small_game
from table import Scene

from simulator.logs.archives import open_logs
from simulator.logs.convert import write_as
from simulator.logs.formats import FORMATS, detect, format_named, read_log
from simulator.logs.from_record import game_log
from simulator.logs.generate import generate_games
from simulator.logs.model import LogError
from simulator.logs.verify import verify_game
from simulator.rules import Rules

NAMES = [each.name for each in FORMATS]
NO_POINTS = ("mjai", "mjx")  # they do not state the final points


def convert(data: bytes, target: str, source: str = "") -> list[bytes]:
    wanted = format_named(target)
    return [write_as(game, wanted) for game in read_log(data, source)]


@pytest.mark.parametrize("name", NAMES)
def test_a_format_is_told_by_its_content(name):
    data = format_named(name).write(small_game())
    for content in (data, gzip.compress(data), b"\xef\xbb\xbf" + data, b"\n" + data):
        if name != "mjlog" or content[:1] != b"\n":
            assert detect(content, "x").name == name


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES)
def test_any_format_to_any_other_keeps_the_moves(first, second):
    game = small_game()
    data = format_named(first).write(game)
    (again,) = read_log(convert(data, second, "made")[0], "made")
    assert looks(again) == looks(game)
    assert [this.deltas for this in again.rounds] == [this.deltas for this in game.rounds]
    assert [this.scores for this in again.rounds] == [this.scores for this in game.rounds]
    if (first in NO_POINTS) == (second in NO_POINTS):  # these moves follow no rules to compute final points by
        assert again.final_scores == game.final_scores


@pytest.mark.parametrize("name", NAMES)
def test_names_keep_every_character(name):
    game = small_game()
    game.names = ["a\u2028b", "c\x85d\x0ce", "\U0001f004\u3000", "\x1b[2J\r\n\u202e"]
    data = format_named(name).write(game)
    (again,) = read_log(data)
    assert again.names == game.names
    if name == "tenhou6":
        assert [each.names for each in read_log(data + b"\r\n" + data)] == [game.names] * 2


def test_to_the_same_format_nothing_is_lost():
    game = small_game()
    (again,) = read_log(convert(format_named("mjlog").write(game), "mjlog")[0])
    assert_same_game(again, game)


def test_points_that_a_log_does_not_state_come_from_the_payments():
    (data,) = convert(format_named("mjai").write(small_game()), "tenhou6")
    (game,) = read_log(data)
    assert [win.points for win in game.rounds[0].wins] == [7700, 8000]
    assert game.rounds[-1].wins[0].points == 48000


def test_what_a_format_leaves_out_is_computed_and_nothing_is_invented():
    game = next(generate_games(1, seed=5))
    for first in NAMES:
        for second in NAMES:
            (data,) = convert(format_named(first).write(game), second)
            (again,) = read_log(data)
            assert verify_game(again).mismatches == [], (first, second)
            assert again.final_points == (None if second in NO_POINTS else game.final_points)
            assert again.dan is None and again.rates is None


OLD_GAME = "2009031702gm-00a1-0000-336ee82a"
SOUL_GAME = "210715-0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES)
def test_a_converted_game_keeps_its_id_and_so_its_rules(first, second):
    rules = {OLD_GAME: Rules.tenhou_east_2009(), SOUL_GAME: Rules.preset("mahjong_soul")}
    for ref, played in rules.items():
        game = next(generate_games(1, rules=played, seed=1))
        game.ref = ref
        (data,) = convert(format_named(first).write(game), second)
        (again,) = read_log(data)
        assert again.ref == ref
        if ref == SOUL_GAME or "mahjong_soul" not in (first, second):  # whose records cannot state all old rules
            assert verify_game(again).mismatches == [] and again.rules == played


@pytest.mark.parametrize("name", ["mjlog", "tenhou6"])
def test_the_lobby_and_its_own_rules_survive(name):
    game = small_game()
    game.lobby, game.own_rules = "7994", True
    (again,) = read_log(format_named(name).write(game))
    assert (again.lobby, again.own_rules, again.unsure) == ("7994", True, "the lobby has rules of its own (csrule)")


@pytest.mark.parametrize(
    ("display", "length"),
    [
        ("玉之间 东风战", "east"), ("四人東喰赤", "east"), ("友人戦 四人東風", "east"), ("Gold Room East", "east"),
        ("玉之间 半庄战", "east_south"), ("四人南喰赤", "east_south"), ("Gold Room South", "east_south"),
    ],
)  # fmt: skip
def test_rooms_and_lengths_by_their_names_and_the_date_survive(display, length):
    text = format_named("tenhou6").write(next(generate_games(1, seed=1)))
    document = json.loads(text) | {"title": [display, "2021-07-15 12:00"]}
    document["rule"]["disp"] = display
    (game,) = read_log(json.dumps(document).encode())
    assert (game.room, game.rules.length, game.date) == (display, length, "2021-07-15 12:00")
    (again,) = read_log(format_named("tenhou6").write(game))
    assert (again.room, again.rules, again.date) == (game.room, game.rules, game.date)


@pytest.mark.parametrize("name", NAMES)
def test_who_is_liable_is_found_again_where_a_format_does_not_say_it(name):
    draws = {0: "5z", 1: " 9m", 2: "6z -", 3: "7z"}
    scene = Scene({1: "123m9m147p556677z"}, draws=draws).play(
        "0 discard 5z", "1 pong", "1 discard 1p", "2 discard 6z", "1 pong", "1 discard 4p", "3 discard 7z", "1 pong",
        "1 discard 7p", "1 tsumo",
    )  # fmt: skip
    data = write_as(game_log(np.array([scene.ended]), Rules.tenhou()), format_named(name))
    for target in NAMES:
        (again,) = read_log(convert(data, target)[0])
        assert verify_game(again).mismatches == [], target
        assert again.rounds[0].wins[0].liable == (None if target in NO_POINTS else 3)


@pytest.mark.full
def test_converted_real_games_verify(real_logs):
    """200 games of each archive, from and to every format."""
    for archive in sorted(real_logs.glob("*.zip")):
        for source, data in itertools.islice(open_logs([archive]), 200):
            for first in NAMES:
                for second in NAMES:
                    for again in read_log(convert(convert(data, first, source)[0], second, source)[0], source):
                        assert verify_game(again).mismatches == [], (source, first, second)


def test_an_unknown_format_is_refused():
    with pytest.raises(LogError, match="mjlog, mjx, mahjong_soul, mjai, tenhou6"):
        convert(b"<", "pdf")
