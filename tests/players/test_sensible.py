"""The sensible player: what it does in positions where a decent player knows what to do, and what it may not know."""

from __future__ import annotations

import numpy as np
import pytest
from table import Scene

from simulator.legal import is_legal
from simulator.players import PLAYERS, UnknownPlayer, player
from simulator.players.play import play_games
from simulator.record import ACTION_NAMES, ACTIONS, DISCARD_DRAWN, EVENT_DRAW, SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Tables
from simulator.tiles import TILES, tile_name
from simulator.walls import DORA_INDICATORS


def choice(scene: Scene, seat: int) -> str:
    """What the sensible player does for a seat that is asked."""
    game = scene.game
    legal = np.array([[is_legal(game, seat, action) for action in range(ACTIONS)]])
    one = np.array([game])
    decisions = Decisions(np.zeros(1, np.int32), np.array([seat], np.uint8), game["phase"].reshape(1), legal)
    actions = np.empty(1, np.int64)
    player("sensible").choose(one, decisions, actions)
    assert legal[0, actions[0]]
    if actions[0] == DISCARD_DRAWN:
        return f"discard {tile_name(int(game['drawn']))}"
    return ACTION_NAMES[actions[0]]


# Efficiency and value.


def test_an_isolated_honor_goes_before_a_shape():
    scene = Scene({0: "3456m2467p3478s4z"}, draws={0: "1m"}, indicators="1p")
    assert choice(scene, 0) == "discard 4z"


def test_the_discard_accepts_the_most_tiles():
    # 1-shanten either way; without the 9s both open shapes and both pairs stay.
    scene = Scene({0: "234m2367p3488s11z"}, draws={0: "9s"}, indicators="1s")
    assert choice(scene, 0) == "discard 9s"


def test_dora_are_kept_where_the_rest_is_equal():
    for indicator, kept in (("3z", "4z"), ("1z", "2z")):
        scene = Scene({0: "234678m2367p88s2z"}, draws={0: "4z"}, indicators=indicator)
        assert choice(scene, 0) == f"discard {'2z' if kept == '4z' else '4z'}"


# Riichi.


def test_a_closed_tenpai_declares_riichi():
    scene = Scene({0: "234m45699p23478s"}, draws={0: "2z"}, indicators="1s")
    assert choice(scene, 0) == "riichi"


# Calls.


def test_dragons_are_ponged_where_it_helps():
    scene = Scene({1: "1234m459p3488s55z"}, draws={0: "5z"}, indicators="9s").play("0 discard 5z")
    assert choice(scene, 1) == "pong"


def test_nothing_is_called_without_a_yaku_in_sight():
    # A chow would help, but with terminals in the hand, no honors and three suits nothing would be left to win with.
    scene = Scene({1: "12379m45p12399s1m"}, draws={0: "8m"}, indicators="4z")
    scene.play("0 discard 8m")
    assert choice(scene, 1) == "pass"


def test_all_simples_is_opened_where_the_rules_count_it():
    for rules, expected in ((Rules(), "chow"), (Rules(open_tanyao=False), "pass")):
        scene = Scene({1: "3467m456p33488s5z"}, draws={0: "5m"}, indicators="3p", rules=rules).play("0 discard 5m")
        assert choice(scene, 1).startswith(expected)


def test_a_win_is_taken():
    scene = Scene({1: "234m456p23488s55z"}, draws={0: "5z"})
    scene.play("0 discard 5z")
    assert choice(scene, 1) == "ron"


# Defence.

RIICHI = {0: "234m456p34588s67s", 1: "1478m258p369s124z"}


def test_a_bad_hand_folds_with_a_tile_that_is_safe():
    scene = Scene(RIICHI, draws={0: "9p1z", 1: "9p"}, indicators="3z")
    scene.play("0 riichi 9p")
    scene.to_turn(1)
    assert choice(scene, 1) == "discard 9p"


def test_a_plain_five_goes_before_the_red_one():
    scene = Scene({0: RIICHI[0], 1: "0478m258p369s124z"}, draws={0: "5m1z", 1: "5m"}, indicators="3z")
    scene.play("0 riichi 5m").to_turn(1)
    assert choice(scene, 1) == "discard 5m"


def test_a_good_hand_pushes_on():
    scene = Scene({0: RIICHI[0], 1: "345m345p3450s667p"}, draws={0: "9p1z", 1: "5p"}, indicators="4m")
    scene.play("0 riichi 9p").to_turn(1)
    assert choice(scene, 1) == "riichi"


# Aborts and kongs.


def test_nine_terminals_abort_a_hand_that_is_far_from_everything():
    scene = Scene({0: "19m19p159s124z468p"}, draws={0: "6z"})
    assert choice(scene, 0) == "nine terminals"


def test_twelve_terminals_play_for_thirteen_orphans():
    scene = Scene({0: "19m19p19s123456z5m"}, draws={0: "6m"})
    assert choice(scene, 0) == "discard 5m" or choice(scene, 0) == "discard 6m"


def test_a_closed_kong_that_breaks_nothing_is_made():
    scene = Scene({0: "234m456p88s1111z7s"}, draws={0: "6s"}, indicators="3m")
    assert choice(scene, 0) == "closed kong 1z"


# What it may know, and whole games.


def hide(game: np.void, seat: int, rng: np.random.Generator) -> None:
    """Replace everything that a seat does not see by something else."""
    shown = DORA_INDICATORS[: int(game["indicators"])]
    kept = game["wall"][shown].copy()
    game["wall"] = rng.permutation(TILES)
    game["wall"][shown] = kept
    for other in range(SEATS):
        if other != seat:
            game["hand"][other] = rng.integers(0, 5, 34)
            game["copies"][other] = rng.integers(0, 16, 34)
            game["suit_keys"][other] = 0
            game["waits"][other] = rng.integers(0, 1 << 34)
            game["missed"][other] = rng.integers(0, 4)
            game["legal"][other] = rng.integers(0, 1 << 60, 2)
            game["answers"][other] = rng.integers(0, 100)
            game["decisions"][other] = rng.integers(0, 100)
    game["pending"] |= rng.integers(0, 16)
    events = game["events"][: int(game["n_events"])]
    drawn = (events & 15 == EVENT_DRAW) & (events >> 4 & 3 != seat)
    events[drawn] = events[drawn] & 255 | rng.integers(0, TILES, drawn.sum()).astype(np.uint16) << 8
    if game["turn"] != seat:
        game["drawn"] = rng.integers(0, TILES)


def test_it_sees_nothing_hidden():
    rng = np.random.default_rng(1)
    tables, sensible = Tables(64, seed=8), player("sensible")
    compared = 0
    for step in range(400):
        decisions = tables.decisions()
        actions, blind = np.empty(len(decisions), np.int64), np.empty(len(decisions), np.int64)
        sensible.choose(tables.games, decisions, actions)
        if step % 10 == 0:
            hidden = tables.games[decisions.game]
            for record, seat in zip(hidden, decisions.seat.tolist(), strict=True):
                hide(record, seat, rng)
            each = np.arange(len(decisions), dtype=np.int32)
            sensible.choose(hidden, Decisions(each, decisions.seat, decisions.situation, decisions.legal), blind)
            np.testing.assert_array_equal(blind, actions)
            compared += len(decisions)
        tables.step(actions)
    assert compared > 2000


@pytest.mark.parametrize("rules", [Rules(), Rules.tenhou_east(), Rules.preset("mahjong_soul"), Rules(red_fives=False)])
def test_its_games_are_legal_and_do_not_depend_on_the_batch(rules):
    seats = [player("sensible", seed=5)] * SEATS  # an illegal action would raise
    games = list(play_games(seats, 40, rules, seed=9))
    again = list(play_games(seats, 11, rules, seed=9, first=20, batch=3))
    assert [game.number for game in games] == list(range(40))
    for one, other in zip(games[20:31], again, strict=True):
        assert one.decisions == other.decisions
        np.testing.assert_array_equal(one.rounds["events"], other.rounds["events"])


def test_the_seed_decides_between_equals():
    played = [list(play_games([player("sensible", seed)] * SEATS, 20, seed=2)) for seed in (1, 2, 1)]
    first, second, again = (np.concatenate([game.rounds["events"][:1] for game in games]) for games in played)
    assert (first == again).all() and (first != second).any()


@pytest.mark.parametrize("name", ["random", "tsumogiri"])
def test_it_beats_the_simple_players(name):
    other, points = player(name), []
    for seat in range(SEATS):
        seats = [player("sensible") if each == seat else other for each in range(SEATS)]
        points += [game.rounds[-1]["result"]["final_points"][seat] / 10 for game in play_games(seats, 20, seed=6)]
    assert np.mean(points) > 40


@pytest.mark.parametrize("name", ["never_folds", "never_calls"])
def test_each_habit_is_worth_something(name):
    other, sensible, points = player(name), player("sensible"), []
    for seat in range(SEATS):
        seats = [sensible if each == seat else other for each in range(SEATS)]
        points += [game.rounds[-1]["result"]["final_points"][seat] / 10 for game in play_games(seats, 250, seed=3)]
    assert np.mean(points) > 0


def test_unknown_players_are_refused_by_name():
    with pytest.raises(UnknownPlayer, match=", ".join(PLAYERS)):
        player("nobody")
