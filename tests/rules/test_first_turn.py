"""Blessing of heaven and of earth: a win by the own first draw, uninterrupted."""

from table import Scene

SIMPLES = "234m567p55p23467s"
CALLER = "55z147m28p147s123z"


def test_blessing_of_heaven():
    scene = Scene({0: SIMPLES}, {0: "5s"}).play("0 tsumo")
    assert (scene.won(0).yaku, scene.deltas) == ({"tenhou"}, [48000, -16000, -16000, -16000])


def test_blessing_of_earth():
    scene = Scene({3: SIMPLES}, {3: "5s"}).play("3 tsumo")
    assert (scene.won(3).yaku, scene.deltas) == ({"chiihou"}, [-16000, -8000, -8000, 32000])


def test_not_in_the_second_turn():
    assert Scene({3: SIMPLES}, {3: "- 5s"}).to_turn(3).play("3 discard drawn", "3 tsumo").won(3).yakuman == 0


def test_not_after_a_call():
    scene = Scene({3: SIMPLES, 2: CALLER}, {0: "5z", 3: "5s"}).play("0 discard 5z", "2 pong", "2 discard 1z", "3 tsumo")
    assert scene.won(3).yakuman == 0


def test_not_after_a_closed_kong():
    scene = Scene({0: "1111z147m28p147s7z", 1: SIMPLES}, {1: "5s"}).play("0 closed kong 1z", "0 discard 7z", "1 tsumo")
    assert scene.won(1).yakuman == 0
    scene = Scene({0: "1111m234p678p34s5p"}, {0: "0p"}, replacements="2s").play("0 closed kong 1m", "0 tsumo")
    assert scene.won(0).yakuman == 0


def test_not_for_a_claim():
    scene = Scene({1: SIMPLES}, {0: "5s"}).play("0 discard 5s", "1 ron")
    assert scene.won(1).yaku == {"pinfu", "tanyao"}
