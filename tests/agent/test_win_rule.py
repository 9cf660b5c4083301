"""The win rule: always win, except where that ends the game with oneself in fourth place."""

import numpy as np
import pytest
from stand_in import StandInNetworks, decide, until_turn
from table import Scene

from simulator.record import RON, TSUMO
from simulator.rules import Rules

READY = "234m567p55p23467s"  # waits for 5s and 8s: pinfu and tanyao, 2,000 points by claim
SOUTH_4 = 7  # seat 3 deals


def claimed(scores: list[int], source: int = 0, hands: dict[int, str] | None = None, **options) -> Scene:
    """Return a scene in which seat 1 may win on the 5s that another seat discards."""
    options = {"round": SOUTH_4, "indicators": "1z"} | options
    scene = Scene({1: READY} | (hands or {}), {source: "5s"}, scores=scores, **options)
    return scene.play(f"{source} discard 5s")


def wins(scene: Scene, seat: int = 1) -> bool:
    """Return whether a seat that may win does."""
    asked, choice = decide(np.array([scene.game]))
    row = asked.seat.tolist().index(seat)
    assert asked.legal[row, [TSUMO, RON]].any()
    return bool(choice.actions[row] in (TSUMO, RON))


def test_a_win_that_ends_the_game_in_fourth_place_is_let_go():
    assert not wins(claimed([40000, 20000, 25000, 25000]))


def test_a_win_that_overtakes_is_taken():
    assert wins(claimed([40000, 23500, 25000, 30000]))


def test_before_the_last_round_every_win_is_taken():
    assert wins(claimed([40000, 10000, 25000, 25000], round=SOUTH_4 - 1, source=2))


def test_an_east_only_game_ends_in_east_4():
    assert not wins(claimed([40000, 10000, 25000, 25000], round=3, rules=Rules(length="east")))
    assert wins(claimed([40000, 10000, 25000, 25000], round=3))


def test_where_nobody_has_the_target_the_game_goes_on_and_the_win_is_taken():
    assert wins(claimed([29000, 20000, 25000, 26000]))
    assert not wins(claimed([29000, 20000, 25000, 26000], rules=Rules(west_entry=False)))


def test_where_the_dealer_repeats_the_game_goes_on_and_the_win_is_taken():
    scene = Scene({3: READY}, {0: "5s"}, scores=[40000, 25000, 25000, 10000], round=SOUTH_4).play("0 discard 5s")
    assert wins(scene, seat=3)


def test_repeat_counters_and_bets_are_counted():
    scores = [40000, 22000, 24300, 30000]
    assert not wins(claimed(scores))
    assert wins(claimed(scores, repeat_counter=1))  # level with seat 2, which started behind seat 1
    assert wins(claimed(scores, bets=1))


def test_what_the_discarder_pays_is_counted():
    assert not wins(claimed([40000, 22000, 25000, 30000], source=0))
    assert wins(claimed([40000, 22000, 25000, 30000], source=2))


def test_a_win_that_busts_another_ends_the_game_ahead_of_it():
    assert wins(claimed([1000, 3000, 48000, 48000], round=2))


def test_a_win_by_draw_is_let_go_too_and_the_hand_played_on():
    scene = Scene({1: READY}, {1: "- 5s"}, scores=[40000, 5000, 25000, 30000], round=SOUTH_4, indicators="1z")
    until_turn(scene, 1)
    scene._step([])
    until_turn(scene, 1)
    assert "tsumo" in scene.options(1)
    networks = StandInNetworks(kinds="2m")
    _, choice = decide(np.array([scene.game]), networks)
    assert choice.actions.tolist() == [1]
    assert networks.models == ["riichi", "discard"]


def test_a_win_let_go_makes_furiten():
    scene = claimed([40000, 10000, 30000, 20000], source=2)
    assert not wins(scene)
    scene.draws(3, "8s")
    scene.play("1 pass", "3 discard 8s")
    assert "ron" not in scene.options(1)


@pytest.mark.parametrize("other", ["234p678m33m23467s", "147m289p23469s12z"])
def test_who_else_wins_on_the_tile_is_not_seen(other):
    assert not wins(claimed([40000, 20000, 25000, 25000], hands={2: other}))
    assert wins(claimed([40000, 24000, 25000, 30000], hands={2: other}))


@pytest.mark.parametrize("under", ["4p", "1z"])
def test_dora_under_the_indicators_are_not_seen(under):
    scores = [50000, 18000, 24000, 30000]
    draws = {0: "- 5s", 1: "7z"}
    scene = Scene({1: READY}, draws, scores=scores, round=SOUTH_4, indicators="1z", ura=under)
    scene.play("1 riichi 7z", "0 discard 5s")  # riichi, ippatsu, pinfu, tanyao: 7,700; with 4p under them 12,000
    assert wins(scene)
    scene.game["scores"][1] -= 3000
    assert not wins(scene)


def test_who_is_liable_pays():
    # Seat 2 gives the third dragon and pays half of 32,000 for the 1m that seat 0 discards: it falls behind seat 1.
    hand = "55z66z77z23m99p147s"
    scores = [80000, 1000, 44000, 40000]
    scene = Scene({1: hand}, {0: "5z 1m", 2: "6z 7z"}, scores=scores, round=SOUTH_4, indicators="1z")
    scene.play("0 discard 5z", "1 pong", "1 discard 1s", "2 discard 6z", "1 pong", "1 discard 4s")
    scene.play("2 discard 7z", "1 pong", "1 discard 7s", "0 discard 1m")
    assert scene.game["liable_dragons"][1] == 2
    assert wins(scene)
    scene.game["liable_dragons"][1] = 255
    assert not wins(scene)


def test_the_game_is_left_as_it_was():
    scene = claimed([40000, 20000, 25000, 25000])
    games = np.array([scene.game])
    before = games.copy()
    decide(games)
    assert np.array_equal(games, before)
