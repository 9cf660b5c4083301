"""The verifier finds what is wrong with a log: each kind of claim, changed by hand in games that verify."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from simulator.logs.formats import FORMATS, format_named, read_log
from simulator.logs.generate import generate_games
from simulator.logs.model import GameLog, RoundLog
from simulator.logs.verify import verify_game
from simulator.record import EVENT_DISCARD, EVENT_DORA, EVENT_DRAW, EVENT_PONG, EVENT_RIICHI


@cache
def _games() -> list[GameLog]:
    return list(generate_games(20, seed=3))


def _round_with(wanted: Callable[[RoundLog], bool]) -> tuple[GameLog, RoundLog]:
    """Return a copy of a game and its first round of the wanted kind."""
    for game in _games():
        for number, round_log in enumerate(game.rounds):
            if wanted(round_log):
                changed = copy.deepcopy(game)
                return changed, changed.rounds[number]
    raise AssertionError("no such round in the games of the test; take another seed")


def _has(event_type: int) -> Callable[[RoundLog], bool]:
    return lambda round_log: bool((round_log.events["type"] == event_type).any())


def _what(game: GameLog) -> str:
    found = verify_game(game).mismatches
    assert found
    return found[0].what


def test_untouched_games_verify() -> None:
    for game in _games():
        verified = verify_game(game)
        assert verified.mismatches == []
        assert verified.rounds == len(game.rounds)
        assert verified.decisions > 100


def test_a_discard_of_a_tile_not_held_is_found() -> None:
    game, round_log = _round_with(_has(EVENT_DISCARD))
    at = np.flatnonzero(round_log.events["type"] == EVENT_DISCARD)[0]
    other = next(tile for tile in round_log.hands[1] if tile // 4 not in {t // 4 for t in round_log.hands[0]})
    round_log.events["tile"][at] = other
    assert _what(game) in ("the action is not legal", "the tile is not in the hand")


def test_a_draw_of_a_tile_already_seen_is_found() -> None:
    game, round_log = _round_with(_has(EVENT_DRAW))
    at = np.flatnonzero(round_log.events["type"] == EVENT_DRAW)[3]
    round_log.events["tile"][at] = round_log.hands[2][0]
    assert _what(game) == "tiles"


def test_a_pong_without_the_tiles_is_found() -> None:
    game, round_log = _round_with(_has(EVENT_PONG))
    at = np.flatnonzero(round_log.events["type"] == EVENT_PONG)[0]
    round_log.events["seat"][at] = (round_log.events["seat"][at] + 1) % 4
    assert _what(game) in ("the event cannot come here", "the action is not legal")


def test_a_riichi_without_tenpai_is_found() -> None:
    game, round_log = _round_with(_has(EVENT_RIICHI))
    first = np.flatnonzero(round_log.events["type"] == EVENT_DISCARD)[0]
    riichi = round_log.events[round_log.events["type"] == EVENT_RIICHI][:1].copy()
    riichi["seat"] = round_log.events["seat"][first]
    round_log.events = np.insert(round_log.events, first, riichi)
    assert _what(game) == "the action is not legal"


def test_an_indicator_too_few_is_found() -> None:
    game, round_log = _round_with(_has(EVENT_DORA))
    round_log.events = round_log.events[round_log.events["type"] != EVENT_DORA]
    assert "indicators" in _what(game)


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("fu", 110, "fu"),
        ("points", 100, "points of the hand"),
        ("yaku", [(8, 1), (12, 1), (16, 1)], "yaku"),
        ("deltas", [0, 0, 0, 0], "points gained by the win"),
        ("liable", 2, "liable seat"),
    ],
)
def test_a_wrong_statement_about_a_win_is_found(field: str, value: object, what: str) -> None:
    game, round_log = _round_with(lambda each: bool(each.wins))
    setattr(round_log.wins[0], field, value)
    assert _what(game) == what


@pytest.mark.parametrize(
    ("field", "change", "what"),
    [
        ("repeat_counter", 1, "repeat counter"),
        ("bets", 1, "riichi bets"),
        ("dealer", 1, "dealer"),
        ("round", 1, "round"),
    ],
)
def test_a_wrong_start_of_a_round_is_found(field: str, change: int, what: str) -> None:
    game = copy.deepcopy(_games()[0])
    setattr(game.rounds[1], field, getattr(game.rounds[1], field) + change)
    assert what in {mismatch.what for mismatch in verify_game(game).mismatches}


def test_wrong_points_at_the_end_are_found() -> None:
    game = copy.deepcopy(_games()[0])
    assert game.final_points is not None
    game.final_points[0] += 0.1
    assert _what(game) == "final points"


def test_a_game_that_says_it_is_over_but_is_not_is_found() -> None:
    game = copy.deepcopy(_games()[0])
    del game.rounds[-1]
    assert _what(game) == "end of game"


def test_a_log_may_begin_and_end_anywhere() -> None:
    game = copy.deepcopy(_games()[0])
    game.rounds, game.final_scores, game.final_points = game.rounds[2:4], None, None
    verified = verify_game(game)
    assert verified.mismatches == [] and verified.unfinished and verified.final_scores is None


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_a_round_that_is_cut_off_is_verified_as_far_as_it_goes(name: str) -> None:
    game = copy.deepcopy(_games()[0])
    cut = game.rounds[2]
    cut.events, cut.wins, cut.draw_type, cut.deltas, cut.tenpai, cut.shown = cut.events[:31], [], None, None, None, None
    game.rounds, game.cut, game.final_scores, game.final_points = game.rounds[:2], cut, None, None
    (read,) = read_log(format_named(name).write(game))
    assert read.cut is not None and len(read.rounds) == 2
    verified = verify_game(read)
    assert verified.mismatches == [] and verified.unfinished
    read.cut.events[-1]["seat"] ^= 1
    assert verify_game(read).mismatches
