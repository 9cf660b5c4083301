"""Which questions about claims a log answers, rule by rule."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flow_pairs import collect
from pair_words import READY, SOUTH_4, asked, collect_scene, discards_of, moment
from table import Scene

from simulator.logs.generate import generate_games
from simulator.logs.model import Connection
from simulator.record import EVENT_DISCARD
from suphx.dataset.pairs import FORCED
from suphx.dataset.prepare import prepare_games

# Claims on a discard: seat 1 may chow the 5m, seat 2 pong it, seat 3 win on it.

CLAIMS = {1: "46m147p258s12345z", 2: "55m147p258s12345z"}


def claims(hands: Mapping[int, str] | None = None) -> tuple[Scene, int]:
    scene = Scene({**CLAIMS, **(hands or {})}, draws={0: "5m"}).play("0 discard 5m")
    return scene, moment(scene)


def test_who_passes_says_no_to_everything_proposed():
    scene, at = claims()
    assert asked(scene, at) == {"1 chow middle: no", "2 pong: no"}


def test_a_pass_on_a_pong_counts_though_another_made_a_chow():
    scene, at = claims()
    scene.play("1 chow", "2 pass", "1 discard 1z")
    assert asked(scene, at) == {"1 chow middle: yes", "2 pong: no"}


def test_a_pong_hides_what_another_would_have_said_to_a_chow():
    scene, at = claims()
    scene.play("2 pong", "2 discard 1z")
    assert asked(scene, at) == {"2 pong: yes"}


def test_an_open_kong_hides_what_another_would_have_said_to_a_chow():
    scene, at = claims({2: "055m147p258s1234z"})
    assert "chow 46m" in scene.options(1)
    scene.play("2 kong", "2 discard 1z")
    assert asked(scene, at) == {"2 open kong: yes", "2 pong: no", "2 pong red: no"}


def test_ones_own_pong_says_no_to_ones_chow():
    scene, at = claims({1: "4655m147p258s123z", 2: "147m147p258s1234z"})
    scene.play("1 pong", "1 discard 1z")
    assert asked(scene, at) == {"1 pong: yes", "1 chow middle: no"}


def test_a_win_hides_what_all_others_would_have_claimed():
    scene, at = claims({3: "46m234567p55p234s"})
    scene.play("3 ron")
    assert asked(scene, at) == set()


def test_a_win_by_two_is_as_one():
    scene, at = claims({2: "46m234678p33678s", 3: "46m22p234567678s"})
    scene.play("2 ron", "3 ron")
    assert scene.winners == [2, 3]
    assert asked(scene, at) == set()


def test_a_round_that_three_wins_abort_hides_claims_too():
    scene, at = claims({1: "46m333678p44678s", 2: "46m234678p33678s", 3: "46m22p234567678s"})
    assert {"chow 46m", "ron"} <= scene.options(1)
    scene.play("1 ron", "2 ron", "3 ron")
    assert scene.how == "triple ron"
    assert asked(scene, at) == set()


def test_every_chow_that_is_proposed_is_a_question():
    scene, at = claims({1: "3467m147p258s123z", 2: "147m147p258s1234z"})
    scene.play("1 chow 46m", "1 discard 1z")
    assert asked(scene, at) == {"1 chow low: no", "1 chow middle: yes", "1 chow high: no"}


def test_a_chow_with_the_red_five_is_another_question_than_one_without():
    scene = Scene({1: "405m147p258s1234z"}, draws={0: "6m"}).play("0 discard 6m")
    at = moment(scene)
    scene.play("1 chow 40m", "1 discard 1z")
    assert asked(scene, at) == {"1 chow high red: yes", "1 chow high: no"}


def test_a_pong_with_the_red_five_is_another_question_than_one_without():
    scene, at = claims({1: "147m147p258s1234z", 2: "055m147p258s1234z"})
    scene.play("2 pong", "2 discard 1z")
    assert asked(scene, at) == {"2 pong: yes", "2 pong red: no", "2 open kong: no"}


def test_a_kong_that_might_be_robbed_asks_no_network():
    scene = Scene({0: "88s147m149p12345z", 1: READY}, draws={0: "- 8s", 2: "8s"})
    scene.play("2 discard 8s", "1 pass", "0 pong", "0 discard 1z", "0 added kong 8s")
    at = moment(scene)
    assert scene.options(1) == {"ron", "pass"}
    scene.play("1 pass", "0 discard drawn")
    assert asked(scene, at) == set()


# Wins that are let go.


def test_who_lets_a_win_go_is_asked_nothing_there():
    scene = Scene({1: READY}, draws={0: "5s", 1: "5s"}).play("0 discard 5s")
    claim = moment(scene)
    assert {"ron", "chow 46s"} <= scene.options(1)
    scene.play("1 pass")
    turn = moment(scene)
    assert {"tsumo", "riichi"} <= scene.options(1)
    scene.play("1 discard 2m")
    assert asked(scene, claim) == asked(scene, turn) == set()
    counts = collect_scene(scene).counts[0, 1]
    assert counts[0] + counts[FORCED] == discards_of(scene, 1) - 1, "nor was that discard forced"


CHOWS = {"1 chow low: no", "1 chow middle: no", "1 chow high: no"}


def test_who_must_let_a_win_go_by_the_rule_is_asked_about_calls():
    scene = Scene({1: READY}, {0: "5s"}, scores=[40000, 20000, 25000, 25000], round=SOUTH_4, indicators="1z")
    scene.play("0 discard 5s")
    at = moment(scene)
    assert asked(scene.play("1 pass"), at) == CHOWS


def test_who_wins_against_the_rule_is_asked_nothing():
    scene = Scene({1: READY}, {0: "5s"}, scores=[40000, 20000, 25000, 25000], round=SOUTH_4, indicators="1z")
    scene.play("0 discard 5s")
    at = moment(scene)
    assert asked(scene.play("1 ron"), at) == set()


# Seats that have left.


def test_a_seat_that_has_left_is_asked_nothing_and_the_others_are():
    scene, at = claims()
    assert asked(scene, at, left={1: at}) == {"2 pong: no"}
    assert asked(scene, at, left={1: at + 1}) == {"1 chow middle: no", "2 pong: no"}
    later = collect_scene(scene, left={1: at})
    assert all(pair.seat != 1 for pair in later.pairs) and later.counts[0, 1].sum() == 0


def test_a_seat_is_asked_again_when_it_is_back():
    (log,) = generate_games(1, ["sensible"], seed=6)
    mine = [np.flatnonzero((r.events["type"] == EVENT_DISCARD) & (r.events["seat"] == 2)).tolist() for r in log.rounds]
    stayed = collect(prepare_games([log])).pairs
    log.connections = [Connection(1, mine[1][2], 2, False), Connection(3, mine[3][2], 2, True)]
    left = collect(prepare_games([log])).pairs
    gone = [pair for pair in stayed if pair not in left]
    assert all(pair.seat == 2 for pair in gone)
    discards = {(pair.round, pair.events) for pair in gone if pair.model == "discard"}
    own = {(n, at) for n in (1, 2, 3) for at in mine[n] if (1, mine[1][2]) <= (n, at) < (3, mine[3][2])}
    chosen = {(pair.round, pair.events) for pair in stayed if pair.model == "discard"}
    assert discards == own & chosen != set(), "from the discard before which it left to the one before which it is back"
    assert [pair for pair in stayed if pair in left] == left
