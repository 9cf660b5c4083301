"""Who deals next, what the repeat counter becomes, and what it is worth."""

from table import Scene

from simulator.rules import Rules

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s; 2000 points by claim, 2900 as dealer


def win(winner, source, **scene):
    return Scene({winner: SIMPLES}, {source: "5s"}, **scene).play(f"{source} discard 5s", f"{winner} ron")


def test_dealer_who_wins_deals_again_with_a_repeat_counter():
    assert win(0, 1).next_round == (0, 1)
    assert win(0, 1, repeat_counter=4).next_round == (0, 5)


def test_another_winner_ends_the_repeats():
    assert win(1, 2, repeat_counter=4).next_round == (1, 0)
    assert win(1, 2, round=4).next_round == (5, 0)


def test_next_round_is_dealt_by_the_next_seat():
    scene = win(1, 2)
    assert (int(scene.game["dealer"]), scene.turn) == (1, 1)


def test_repeat_counter_is_worth_300_by_claim():
    assert win(1, 2, repeat_counter=2).deltas == [0, 2600, -2600, 0]
    assert win(0, 2, repeat_counter=2).deltas == [3500, 0, -3500, 0]


def test_repeat_counter_is_worth_100_from_each_by_draw():
    hands, draws = {1: SIMPLES}, {1: "- 5s"}
    scene = Scene(hands, draws, repeat_counter=2).to_turn(1).play("1 discard drawn", "1 tsumo")
    assert scene.deltas == [-1500, 700 + 700 + 1300 + 600, -900, -900]


def test_repeat_counter_of_other_worth():
    assert win(1, 2, repeat_counter=2, rules=Rules(repeat_points=1500)).deltas == [0, 5000, -5000, 0]
    assert win(1, 2, repeat_counter=2, rules=Rules(repeat_points=0)).deltas == [0, 2000, -2000, 0]


def test_bets_go_to_the_winner_and_are_gone():
    scene = win(1, 2, bets=3)
    assert (scene.deltas, scene.bets) == ([0, 5000, -2000, 0], 0)
