"""Riichi: who may declare it, when the bet is paid, double riichi and ippatsu."""

import pytest
from table import Scene, ScriptError

from simulator.rules import Rules

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s
DEALERS = "123p789p789m23s44z"  # waits for 1s and 4s
BELOW_ZERO = Rules(riichi_below_zero=True)


@pytest.mark.parametrize(
    ("points", "rules", "may"),
    [
        (1000, Rules(), True),
        (900, Rules(), False),
        (0, Rules(), False),
        (900, BELOW_ZERO, True),
        (-100, BELOW_ZERO, True),
        (900, Rules(riichi_min_points=0), True),
        (-100, Rules(riichi_min_points=0, bust=False), False),
        (1900, Rules(riichi_min_points=2000), False),
    ],
)
def test_points_that_are_needed(points, rules, may):
    scores = [points, 25000, 25000, 50000 - points]
    scene = Scene({0: DEALERS}, {0: "9m"}, scores=scores, rules=rules)
    assert ("riichi" in scene.options(0)) == may
    if may:
        assert scene.play("0 riichi 9m").scores[0] == points - 1000


@pytest.mark.parametrize(
    ("seat", "left", "rules", "may"),
    [
        (1, 4, Rules(), True),
        (2, 3, Rules(), False),
        (0, 1, Rules(riichi_min_tiles=1), True),
        (1, 0, Rules(riichi_min_tiles=1), False),
        (1, 0, Rules(riichi_min_tiles=0), True),
    ],
)
def test_tiles_that_must_be_left(seat, left, rules, may):
    scene = Scene({seat: SIMPLES}, rules=rules).run_down(left)
    assert (scene.turn, scene.tiles_left) == (seat, left)
    assert ("riichi" in scene.options(seat)) == may


def test_hand_must_be_closed_and_tenpai():
    assert "riichi" not in Scene({1: "234m567p55p2346s7z"}, {1: "9m"}).to_turn(1).options(1)
    scene = Scene({1: "234m678p55z23457s"}, {0: "5z", 1: "5s"})
    scene.play("0 discard 5z", "1 pong", "1 discard 2s").to_turn(1)
    assert "riichi" not in scene.options(1)


def test_closed_kong_does_not_open_the_hand():
    scene = Scene({0: "1111m456p789s22z3s"}, {0: "4s"}, replacements="7z").play("0 closed kong 1m")
    assert "riichi" in scene.options(0)


def test_declared_discard_must_leave_the_hand_tenpai():
    scene = Scene({0: "123p789p789m2355s"}, {0: "5z"})
    with pytest.raises(ScriptError, match="only 5z may be discarded"):
        scene.play("0 riichi 5s")


def test_bet_is_paid_once_the_discard_has_passed():
    scene = Scene({0: DEALERS}, {0: "9m"}).play("0 riichi 9m")
    assert (scene.scores, scene.bets) == ([24000, 25000, 25000, 25000], 1)


def test_bet_is_not_paid_where_the_discard_is_won_on():
    scene = Scene({0: DEALERS, 1: SIMPLES}, {0: "5s"}).play("0 riichi 5s", "1 ron")
    assert (scene.scores, scene.bets) == ([23000, 27000, 25000, 25000], 0)


def test_bet_is_paid_where_the_discard_is_called():
    scene = Scene({0: DEALERS, 2: "55s147m258p12356z"}, {0: "5s"}).play("0 riichi 5s", "2 pong")
    assert (scene.scores[0], scene.bets) == (24000, 1)
    assert scene.game["ippatsu"][0] == 0


def test_winner_takes_the_bets():
    scene = Scene({0: DEALERS, 1: SIMPLES}, {0: "9m", 2: "5s"}, bets=1).play("0 riichi 9m", "2 discard 5s", "1 ron")
    assert scene.scores == [24000, 25000 + 2000 + 2000, 23000, 25000]


def yaku(*steps, hands=None, draws=None, replacements=""):
    """Return the yaku of seat 1's win after the steps."""
    scene = Scene({1: SIMPLES, **(hands or {})}, draws, replacements=replacements).play(*steps)
    return scene.won(1).yaku & {"riichi", "double riichi", "ippatsu"}


CALLER = "55z147m28p147s123z"


def test_double_riichi_in_the_uninterrupted_first_turn():
    steps = ["1 riichi 9m", "2 discard 5s", "1 ron"]
    assert yaku(*steps, draws={1: "9m", 2: "5s"}) == {"double riichi", "ippatsu"}


def test_a_call_before_makes_it_a_single_one():
    steps = ["0 discard 5z", "3 pong", "3 discard 1z", "1 riichi 9m", "2 discard 5s", "1 ron"]
    assert yaku(*steps, hands={3: CALLER}, draws={0: "5z", 1: "9m", 2: "5s"}) == {"riichi", "ippatsu"}


def test_a_closed_kong_before_makes_it_a_single_one():
    steps = ["0 closed kong 1z", "0 discard 7z", "1 riichi 9m", "2 discard 5s", "1 ron"]
    found = yaku(*steps, hands={0: "1111z147m28p147s7z"}, draws={1: "9m", 2: "5s"})
    assert found == {"riichi", "ippatsu"}


def test_the_second_turn_makes_it_a_single_one():
    steps = ["1 discard 9m", "1 riichi 9m", "2 discard 5s", "1 ron"]
    assert yaku(*steps, draws={1: "9m 9m", 2: "- 5s"}) == {"riichi", "ippatsu"}


def test_ippatsu_lasts_to_the_own_next_draw():
    assert yaku("1 riichi 9m", "1 tsumo", draws={1: "9m 5s"}) == {"double riichi", "ippatsu"}


def test_ippatsu_ends_with_the_own_next_discard():
    steps = ["1 riichi 9m", "2 discard drawn", "2 discard 5s", "1 ron"]
    assert yaku(*steps, draws={1: "9m", 2: "- 5s"}) == {"double riichi"}


@pytest.mark.parametrize("claim", ["pong", "kong"])
def test_any_call_ends_ippatsu(claim):
    hand = CALLER if claim == "pong" else "555z147m28p147s12z"
    steps = ["1 riichi 9m", "2 discard 5z", f"3 {claim}", "3 discard 1z", "2 discard 5s", "1 ron"]
    assert yaku(*steps, hands={3: hand}, draws={1: "9m", 2: "5z 5s"}) == {"double riichi"}


def test_a_closed_kong_of_another_ends_ippatsu():
    steps = ["1 riichi 9m", "2 closed kong 1z", "2 discard 5s", "1 ron"]
    found = yaku(*steps, hands={2: "1111z147m28p147s7z"}, draws={1: "9m"}, replacements="5s")
    assert found == {"double riichi"}
