"""Several seats win on one tile: all of them, the next in turn alone, or nobody."""

from table import Scene

from simulator.rules import Rules

#: All wait for 5s; 2000, 2000 and 1300 points by claim.
NEXT, ACROSS, LAST = "234m567p55p23467s", "345m678m22p34678s", "678m33m444p234p46s"
HEAD_BUMP = Rules(multiple_ron="head_bump")


def everyone_waits(**scene):
    return Scene({1: NEXT, 2: ACROSS, 3: LAST}, draws={0: "5s"}, **scene).play("0 discard 5s")


def test_double_ron_pays_both():
    scene = everyone_waits().play("1 ron", "2 pass", "3 ron")
    assert scene.winners == [1, 3]
    assert scene.deltas == [-3300, 2000, 0, 1300]


def test_bets_and_repeat_counters_go_to_the_next_in_turn_alone():
    scene = everyone_waits(bets=2, repeat_counter=1).play("1 pass", "2 ron", "3 ron")
    assert scene.won(2).deltas == [-2300, 0, 4300, 0]
    assert scene.won(3).deltas == [-1300, 0, 0, 1300]
    assert scene.deltas == [-3600, 0, 4300, 1300]
    assert scene.bets == 0


def test_turn_order_is_counted_from_the_discarder():
    scene = Scene({0: NEXT, 1: ACROSS, 3: LAST}, draws={2: "5s"}, bets=1)
    scene.play("2 discard 5s", "0 ron", "1 ron", "3 pass")
    assert scene.winners == [0, 1]
    assert scene.won(0).deltas == [3900, 0, -2900, 0]


def test_dealer_among_the_winners_repeats():
    scene = Scene({0: NEXT, 1: ACROSS}, draws={2: "5s"}).play("2 discard 5s", "0 ron", "1 ron")
    assert scene.next_round == (0, 1)


def test_riichi_bet_of_the_discarder_is_not_paid():
    scene = Scene({0: "123p789p789m23s44z", 1: NEXT, 2: ACROSS}, draws={0: "5s"})
    scene.play("0 riichi 5s", "1 ron", "2 ron")
    assert scene.deltas == [-4000, 2000, 2000, 0]
    assert scene.scores == [21000, 27000, 27000, 25000]


def test_triple_ron_is_no_win_at_all():
    scene = everyone_waits(bets=1, repeat_counter=1).play("1 ron", "2 ron", "3 ron")
    assert scene.how == "triple ron"
    assert scene.deltas == [0, 0, 0, 0]
    assert (scene.bets, scene.next_round) == (1, (0, 2))  # the dealer deals again


def test_triple_ron_keeps_the_bet_of_a_riichi_discard_in_hand():
    scene = Scene({0: "123p789p789m23s44z", 1: NEXT, 2: ACROSS, 3: LAST}, draws={0: "5s"})
    scene.play("0 riichi 5s", "1 ron", "2 ron", "3 ron")
    assert (scene.bets, scene.scores) == (0, [25000] * 4)


def test_triple_ron_where_it_is_a_win():
    scene = everyone_waits(rules=Rules(abort_triple_ron=False), bets=1).play("1 ron", "2 ron", "3 ron")
    assert scene.winners == [1, 2, 3]
    assert scene.deltas == [-5300, 3000, 2000, 1300]


def test_head_bump():
    scene = everyone_waits(rules=HEAD_BUMP).play("1 pass", "2 ron", "3 ron")
    assert scene.winners == [2]
    assert scene.deltas == [-2000, 0, 2000, 0]


def test_head_bump_leaves_no_triple_ron():
    scene = everyone_waits(rules=HEAD_BUMP).play("1 ron", "2 ron", "3 ron")
    assert scene.winners == [1]
