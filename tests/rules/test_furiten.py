"""Furiten: who may not ron, and for how long."""

from table import Scene

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s, worth tanyao
WINDS = "123m456p789s1122z"  # waits for the round wind and, as seat 1, for its own wind


def test_own_discard_of_a_wait_forbids_every_wait():
    scene = Scene({1: SIMPLES}, draws={1: "5s", 2: "8s"})
    scene.play("1 discard 5s", "2 discard 8s")
    assert "ron" not in scene.options(1)


def test_own_discard_counts_where_it_was_called():
    scene = Scene({1: SIMPLES, 3: "147m268p55s12347z"}, draws={1: "5s", 2: "8s"})
    scene.play("1 discard 5s", "3 pong", "3 discard 7z", "2 discard 8s")
    assert "ron" not in scene.options(1)


def test_own_discard_does_not_forbid_a_win_by_draw():
    scene = Scene({1: SIMPLES}, draws={1: "5s 8s"}).play("1 discard 5s", "1 tsumo")
    assert scene.winners == [1]


def test_own_discard_is_forgiven_once_the_waits_are_others():
    scene = Scene({1: SIMPLES}, draws={1: "5s 0p", 2: "- 6s"})
    scene.play("1 discard 5s", "1 discard 7s", "2 discard 6s", "1 ron")
    assert scene.winners == [1]


def test_win_let_go_forbids_every_wait_in_the_same_turn():
    scene = Scene({1: SIMPLES}, draws={2: "5s", 3: "8s"}).play("2 discard 5s", "1 pass", "3 discard 8s")
    assert "ron" not in scene.options(1)
    scene = Scene({1: WINDS}, draws={2: "1z", 3: "1z"}).play("2 discard 1z", "1 pass", "3 discard 1z")
    assert scene.options(1) == {"pong", "pass"}


def test_win_let_go_is_forgiven_with_the_own_next_discard():
    scene = Scene({1: WINDS}, draws={2: "1z 1z"}).play("2 discard 1z", "1 pass", "2 discard 1z", "1 ron")
    assert scene.winners == [1]


def test_wait_that_went_by_without_a_yaku_counts_as_let_go():
    scene = Scene({1: "123m456p789s1144z"}, draws={2: "4z", 3: "1z"}).play("2 discard 4z")
    assert scene.options(1) == {"pong", "pass"}  # the North is no yaku for the South seat
    assert scene.play("3 discard 1z").options(1) == {"pong", "pass"}  # the round wind would have been one


def test_win_let_go_in_riichi_forbids_for_good():
    scene = Scene({1: WINDS}, draws={1: "9p", 2: "1z", 0: "- - 2z"})
    scene.play("1 riichi 9p", "2 discard 1z", "1 pass", "0 discard 2z")
    assert scene.options(1) == set()


def test_win_let_go_in_riichi_does_not_forbid_a_win_by_draw():
    scene = Scene({1: WINDS}, draws={1: "9p 2z", 2: "1z"})
    scene.play("1 riichi 9p", "2 discard 1z", "1 pass", "1 tsumo")
    assert scene.winners == [1]


def test_win_by_draw_let_go_in_riichi_forbids_claims():
    scene = Scene({1: WINDS}, draws={1: "9p 2z", 2: "- 1z"}).play("1 riichi 9p", "1 discard 2z", "2 discard 1z")
    assert scene.options(1) == set()


def test_riichi_may_be_declared_in_furiten():
    scene = Scene({1: WINDS}, draws={1: "1z 9p", 2: "- 2z"})
    scene.play("1 discard 1z", "1 riichi 9p", "2 discard 2z")
    assert scene.options(1) == set()
