"""Ura dora: the indicators under the shown ones, for who wins in riichi."""

import pytest
from table import Scene

from simulator.rules import Rules

SIMPLES = "234m567p55p23467s"


@pytest.mark.parametrize(
    ("rules", "ura"),
    [(Rules(), 4), (Rules(kong_ura=False), 1), (Rules(ura_dora=False), 0), (Rules(kong_dora=False), 1)],
)
def test_riichi_counts_those_under_the_kongs_indicators_too(rules, ura):
    hands, draws = {0: "1111z47m28p147s67z", 1: SIMPLES}, {1: "9m", 2: "5s"}
    scene = Scene(hands, draws, indicators="7z 7z", ura="1m 4p", rules=rules)
    scene.play("0 closed kong 1z", "1 riichi 9m", "2 discard 5s", "1 ron")
    won = scene.won(1)
    assert (won.dora, won.ura) == (0, ura)  # 2m under the first, 5p three times under the kong's


def test_without_riichi_there_are_none():
    scene = Scene({1: SIMPLES}, {2: "5s"}, indicators="7z", ura="1m").play("2 discard 5s", "1 ron")
    assert scene.won(1).ura == 0


def test_only_the_winner_in_riichi_has_them():
    scene = Scene({1: SIMPLES, 3: "345m678m22p34678s"}, {1: "9m", 2: "5s"}, indicators="7z", ura="3m")
    scene.play("1 riichi 9m", "2 discard 5s", "1 ron", "3 ron")
    assert (scene.won(1).ura, scene.won(3).ura) == (1, 0)
