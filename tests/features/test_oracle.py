"""The oracle's block: what is hidden, and where it lies."""

from __future__ import annotations

import numpy as np
from played import Planes, record_of

from simulator.game import Game
from simulator.record import PASS, PHASE_CLAIM
from suphx.features.encode import encode_oracle_batch
from suphx.features.layout import ORACLE_PLANES


def see_hidden(game: Game, seat: int) -> Planes:
    row = encode_oracle_batch(record_of(game), [0], [seat])[0]
    assert row.shape == (ORACLE_PLANES,)
    return Planes(row)


def table() -> Game:
    hands = ["19m19p19s1234567z", "123m406p789s1133z", "147m147p147s2255z", "2223m5p"]
    return Game.from_hands(hands, "9m5s0s", "1z2z", ura="6p7p", replacements="8p8s", seed=2)


def test_the_hands_of_the_others() -> None:
    planes = see_hidden(table(), 0)
    assert planes["oracle.count"][:4] == ["123m456p789s13z", "13z", "", ""]
    assert planes["oracle.count"][8][:2] == "23"
    assert planes["oracle.red"] == ["5p", "", ""]
    assert planes["oracle.waits"][:2] == ["13z", ""]
    assert planes.flags("oracle.shanten")[:6] == [True] * 6
    assert planes.flags("oracle.furiten") == [False, False, False]


def test_the_wall_in_order_and_the_indicators_to_come() -> None:
    planes = see_hidden(table(), 0)  # seat 0 has drawn the 9m
    assert planes["oracle.draw"][:2] == ["5s", "5s"]
    assert "5s" in planes["oracle.draw_red"][0]
    assert planes["oracle.replacement"][:2] == ["8p", "8s"]
    assert planes["oracle.indicator"][0] == "3z"  # the second indicator, 2z, makes 3z dora
    assert planes["oracle.ura"][:2] == ["7p", "8p"]


def test_every_tile_of_the_wall_is_there_at_the_end() -> None:
    game = table()
    while game.record["next_draw"] > 30:
        claims = game.record["phase"] == PHASE_CLAIM
        game.step(dict.fromkeys(game.asked, PASS if claims else 37))
    planes = see_hidden(game, int(game.record["turn"]))
    drawn = [text for text in planes["oracle.draw"] if text]
    left = int(game.record["next_draw"]) - 13
    assert len(drawn) == left and not any(planes["oracle.rest"])
    assert np.count_nonzero(planes.masks("oracle.indicator")) == 4
