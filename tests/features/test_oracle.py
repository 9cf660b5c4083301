"""The oracle's block: what is hidden, and where it lies."""

from __future__ import annotations

import numpy as np
from played import Planes, played, record_of

from simulator.game import Game
from simulator.lookup import get_lookup
from simulator.record import PASS, PHASE_CLAIM
from simulator.shanten import shanten
from simulator.tiles import KINDS
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
        game.step(dict.fromkeys(game.seats_to_act, PASS if claims else 37))
    planes = see_hidden(game, int(game.record["turn"]))
    drawn = [text for text in planes["oracle.draw"] if text]
    left = int(game.record["next_draw"]) - 13
    assert len(drawn) == left and not any(planes["oracle.rest"])
    assert np.count_nonzero(planes.masks("oracle.indicator")) == 4


def slow_race(game: np.ndarray, seat: int) -> list[int]:
    """Draws of all until a seat is 1 from tenpai, tenpai, complete by any tile, by an own draw; 34: later or never."""
    hand, melds = game["hand"][seat].astype(np.uint8), int(game["n_melds"][seat])
    rest = int(game["next_draw"]) - 13 - int(game["kongs"])
    drawn = [(int(game["turn"]) + 1 + n) % 4 == seat for n in range(min(rest, 33))]
    kinds = [int(game["wall"][int(game["next_draw"]) - n]) >> 2 for n in range(len(drawn))]
    found = [34] * 4
    in_riichi = bool(game["riichi"][seat])
    for n in range(len(drawn) + 1):
        own = [kind for kind, is_own in zip(kinds[:n], drawn, strict=False) if is_own and not in_riichi]
        held = hand + np.bincount(own, minlength=KINDS).astype(np.uint8)
        distance = max(shanten(get_lookup(), held, melds), 0)
        if n and (in_riichi or not drawn[n - 1]):
            held[kinds[n - 1]] += 1
        wins = n > 0 and shanten(get_lookup(), held, melds) == -1
        reached = [distance <= 1, distance == 0, wins, wins and drawn[n - 1]]
        found = [min(before, n) if is_so else before for before, is_so in zip(found, reached, strict=True)]
        if reached[3]:
            break
    return found


def test_how_soon_each_seat_gets_ahead_is_what_the_wall_says() -> None:
    games, seats = played(150)
    rows = encode_oracle_batch(games, np.arange(len(games)), seats)
    some = np.zeros(4, int)
    for game, seat, row in zip(games, seats, rows, strict=True):
        race = [mask.bit_length() for mask in Planes(row).masks("oracle.race")]
        for n in range(4):
            draws = slow_race(game, (int(seat) + n) % 4)
            assert race[4 * n : 4 * n + 4] == [34 - each for each in draws]
            some += np.array(draws) < 34
    assert (some > 20).all()
