"""Which questions of the own turn a log answers, rule by rule."""

from __future__ import annotations

from pair_words import READY, SOUTH_4, asked, collect_scene, discards_of, moment
from table import Scene

from simulator.tiles import kind_name
from suphx.dataset.pairs import FORCED

KONG = "1111m456p789p234s"  # with 6z drawn: a closed kong, a riichi, or a discard


def test_a_kong_hides_riichi_and_discard():
    scene = Scene({0: KONG}, draws={0: "6z"})
    at = moment(scene)
    scene.play("0 closed kong 1m", "0 discard drawn")
    assert asked(scene, at) == {"0 closed kong 1m: yes"}


def test_a_riichi_hides_the_discard_which_is_asked_for_next():
    scene = Scene({0: "234m567p55p2346s7z"}, draws={0: "7s"})
    at = moment(scene)
    scene.play("0 riichi 7z")
    assert asked(scene, at) == {"0 riichi: yes"}
    assert asked(scene, at + 1) == set(), "7z alone leaves the hand ready"
    scene = Scene({0: READY}, draws={0: "1s"}).play("0 riichi 4s")
    assert asked(scene, at + 1) == {"0 discards 4s"}


def test_who_only_discards_says_no_to_kong_and_riichi():
    scene = Scene({0: KONG}, draws={0: "6z"})
    at = moment(scene)
    scene.play("0 discard 6z")
    assert asked(scene, at) == {"0 closed kong 1m: no", "0 riichi: no", "0 discards 6z"}


def test_of_several_kongs_each_is_a_question():
    scene = Scene({0: "1111m2222p789p12s"}, draws={0: "6z"})
    at = moment(scene)
    scene.play("0 closed kong 2p", "0 discard drawn")
    assert asked(scene, at) == {"0 closed kong 1m: no", "0 closed kong 2p: yes"}


def test_an_added_kong_is_a_question_of_its_own():
    scene = Scene({1: "11m147p258s12345z"}, draws={0: "1m", 1: "1m"})
    scene.play("0 discard 1m", "1 pong", "1 discard 1z").to_turn(1)
    at = moment(scene)
    scene.play("1 discard drawn")
    assert asked(scene, at) == {"1 added kong 1m: no", "1 discards 1m"}


def test_a_red_five_and_a_plain_one_are_the_same_discard():
    for tile in ("0p", "5p"):
        scene = Scene({0: "147m058p369s1234z"}, draws={0: "7z"})
        at = moment(scene)
        assert asked(scene.play(f"0 discard {tile}"), at) == {"0 discards 5p"}


def test_the_discard_after_a_call_is_asked_for():
    scene = Scene({2: "55m147p258s12345z"}, draws={0: "5m"}).play("0 discard 5m", "2 pong")
    at = moment(scene)
    scene.play("2 discard 1z")
    assert asked(scene, at) == {"2 discards 1z"}


def test_discards_in_riichi_are_forced_and_only_counted():
    scene = Scene({0: "111m456p789p234s6z"}, draws={0: "7z 1m"}).play("0 riichi 7z").to_turn(0)
    at = moment(scene)
    scene.play("0 discard 1m")
    assert asked(scene, at) == {"0 closed kong 1m: no"}
    collected = collect_scene(scene)
    chosen = [kind_name(pair.answer) for pair in collected.pairs if (pair.seat, pair.model) == (0, "discard")]
    assert chosen == ["7z"], "with the riichi 6z might have gone instead"
    assert collected.counts[0, 0, FORCED] == discards_of(scene, 0) - 1 > 1


# What the rules decide instead of networks.


def test_who_must_let_a_drawn_win_go_by_the_rule_is_asked_about_riichi_and_discard():
    scene = Scene({1: READY}, {1: "- 5s"}, scores=[40000, 5000, 25000, 30000], round=SOUTH_4, indicators="1z")
    scene.to_turn(1).play("1 discard drawn").to_turn(1)
    at = moment(scene)
    assert {"tsumo", "riichi"} <= scene.options(1)
    assert asked(scene.play("1 discard 2m"), at) == {"1 riichi: no", "1 discards 2m"}


# With 5z drawn, three and two tiles short of thirteen orphans.
FAR, NEAR = "19m19p19s123z258m4p", "19m19p19s1234z258m"


def test_a_hand_that_the_rule_aborts_for_nine_terminals_is_asked_nothing():
    for answer in ("0 abort", "0 discard 2m"):
        scene = Scene({0: FAR}, draws={0: "5z"})
        at = moment(scene)
        assert "abort" in scene.options(0)
        assert asked(scene.play(answer), at) == set()


def test_a_hand_near_thirteen_orphans_is_asked_what_it_discards():
    scene = Scene({0: NEAR}, draws={0: "5z"})
    at = moment(scene)
    assert "abort" in scene.options(0)
    assert asked(scene.play("0 discard 5m"), at) == {"0 discards 5m"}


def test_a_hand_near_thirteen_orphans_that_aborts_is_asked_nothing():
    scene = Scene({0: NEAR}, draws={0: "5z"})
    at = moment(scene)
    assert asked(scene.play("0 abort"), at) == set()
