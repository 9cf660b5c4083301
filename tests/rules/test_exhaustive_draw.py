"""The exhaustive draw: who is tenpai, what is paid, and who deals next."""

import pytest
from table import Scene

#: Tenpai hands for four seats, all waiting for 6s.
TENPAI = {0: "123m456m789m11p57s", 1: "123p456p789p44z57s", 2: "123m456m789m22z57s", 3: "123p456p789p33z07s"}


@pytest.mark.parametrize(
    ("tenpai", "deltas"),
    [
        ([], [0, 0, 0, 0]),
        ([1], [-1000, 3000, -1000, -1000]),
        ([0, 2], [1500, -1500, 1500, -1500]),
        ([1, 2, 3], [-3000, 1000, 1000, 1000]),
        ([0, 1, 2, 3], [0, 0, 0, 0]),
    ],
)
def test_seats_that_are_not_tenpai_pay_3000_to_those_that_are(tenpai, deltas):
    scene = Scene({seat: TENPAI[seat] for seat in tenpai}).run_out()
    assert (scene.how, scene.tenpai(), scene.deltas) == ("exhaustive draw", tenpai, deltas)


def test_tenpai_dealer_deals_again_another_does_not():
    assert Scene({0: TENPAI[0]}, repeat_counter=1).run_out().next_round == (0, 2)
    assert Scene({1: TENPAI[1]}, repeat_counter=1).run_out().next_round == (1, 2)  # the counter grows all the same


def test_bets_stay_on_the_table():
    scene = Scene({1: TENPAI[1]}, {1: "5z"}, bets=2).play("1 riichi 5z").run_out()
    assert (scene.bets, scene.scores[1]) == (3, 25000 - 1000 + 3000)


def test_tenpai_without_a_yaku_counts():
    scene = Scene({2: "44z123m456p789s19m"}, {0: "4z"})
    scene.play("0 discard 4z", "2 pong", "2 discard 9m").run_out()
    assert scene.tenpai() == [2]


def test_furiten_seat_is_tenpai():
    scene = Scene({1: TENPAI[1]}, {1: "6s"}).play("1 discard 6s").run_out()
    assert scene.tenpai() == [1]


def test_wait_of_which_all_four_are_concealed_in_the_hand_is_none():
    scene = Scene({1: "1111m234p567p789s"}).run_out()
    assert scene.tenpai() == []  # only a fifth 1m would complete it


def test_wait_of_which_all_four_are_in_the_own_melds_is_one():
    scene = Scene({1: "3333m12m456p78s11z"}, {1: "9s"}).play("1 closed kong 3m").run_out()
    assert scene.tenpai() == [1]  # 12m 456p 789s 11z


def test_wait_of_which_all_four_are_seen_elsewhere_is_one():
    scene = Scene({1: TENPAI[1], 2: "6666s147m28p1234z"}).run_out()
    assert scene.tenpai() == [1]
