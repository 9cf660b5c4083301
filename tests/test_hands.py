"""Written hands: what is refused and why, how results read, and arrays of hands."""

import numpy as np
import pytest
from wins import as_arrays, make_wins, score_made

from simulator.scoring.hands import HandError, score, score_batch
from simulator.tiles import NotationError


@pytest.mark.parametrize(
    ("hand", "how", "message"),
    [
        ("123m456p789s1199p", {}, "13 concealed tiles"),
        ("123m456p789s1199p9p", {"melds": "pong 777z"}, "14 concealed tiles and 1 melds"),
        ("123m456p789s1199p8p", {}, "not complete"),
        ("123m456p789s11p77z", {"win": "3m"}, "13 concealed"),
        ("123m456p789s1199p9p", {"win": "5z"}, "winning tile '5z'"),
        ("123m456p11p99s9s", {"melds": "chow 124m"}, "124m is no chow"),
        ("123m456p11p99s9s", {"melds": "chow 891m"}, "891m is no chow"),
        ("123m456p11p99s9s", {"melds": "open kong 777z"}, "777z is no open kong"),
        ("123m456p789s1199p9p", {"seat_wind": "Center"}, "seat_wind"),
        ("123m456p789s1199p9p", {"ura_indicators": "3m"}, "ura dora needs riichi"),
        ("123m456p789s1199p9p", {"first_turn": True}, "first turn"),
        ("234m678p55m222s3s4s2s", {"robbed_kong": True}, "the fourth of its kind"),
        ("234m678p55m34s2s", {"robbed_kong": True, "melds": "pong 222s"}, "the fourth of its kind"),
        ("123m456p789s1199p9p", {"bets": -1}, "negative"),
        ("123m456p789s1199p9p", {"indicators": "1m1m1m2m2m2m"}, "at most 5"),
    ],
)
def test_refused_hands(hand, how, message):
    with pytest.raises(HandError, match=message):
        score(hand, **how)


@pytest.mark.parametrize(
    ("hand", "how", "message"),
    [
        ("111119m456p789s99p", {}, "more 1m"),
        ("111m456p789s1199p", {"melds": "pong 111m"}, "more 1m"),
        ("123m456p789s1199p9p", {"indicators": "1p1p1p"}, "more 1p"),
        ("123m456p11p99s9s", {"melds": "triplet 777z"}, "write one of"),
        ("123m456p7", {}, "no suit"),
    ],
)
def test_unreadable_hands(hand, how, message):
    with pytest.raises(NotationError, match=message):
        score(hand, **how)


def test_result_reads_as_a_line():
    scored = score("123m406p789s11p99p9p", riichi=True, indicators="8p", bets=1)
    assert str(scored) == (
        "riichi 1, dora 3, red fives (akadora) 1: 5 han 40 fu, mangan, 8000 points (discarder pays 8000)"
    )
    assert str(score("123m456p789s1199p9p")) == "no yaku: 0 points"


def test_batch_scores_as_one_by_one_and_leaves_what_does_not_win():
    arrays = as_arrays(list(make_wins(200, 3)))
    scored = score_made(arrays)
    wins = arrays["wins"]
    assert 0 < scored.sum() < 200
    assert (wins["yaku"][scored] != 0).all() and (wins["yaku"][~scored] == 0).all()
    assert (wins["deltas"][scored].sum(axis=1) == 0).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_melds", 5), ("win_kinds", 34), ("win_kinds", -1), ("seat_winds", 4), ("round_winds", -1)],
)
def test_batch_refuses_numbers_out_of_range(name, value):
    arrays = as_arrays(list(make_wins(3, 3)))
    arrays[name][1] = value
    with pytest.raises(ValueError, match=name):
        score_made(arrays)


def test_batch_refuses_seats_out_of_range():
    arrays = as_arrays(list(make_wins(3, 3)))
    arrays["wins"]["liable"][2] = 7
    with pytest.raises(ValueError, match="liable"):
        score_made(arrays)


def test_batch_refuses_wrong_shapes():
    arrays = as_arrays(list(make_wins(3, 3)))
    with pytest.raises(ValueError, match="must be"):
        score_batch(arrays["hands"][:, :33], arrays["melds"], *[np.zeros(3)] * 5, arrays["wins"])
