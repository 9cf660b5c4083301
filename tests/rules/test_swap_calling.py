"""Swap calling (kuikae): what may not be discarded right after a call."""

import pytest
from table import Scene

from simulator.rules import Rules


def discards(scene, seat):
    return {word.split()[1] for word in scene.options(seat)}


def after_chow(hand, called, own, **rules):
    """Return what may be discarded from a hand after a chow with two own tiles."""
    scene = Scene({1: hand + "258p147s123z"}, draws={0: called}, rules=Rules(**rules))
    left = discards(scene.play(f"0 discard {called}", f"1 chow {own}"), 1)
    return {tile for tile in left if tile.endswith("m")}


@pytest.mark.parametrize(
    ("hand", "called", "own", "left"),
    [
        ("2345m", "2m", "34m", set()),  # neither 2m nor the other end 5m
        ("2345m", "5m", "34m", set()),
        ("1234m", "1m", "23m", set()),
        ("6789m", "9m", "78m", set()),
        ("2345m", "3m", "24m", {"5m"}),  # a closed wait has one end only
        ("2345m", "3m", "45m", {"2m"}),  # 3m, and 6m if there were one
        ("5789m", "7m", "89m", {"5m"}),  # an edge wait has no other end
    ],
)
def test_neither_the_called_tile_nor_the_other_end(hand, called, own, left):
    assert after_chow(hand, called, own) == left


def test_red_five_is_a_five():
    assert after_chow("4566m", "0m", "46m") == {"6m"}
    assert after_chow("2340m", "2m", "34m") == set()
    assert after_chow("4066m", "5m", "46m") == {"6m"}


def test_same():
    assert after_chow("2345m", "2m", "34m", swap_calling="same") == {"5m"}


def test_allowed():
    assert after_chow("2345m", "2m", "34m", swap_calling="allowed") == {"2m", "5m"}


@pytest.mark.parametrize(("how", "left"), [("pong", "0p"), ("pong red", "5p")])
def test_after_a_pong_not_its_fourth_tile(how, left):
    hand = "550p147m258s1234z"
    assert left not in discards(Scene({1: hand}, draws={0: "5p"}).play("0 discard 5p", f"1 {how}"), 1)
    allowed = Scene({1: hand}, draws={0: "5p"}, rules=Rules(swap_calling="allowed"))
    assert left in discards(allowed.play("0 discard 5p", f"1 {how}"), 1)


def test_next_turn_is_free_again():
    scene = Scene({1: "2345m258p147s123z"}, draws={0: "2m"})
    scene.play("0 discard 2m", "1 chow 34m", "1 discard 1z", "1 discard 5m")
    assert scene.turn != 1


FOUR_LEFT = (
    "0 discard 1p", "1 pong", "1 discard 5z", "2 discard 2p", "1 pong", "1 discard 6z",
    "2 discard 3p", "1 pong", "1 discard 7z",
)  # fmt: skip


@pytest.mark.parametrize(
    ("called", "rule", "offered"),
    [
        ("2m", "forbidden", set()),  # 34m would leave 2m and 5m, neither of which may be discarded
        ("5m", "forbidden", set()),
        ("3m", "forbidden", {"chow 24m", "chow 45m", "pass"}),
        ("2m", "same", {"chow 34m", "pass"}),
        ("2m", "allowed", {"chow 34m", "pass"}),
    ],
)
def test_call_that_leaves_no_discard_is_not_offered(called, rule, offered):
    draws = {0: f"1p {called}", 2: "2p 3p"}
    scene = Scene({1: "112233p2345m567z"}, draws=draws, rules=Rules(swap_calling=rule)).play(*FOUR_LEFT)
    assert scene.hand(1) == "2345m"
    options = scene.play(f"0 discard {called}").options(1)
    assert {word for word in options if not word.startswith("discard")} == offered  # it is seat 1's turn otherwise
