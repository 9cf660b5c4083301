"""Liability (pao): who gave the set that made a yakuman certain pays for it."""

import pytest
from table import Scene

from simulator.record import NO_SEAT
from simulator.rules import Rules

PART = Rules(liability_whole=False)


def big_dragons(last_draws, how=("pong", "pong", "pong"), **scene):
    """Seat 1 gets its dragons from seats 0, 2 and 3 and waits for 9m; `last_draws` come after that."""
    draws = {0: "5z", 1: "", 2: "6z -", 3: "7z"}
    for seat, tiles in last_draws.items():
        draws[seat] += f" {tiles}"
    return Scene({1: "123m9m147p556677z"}, draws=draws, **scene).play(
        "0 discard 5z", f"1 {how[0]}", "1 discard 1p", "2 discard 6z", f"1 {how[1]}", "1 discard 4p",
        "3 discard 7z", f"1 {how[2]}", "1 discard 7p",
    )  # fmt: skip


def test_win_by_draw_is_paid_by_the_liable_seat_alone():
    scene = big_dragons({1: "9m"}).play("1 tsumo")
    assert (scene.won(1).liable, scene.won(1).yakuman) == (3, 1)
    assert scene.deltas == [0, 32000, 0, -32000]


def test_claim_from_another_is_shared_with_the_discarder():
    scene = big_dragons({2: "9m"}).play("2 discard 9m", "1 ron")
    assert scene.deltas == [0, 32000, -16000, -16000]


def test_claim_from_the_liable_seat_is_paid_by_it():
    scene = big_dragons({3: "9m"}).play("3 discard 9m", "1 ron")
    assert scene.deltas == [0, 32000, 0, -32000]


def test_liable_seat_pays_the_repeat_counters():
    assert big_dragons({1: "9m"}, repeat_counter=2).play("1 tsumo").deltas == [0, 32600, 0, -32600]
    scene = big_dragons({2: "9m"}, repeat_counter=2).play("2 discard 9m", "1 ron")
    assert scene.deltas == [0, 32600, -16000, -16600]


def test_bets_go_to_the_winner_as_ever():
    assert big_dragons({1: "9m"}, bets=2).play("1 tsumo").deltas == [0, 34000, 0, -32000]


def test_dealer():
    draws = {3: "5z", 2: "7z 6z", 0: "- 9m"}
    scene = Scene({0: "123m9m147p556677z"}, draws=draws)
    scene.play("2 discard 7z", "0 pong", "0 discard 1p", "2 discard 6z", "0 pong", "0 discard 4p")
    scene.play("3 discard 5z", "0 pong", "0 discard 7p", "0 tsumo")
    assert scene.deltas == [48000, 0, 0, -48000]


def test_dragons_without_the_rule():
    scene = big_dragons({1: "9m"}, rules=Rules(liability_dragons=False)).play("1 tsumo")
    assert scene.won(1).liable == NO_SEAT
    assert scene.deltas == [-16000, 32000, -8000, -8000]


def test_concealed_triplet_that_nobody_saw_makes_nobody_liable():
    scene = Scene({1: "123m9m14p555z6677z"}, draws={0: "6z", 2: "7z -", 1: "9m"})
    scene.play("0 discard 6z", "1 pong", "1 discard 1p", "2 discard 7z", "1 pong", "1 discard 4p", "1 tsumo")
    assert (scene.won(1).yakuman, scene.won(1).liable) == (1, NO_SEAT)


def test_closed_kong_is_seen():
    draws = {1: "5z", 2: "6z - 9m", 3: "7z"}
    scene = Scene({1: "123m9m14p5556677z"}, draws=draws, replacements="8p")
    scene.play("1 closed kong 5z", "1 discard 8p", "2 discard 6z", "1 pong", "1 discard 1p", "3 discard 7z", "1 pong")
    scene.play("1 discard 4p", "2 discard 9m", "1 ron")
    assert (scene.won(1).liable, scene.deltas) == (3, [0, 32000, -16000, -16000])


def test_open_kong_makes_liable_even_for_a_win_on_its_replacement():
    scene = Scene({1: "123m9m14p5566777z"}, draws={0: "5z", 2: "6z -", 3: "7z"}, replacements="9m")
    scene.play("0 discard 5z", "1 pong", "1 discard 1p", "2 discard 6z", "1 pong", "1 discard 4p")
    assert scene.play("3 discard 7z", "1 kong", "1 tsumo").deltas == [0, 32000, 0, -32000]


def test_tile_added_later_changes_nothing():
    scene = big_dragons({1: "7z", 2: "- 9m"}, replacements="1s")
    scene.play("1 added kong 7z", "1 discard 1s", "2 discard 9m", "1 ron")
    assert scene.deltas == [0, 32000, -16000, -16000]


def big_winds(pair, last_draws, **scene):
    """Seat 1 gets the winds from seats 0, 2, 2 and 3 and waits for the pair's second tile."""
    draws = {0: "1z", 1: "", 2: "2z 3z -", 3: "4z"}
    for seat, tiles in last_draws.items():
        draws[seat] += f" {tiles}"
    hand = {"9m": "9m147p1s11223344z", "5z": "147p1s112233445z"}[pair]
    return Scene({1: hand}, draws=draws, **scene).play(
        "0 discard 1z", "1 pong", "1 discard 1p", "2 discard 2z", "1 pong", "1 discard 4p", "2 discard 3z", "1 pong",
        "1 discard 7p", "3 discard 4z", "1 pong", "1 discard 1s",
    )  # fmt: skip


def test_big_winds():
    assert big_winds("9m", {1: "9m"}).play("1 tsumo").deltas == [0, 32000, 0, -32000]
    scene = big_winds("9m", {1: "9m"}, rules=Rules(liability_winds=False)).play("1 tsumo")
    assert scene.deltas == [-16000, 32000, -8000, -8000]


def test_big_winds_that_count_twice():
    scene = big_winds("9m", {1: "9m"}, rules=Rules(double_yakuman=True)).play("1 tsumo")
    assert scene.deltas == [0, 64000, 0, -64000]


@pytest.mark.parametrize(
    ("rules", "drawn", "claimed"),
    [
        (Rules(), [0, 64000, 0, -64000], [0, 64000, -32000, -32000]),  # the liable seat answers for the whole hand
        (PART, [-16000, 64000, -8000, -40000], [0, 64000, -48000, -16000]),  # ... or for the winds alone
    ],
)
def test_another_yakuman_beside(rules, drawn, claimed):
    scene = big_winds("5z", {1: "5z"}, rules=rules).play("1 tsumo")
    assert (scene.won(1).yakuman, scene.won(1).yaku) == (2, {"daisuushii", "tsuuiisou"})
    assert scene.deltas == drawn
    assert big_winds("5z", {2: "5z"}, rules=rules).play("2 discard 5z", "1 ron").deltas == claimed


@pytest.mark.parametrize(
    ("rules", "deltas"),
    [(Rules(), [-16000, 32000, -8000, -8000]), (Rules(liability_kongs=True), [-32000, 32000, 0, 0])],
)
def test_four_kongs_by_an_open_fourth(rules, deltas):
    hand, draws = "111m222m333m999p5s", {1: "1m", 0: "- 9p"}
    scene = Scene({1: hand}, draws=draws, replacements="2m 3m 7z 5s", rules=rules)
    scene.play("1 closed kong 1m", "1 closed kong 2m", "1 closed kong 3m", "1 discard 7z", "0 discard 9p", "1 kong")
    scene.play("1 tsumo")
    assert (scene.won(1).yaku, scene.deltas) == ({"suukantsu"}, deltas)


def test_four_kongs_by_an_added_fourth_make_nobody_liable():
    hand, draws = "111m222m333m99p56s", {1: "1m 9p 5s", 0: "- 9p"}
    scene = Scene({1: hand}, draws=draws, replacements="2m 3m 7z 6s", rules=Rules(liability_kongs=True))
    scene.play("1 closed kong 1m", "1 closed kong 2m", "1 closed kong 3m", "1 discard 7z", "0 discard 9p", "1 pong")
    scene.play("1 discard 5s", "1 added kong 9p", "1 tsumo")
    assert (scene.won(1).yaku, scene.won(1).liable) == ({"suukantsu"}, NO_SEAT)


def test_of_two_liable_seats_the_giver_of_the_kong_answers_for_both():
    rules = Rules(liability_kongs=True, liability_whole=False)
    scene = Scene({1: "111m5s555666777z"}, {1: "5z", 0: "- 7z", 2: "- 1m"}, replacements="6z 9p 9s 5s", rules=rules)
    scene.play("1 closed kong 5z", "1 closed kong 6z", "1 discard 9p", "0 discard 7z", "1 kong", "1 discard 9s")
    scene.play("2 discard 1m", "1 kong", "1 tsumo")
    assert scene.won(1).yaku == {"daisangen", "suukantsu"}
    assert scene.deltas == [0, 64000, -64000, 0]
