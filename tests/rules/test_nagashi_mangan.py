"""Nagashi mangan: an exhaustive draw with nothing but terminals and honors discarded, none of them called."""

from table import Scene

from simulator.rules import Rules

WINDS = "1111z2222z3333z4444z"
TENPAI = "123p456p789p55z57s"


def test_non_dealer():
    scene = Scene(None, {1: WINDS + "11m"}).run_out()
    assert (scene.how, scene.deltas) == ("nagashi mangan", [-4000, 8000, -2000, -2000])


def test_dealer():
    scene = Scene(None, {0: WINDS + "11m"}).run_out()
    assert scene.deltas == [12000, -4000, -4000, -4000]


def test_two_of_them_pay_each_other():
    scene = Scene(None, {0: WINDS + "11m", 1: "5555z6666z7777z9999m99s"}).run_out()
    assert scene.deltas == [12000 - 4000, 8000 - 4000, -6000, -6000]


def test_it_replaces_the_payments_for_tenpai():
    scene = Scene({2: TENPAI}, {1: WINDS + "11m"}).run_out()
    assert (scene.tenpai(), scene.deltas) == ([2], [-4000, 8000, -2000, -2000])


def test_repeat_counters_and_bets_do_not_count():
    scene = Scene(None, {1: WINDS + "11m"}, repeat_counter=2, bets=1).run_out()
    assert (scene.deltas, scene.bets) == ([-4000, 8000, -2000, -2000], 1)


def test_dealer_deals_again_only_if_tenpai():
    assert Scene(None, {0: WINDS + "11m"}).run_out().next_round == (1, 1)
    assert Scene({0: TENPAI}, {1: WINDS + "11m"}).run_out().next_round == (0, 1)


def test_a_called_tile_spoils_it():
    hands = {2: "66z147m28p147s123s"}
    draws = {1: "6z" + WINDS + "11m"}
    scene = Scene(hands, draws).play("1 discard 6z", "2 pong", "2 discard 1s").run_out()
    assert scene.how == "exhaustive draw"


def test_own_calls_do_not():
    hands = {1: "66z147m28p147s19s1m"}
    draws = {0: "6z", 1: WINDS}
    scene = Scene(hands, draws).play("0 discard 6z", "1 pong", "1 discard 9s").run_out()
    assert scene.how == "nagashi mangan"


def test_one_simple_spoils_it():
    scene = Scene(None, {1: "2m" + WINDS + "1m"}).run_out()
    assert scene.how == "exhaustive draw"


def test_off():
    scene = Scene(None, {1: WINDS + "11m"}, rules=Rules(nagashi_mangan=False)).run_out()
    assert (scene.how, scene.deltas) == ("exhaustive draw", [0, 0, 0, 0])
