"""Final points: rank, uma, oka, ties, rounding, and bets that nobody has won."""

import pytest
from table import Scene

from simulator.rules import Rules

TENPAI = "123p456p789p44z57s"
SOUTH_4 = 7


def finish(scores, bets=0, **rules):
    """Return a scene whose game has ended with these points in a draw where nobody was tenpai."""
    rules = Rules(**{"west_entry": False, "dealer_stop": "never", **rules})
    scene = Scene(None, round=SOUTH_4, scores=scores, bets=bets, rules=rules).run_out()
    assert scene.game_over
    return scene


def test_rank_uma_and_oka():
    scene = finish([41300, 8700, 30000, 20000])
    assert scene.ranks == [1, 4, 2, 3]
    assert scene.final_points == [11.3 + 20 + 20, -21.3 - 20, 0 + 10, -10 - 10]


def test_without_oka():
    scene = finish([41300, 8700, 30000, 20000], return_points=25000, uma=(15, 5, -5, -15))
    assert scene.final_points == [16.3 + 15, -16.3 - 15, 5 + 5, -5 - 5]


def test_tie_by_seat():
    scene = finish([30000, 20000, 30000, 20000])
    assert scene.ranks == [1, 3, 2, 4]
    assert scene.final_points == [40, -20, 10, -30]


def test_tie_by_seat_counts_from_the_first_dealer():
    """The dealer of South 4 is seat 3; the first dealer was seat 0."""
    assert finish([25000, 25000, 25000, 25000]).ranks == [1, 2, 3, 4]


def test_tie_shared():
    scene = finish([30000, 20000, 30000, 20000], ties="shared", uma=(30, 10, -10, -30))
    assert scene.final_points == [(50 + 10) / 2, -10 - 20, (50 + 10) / 2, -10 - 20]


def test_tie_of_three_shared_leaves_the_odd_tenths_to_the_first_seats():
    scene = finish([27000, 27000, 19000, 27000], ties="shared", uma=(30, 10, -10, -30))
    assert scene.final_points == [13.7, 13.7, -41, 13.6]  # 50 + 10 - 10 by three, and -3
    assert abs(sum(scene.final_points)) < 1e-9


def test_tie_of_all_shared():
    assert finish([25000] * 4, ties="shared").final_points == [0, 0, 0, 0]


def test_leftover_bets_go_to_the_first():
    scene = finish([23000, 23000, 26000, 26000], bets=2)
    assert scene.scores == [23000, 23000, 28000, 26000]


def test_leftover_bets_are_lost():
    scene = finish([23000, 23000, 26000, 26000], bets=2, leftover_bets="lost")
    assert scene.scores == [23000, 23000, 26000, 26000]


@pytest.mark.parametrize(
    ("scores", "points"),
    [
        ([41300, 8700, 30000, 20000], [51, -41, 10, -20]),
        ([30500, 29500, 20400, 19600], [40, 10, -20, -30]),
        ([50500, 30500, 19500, -500], [60, 11, -20, -51]),  # a half is rounded away from zero: -500 is -1
    ],
)
def test_whole_thousands(scores, points):
    """Tenhou until 2019: points to whole thousands, and the first takes what remains."""
    scene = finish(scores, final_rounding="thousands", bust=False)
    assert scene.final_points == points
    assert sum(scene.final_points) == 0


def test_bust_game_has_its_oka_too():
    scene = Scene({1: TENPAI}, scores=[25000, 25000, 900, 49100]).run_out()
    assert scene.ranks == [3, 2, 4, 1]
    assert abs(sum(scene.final_points)) < 1e-9
