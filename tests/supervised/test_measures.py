from __future__ import annotations

import numpy as np
import pytest

from suphx.supervised.measures import balanced_accuracy, commoner_accuracy, opportunities, share_with_interval

NO, YES = 0, 1


def test_the_interval_covers_the_share_as_often_as_it_says_though_answers_of_a_game_hang_together() -> None:
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        easy = random.beta(6, 2, 60)  # how easy each game is: 0.75 on average
        games = np.repeat(np.arange(60), random.integers(5, 40, 60))
        right = random.random(len(games)) < easy[games]
        low, high = share_with_interval(right, games)["interval"]
        covered += low <= 0.75 <= high
    assert 0.91 <= covered / 400 <= 0.98


def test_all_right_in_a_few_games_is_no_certainty() -> None:
    found = share_with_interval(np.ones(100, np.bool_), np.repeat(np.arange(4), 25))
    assert found["accuracy"] == 1 and found["interval"][1] == 1
    assert found["interval"][0] < 0.6


def test_one_game_gives_no_interval_and_no_pairs_give_nothing() -> None:
    assert share_with_interval(np.ones(3, np.bool_), np.zeros(3, np.int64))["interval"] is None
    nothing = share_with_interval(np.zeros(0, np.bool_), np.zeros(0, np.int64))
    assert nothing == {"accuracy": None, "interval": None, "pairs": 0, "games": 0}


def test_balanced_and_commoner_accuracy() -> None:
    answers, given = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    assert balanced_accuracy(answers, given) == pytest.approx((2 / 3 + 1) / 2)
    assert commoner_accuracy(answers) == 0.75


@pytest.mark.parametrize(
    ("sureness", "answers", "as_the_seat"),
    [
        ([-1, -2], [NO, NO], True),  # both let go
        ([1, 2], [NO, YES], True),  # the surer of two
        ([2, 1], [NO, YES], False),
        ([1, -1], [NO, NO], False),  # called, where the seat let it go
        ([-1, -1], [YES, NO], False),
        ([1, 1], [NO, YES], True),  # of equally sure ones the higher action
    ],
)
def test_an_opportunity_is_right_where_the_flow_makes_the_same_call(
    sureness: list[float], answers: list[int], as_the_seat: bool
) -> None:
    options = np.array([39, 41])
    found = opportunities(np.zeros(2, np.int64), options, np.array(answers), np.array(sureness, np.float32))
    assert found.tolist() == [as_the_seat]


def test_opportunities_are_counted_one_by_one_whatever_their_order() -> None:
    decisions, options = np.array([7, 3, 7, 5]), np.array([39, 41, 41, 39])
    answers, sureness = np.array([NO, YES, YES, NO]), np.array([-1, 1, 1, 1], np.float32)
    assert opportunities(decisions, options, answers, sureness).tolist() == [True, False, True]  # of 3, 5, 7
