from __future__ import annotations

import gzip

import pytest
from log_games import assert_same_game, looks, small_game

from simulator.logs.convert import convert
from simulator.logs.formats import FORMATS, detect, format_named, read_log
from simulator.logs.model import LogError

NAMES = [each.name for each in FORMATS]


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
    (data,) = convert(format_named("mjai").write(small_game()), "mjlog")
    (game,) = read_log(data)
    assert [win.points for win in game.rounds[0].wins] == [7700, 8000]
    assert game.rounds[-1].wins[0].points == 48000


def test_an_unknown_format_is_refused():
    with pytest.raises(LogError, match="mjlog, mjai, tenhou6"):
        convert(b"<", "pdf")
