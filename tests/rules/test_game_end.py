"""When a game is over: bust, the target, extra winds, sudden death, the dealer's stop."""

import pytest
from table import Scene

from simulator.rules import Rules

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s; 2000 points by claim, 2900 as dealer
SOUTH_4, WEST_1, WEST_2, WEST_4 = 7, 8, 9, 11


def win(winner, source, round, scores, **scene):
    """Return a scene in which `winner` takes 2000 points (2900 as dealer) from `source`."""
    scene = Scene({winner: SIMPLES}, {source: "5s"}, round=round, scores=scores, **scene)
    return scene.play(f"{source} discard 5s", f"{winner} ron")


# Bust.


@pytest.mark.parametrize(("points", "rules", "over"), [
    (1900, Rules(), True),
    (2000, Rules(), False),  # zero points are enough
    (1900, Rules(bust=False), False),
])  # fmt: skip
def test_less_than_zero_points_end_the_game(points, rules, over):
    assert win(1, 2, 0, [25000, 25000, points, 50000 - points], rules=rules).game_over == over


def test_bust_by_an_exhaustive_draw():
    scene = Scene({1: "123p456p789p44z57s"}, scores=[25000, 25000, 900, 49100]).run_out()
    assert scene.game_over


# The last round.


def test_nothing_else_ends_the_game_before_the_last_round():
    assert not win(1, 2, 6, [10000, 60000, 20000, 10000]).game_over


def test_last_round_ends_it_with_the_target_reached():
    assert win(1, 2, SOUTH_4, [24000, 28000, 24000, 24000]).game_over  # 30000
    assert win(1, 2, SOUTH_4, [20000, 20000, 20000, 40000]).game_over  # whoever has it


def test_without_the_target_the_west_is_played():
    scene = win(1, 2, SOUTH_4, [25000, 25000, 25000, 25000])
    assert scene.next_round == (WEST_1, 0)


def test_target_counts_after_the_payments_and_bets():
    assert win(1, 2, SOUTH_4, [24000, 26000, 24000, 24000], bets=2).game_over


def test_other_target():
    assert win(1, 2, SOUTH_4, [25000, 25000, 25000, 25000], rules=Rules(target_points=27000)).game_over


def test_without_west_entry_the_last_round_ends_it():
    assert win(1, 2, SOUTH_4, [25000] * 4, rules=Rules(west_entry=False)).game_over


def test_exhaustive_draw_in_the_last_round():
    hands = {1: "123p456p789p44z57s"}
    assert Scene(hands, round=SOUTH_4, scores=[27000, 27000, 19000, 27000]).run_out().game_over
    assert Scene(hands, round=SOUTH_4).run_out().next_round == (WEST_1, 1)


def test_abortive_draw_in_the_last_round_is_played_again():
    scene = Scene({0: "19m19p19s123z46m46p"}, round=SOUTH_4, scores=[40000, 20000, 20000, 20000]).play("0 abort")
    assert scene.next_round == (SOUTH_4, 1)


def test_east_only():
    rules = Rules.tenhou_east()
    assert win(1, 2, 3, [24000, 28000, 24000, 24000], rules=rules).game_over
    assert win(1, 2, 3, [25000] * 4, rules=rules).next_round == (4, 0)  # the South is its extra wind
    assert win(1, 2, 4, [24000, 28000, 24000, 24000], rules=rules).game_over
    assert win(1, 2, 7, [25000] * 4, rules=rules).game_over


def test_east_only_into_the_west():
    rules = Rules(length="east", east_into_west=True)
    assert win(1, 2, 3, [25000] * 4, rules=rules).next_round == (4, 0)
    assert win(1, 2, 4, [24000, 28000, 24000, 24000], rules=rules).game_over  # sudden death as ever
    assert win(1, 2, SOUTH_4, [25000] * 4, rules=rules).next_round == (WEST_1, 0)
    assert win(1, 2, WEST_4, [25000] * 4, rules=rules).game_over


# The extra wind.


def test_sudden_death():
    assert win(1, 2, WEST_1, [24000, 28000, 24000, 24000]).game_over
    assert win(1, 2, WEST_1, [25000] * 4).next_round == (WEST_2, 0)


def test_sudden_death_waits_for_a_dealer_who_repeats():
    """Seat 1 is first with the target, but the dealer, seat 0, has won: Tenhou plays on."""
    scene = win(0, 2, WEST_1, [21000, 33000, 25000, 21000])
    assert scene.next_round == (WEST_1, 1)
    scene = Scene({0: "123p456p789p44z57s"}, round=WEST_1, scores=[20000, 33000, 25000, 22000]).run_out()
    assert scene.next_round == (WEST_1, 1)


def test_sudden_death_with_the_dealer_first():
    assert win(0, 2, WEST_1, [28000, 24000, 24000, 24000]).game_over


def test_without_sudden_death_the_whole_wind_is_played():
    rules = Rules(sudden_death=False)
    assert win(1, 2, WEST_1, [24000, 28000, 24000, 24000], rules=rules).next_round == (WEST_2, 0)
    assert win(0, 2, WEST_1, [28000, 24000, 24000, 24000], rules=rules).next_round == (WEST_1, 1)
    assert win(1, 2, WEST_4, [24000, 28000, 24000, 24000], rules=rules).game_over


def test_west_4_is_the_last_round_of_all():
    assert win(1, 2, WEST_4, [25000] * 4).game_over


# The dealer's stop. Seat 3 deals South 4.

AHEAD, BEHIND, SHORT = [20000, 20000, 20000, 40000], [40000, 20000, 20000, 20000], [25000] * 4
TENPAI = {3: "123p456p789p44z57s"}


@pytest.mark.parametrize(("scores", "over"), [(AHEAD, True), (BEHIND, False), (SHORT, False)])
def test_automatic_stop_of_a_dealer_who_wins_or_is_tenpai_first_with_the_target(scores, over):
    assert win(3, 2, SOUTH_4, scores).game_over == over
    assert Scene(TENPAI, round=SOUTH_4, scores=scores).run_out().game_over == over


def test_dealer_who_goes_on_deals_again():
    assert win(3, 2, SOUTH_4, BEHIND).next_round == (SOUTH_4, 1)


def test_equal_points_are_first_only_for_the_seat_nearer_the_first_dealer():
    scores = [35000, 10000, 22900, 32100]
    scene = win(3, 2, SOUTH_4, scores)
    assert scene.scores == [35000, 10000, 20000, 35000]
    assert not scene.game_over  # seat 0 ranks higher


def test_never():
    assert win(3, 2, SOUTH_4, AHEAD, rules=Rules(dealer_stop="never")).next_round == (SOUTH_4, 1)


def test_stop_by_a_win_only():
    rules = Rules(dealer_stop="win")
    assert win(3, 2, SOUTH_4, AHEAD, rules=rules).game_over
    assert Scene(TENPAI, round=SOUTH_4, scores=AHEAD, rules=rules).run_out().next_round == (SOUTH_4, 1)


def test_choice():
    rules = Rules(dealer_stop="choice")
    scene = Scene({3: SIMPLES}, {2: "5s"}, round=SOUTH_4, scores=AHEAD, rules=rules)
    scene.play("2 discard 5s", "3 ron")
    assert scene.options(3) == {"stop", "go on"}
    assert not scene.game_over
    scene.play("3 stop")
    assert scene.game_over


def test_choice_to_go_on():
    rules = Rules(dealer_stop="choice")
    scene = Scene({3: SIMPLES}, {2: "5s"}, round=SOUTH_4, scores=AHEAD, rules=rules)
    scene.play("2 discard 5s", "3 ron", "3 go on")
    assert scene.next_round == (SOUTH_4, 1)


def test_choice_is_not_asked_of_a_dealer_who_may_not_stop():
    assert win(3, 2, SOUTH_4, BEHIND, rules=Rules(dealer_stop="choice")).options(3) != {"stop", "go on"}


def test_abortive_draw_never_stops():
    scene = Scene({3: "19m19p19s123z46m46p"}, round=SOUTH_4, scores=AHEAD).play("3 abort")
    assert scene.next_round == (SOUTH_4, 1)
