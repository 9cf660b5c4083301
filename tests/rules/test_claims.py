"""Claims on a discard: who may claim what, all at once, and whose claim counts."""

from table import Scene

from simulator.record import EVENT_CHOW, EVENT_OPEN_KONG, EVENT_PONG

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s
CHOW = "46s147m28p123456z"
PONG = "55s147m28p123456z"
KONG = "555s147m28p12346z"


def five(hands, tile="5s", **scene):
    return Scene(hands, {0: tile}, **scene).play(f"0 discard {tile}")


def test_everybody_is_asked_at_once():
    scene = five({1: CHOW, 2: SIMPLES, 3: PONG})
    assert scene.options(1) == {"chow 46s", "pass"}
    assert scene.options(2) == {"ron", "pass"}
    assert scene.options(3) == {"pong", "pass"}


def test_win_comes_before_pong_and_chow():
    scene = five({1: CHOW, 2: PONG, 3: SIMPLES}).play("1 chow 46s", "2 pong", "3 ron")
    assert scene.winners == [3]
    assert scene.events(EVENT_CHOW) == scene.events(EVENT_PONG) == []


def test_pong_comes_before_chow():
    scene = five({1: CHOW, 3: PONG}).play("1 chow 46s", "3 pong")
    assert (scene.turn, scene.events(EVENT_PONG)) == (3, [(3, "5s")])


def test_open_kong_comes_before_chow():
    scene = five({1: CHOW, 3: KONG}, "0s").play("1 chow 46s", "3 kong")
    assert (scene.turn, scene.events(EVENT_OPEN_KONG)) == (3, [(3, "0s")])


def test_chow_counts_once_the_others_pass():
    scene = five({1: CHOW, 2: SIMPLES, 3: PONG}).play("1 chow 46s", "2 pass", "3 pass")
    assert (scene.turn, scene.events(EVENT_CHOW)) == (1, [(1, "5s")])


def test_only_the_next_seat_may_chow():
    scene = five({2: CHOW, 3: CHOW.replace("46s", "67s")})
    assert scene.ended is None
    assert scene.turn == 1


def test_every_way_to_chow():
    scene = five({1: "34467s14m28p1234z"})
    assert scene.options(1) == {"chow 34s", "chow 46s", "chow 67s", "pass"}
    assert five({1: "89s3s147m28p12345z"}, "7s").options(1) == {"chow 89s", "pass"}
    assert five({1: "12s9s147m28p12345z"}, "9s").turn == 1  # no chow round the corner


def test_no_chow_of_honors():
    assert five({1: "12z567z147m258p14s"}, "3z").turn == 1


def test_red_five_in_hand_is_a_choice_of_its_own():
    assert five({1: "3405s147m28p1234z"}, "6s").options(1) == {"chow 45s", "chow 40s", "pass"}
    assert five({2: "055s147m28p12346z"}).options(2) == {"pong", "pong red", "kong", "pass"}
    assert five({2: "05s147m28p123456z"}).options(2) == {"pong red", "pass"}


def test_after_a_pong_the_turn_goes_on_from_the_caller():
    scene = five({2: PONG}).play("2 pong", "2 discard 1z")
    assert scene.turn == 3


def test_seat_in_riichi_may_only_win():
    hands = {1: "123p456p789p44z57s", 2: PONG}
    scene = Scene(hands, {1: "7z", 3: "4z"}).play("1 riichi 7z", "3 discard 4z")
    assert scene.options(1) == set()


def test_triplet_wins_before_it_is_called():
    """A seat that could win and pong the same tile may do either."""
    scene = five({3: "123m456p789s11z44s"}, "1z")
    assert scene.options(3) == {"ron", "pong", "pass"}


def test_without_a_yaku_there_is_no_win():
    scene = Scene({2: "66z234m456p99s12s1m"}, {0: "6z", 1: "3s"}).play("0 discard 6z", "2 pong", "2 discard 1m")
    assert scene.to_turn(1).play("1 discard 3s").options(2) == {"ron", "chow 12s", "pass"}  # the green dragon
    scene = Scene({2: "44z234m456p99s12s1m"}, {0: "4z", 1: "3s"}).play("0 discard 4z", "2 pong", "2 discard 1m")
    assert "ron" not in scene.to_turn(1).play("1 discard 3s").options(2)  # the North is none for the West
