"""Red fives, and all simples with an open hand, each with its switch off."""

from table import Scene

from simulator.rules import Rules

SIMPLES = "234m567p55p23467s"  # waits for 5s and 8s


def test_red_fives_count_in_hand_meld_and_winning_tile():
    hands = {1: "234m067p55p23467s"}
    assert Scene(hands, {0: "0s"}).play("0 discard 0s", "1 ron").won(1).red == 2
    scene = Scene({1: "34m067p55p23467s9s"}, {0: "0m", 3: "8s"})
    scene.play("0 discard 0m", "1 chow 34m", "1 discard 9s", "3 discard 8s", "1 ron")
    assert (scene.won(1).red, scene.won(1).yaku) == (2, {"tanyao"})


def test_without_red_fives():
    rules = Rules(red_fives=False)
    hands = {1: "234m567p55p23467s", 2: "555s147m28p12346z"}
    scene = Scene(hands, {0: "5s"}, rules=rules).play("0 discard 5s")
    assert scene.options(2) == {"pong", "kong", "pass"}
    won = scene.play("1 ron").won(1)
    assert (won.red, won.han) == (0, 2)


def open_tanyao(**rules):
    scene = Scene({1: "34m567p55p23467s9s"}, {0: "2m", 3: "8s"}, rules=Rules(**rules))
    return scene.play("0 discard 2m", "1 chow 34m", "1 discard 9s", "3 discard 8s")


def test_open_tanyao():
    assert "ron" in open_tanyao().options(1)


def test_without_open_tanyao():
    assert "ron" not in open_tanyao(open_tanyao=False).options(1)
    scene = Scene({1: SIMPLES}, {0: "8s"}, rules=Rules(open_tanyao=False)).play("0 discard 8s", "1 ron")
    assert "tanyao" in scene.won(1).yaku  # closed it counts all the same
