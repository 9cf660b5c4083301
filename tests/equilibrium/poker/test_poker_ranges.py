"""Ranges and equity, against hand counts and brute force."""

import itertools
import math

import numpy as np
import pytest

from suphx.equilibrium.poker.cards import PAIR_CARDS, PAIRS, pair_number, parse_cards
from suphx.equilibrium.poker.equity import exact_equity, sampled_equity
from suphx.equilibrium.poker.hands import strengths
from suphx.equilibrium.poker.ranges import parse_range
from suphx.errors import InputError


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("QQ", 6), ("AKs", 4), ("AKo", 12), ("AK", 16), ("QQ-22", 66), ("22+", 78), ("TT+", 30), ("AQs-A2s", 44),
        ("ATs+", 16), ("A2+", 192), ("KJo+", 24), ("T9s-54s", 24), ("J9o-97o", 36), ("AhKh", 1), ("random", 1326),
        ("QQ-22,AQs-A2s", 110), ("22-QQ a2s-AQS", 110), ("AK,AKs", 16),
    ],
)  # fmt: skip
def test_how_many_hands_a_range_has(text, hands):
    assert np.count_nonzero(parse_range(text)) == hands


def test_weights():
    weights = parse_range("QQ:0.5,AhKh:2,QsQh")
    assert weights[pair_number(*parse_cards("QsQd"))] == 0.5 and weights[pair_number(*parse_cards("KhAh"))] == 2
    assert weights[pair_number(*parse_cards("QsQh"))] == 1


@pytest.mark.faults
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("QQQ", "QQQ"), ("QQs", "neither suited"), ("AhAh", "duplicate"), ("AKs-QJo", "both ends"), ("AKs-Q9s", "gap"),
        ("AK:-1", "-1"), ("AK:x", "x"), ("AK:nan", "nan"), ("", "no hands"), ("1Ks", "1Ks"), ("AK:0", "no hands"),
    ],
)  # fmt: skip
def test_a_wrong_range_names_the_word(text, said):
    with pytest.raises(InputError, match=said):
        parse_range(text)


def brute_equity(one, other, board):
    share = 0.0
    rest = [card for card in range(52) if card not in one + other + board]
    runs = list(itertools.combinations(rest, 5 - len(board)))
    worth = np.empty((2, len(runs)), np.int64)
    for row, hand in enumerate((one, other)):
        strengths(np.array([[*hand, *board, *run] for run in runs], np.int64), worth[row])
    share = (worth[0] > worth[1]).mean() + (worth[0] == worth[1]).mean() / 2
    return float(share)


def test_exact_equity_is_brute_force_weighted_by_hands():
    board = parse_cards("QsJh2h")
    ranges = np.stack([parse_range("AhKh,AsKs:0.5"), parse_range("QhQd,AsAd")])
    share = weight = 0.0
    for one, other in itertools.product(*(np.flatnonzero(each) for each in ranges)):
        cards = [PAIR_CARDS[pair].tolist() for pair in (one, other)]
        if not set(cards[0]) & set(cards[1]):
            by = ranges[0, one] * ranges[1, other]
            share, weight = share + by * brute_equity(*cards, board), weight + by
    found = exact_equity(ranges, board)
    assert found.share[0] == pytest.approx(share / weight, abs=1e-12) and found.share.sum() == pytest.approx(1)
    assert found.win[0] + found.win[1] + found.tie[0] == pytest.approx(1)


def test_known_equities_before_the_flop():
    found = exact_equity(np.stack([parse_range("AhKh"), parse_range("QsQd")]))
    assert found.share[0] == pytest.approx(0.46214, abs=1e-5)  # as published odds calculators have it: 46.21 %


def test_sampled_equity_agrees_and_has_an_interval():
    ranges = np.stack([parse_range(text) for text in ("AK", "QQ-TT", "random")])
    board = parse_cards("AsTd3c")
    exact = exact_equity(ranges[:2], board)
    sampled = sampled_equity(ranges[:2], board, 200_000, seed=3)
    assert np.abs(sampled.share - exact.share).max() < 2 * sampled.half_width.max() < 0.01
    three = sampled_equity(ranges, board, 50_000, seed=3)
    assert three.share.sum() == pytest.approx(1) and (three.half_width > 0).all()
    again = sampled_equity(ranges, board, 50_000, seed=3)
    np.testing.assert_array_equal(three.share, again.share)


@pytest.mark.faults
def test_ranges_that_cannot_meet():
    with pytest.raises(InputError, match="player 2 has no hands left on As"):
        exact_equity(np.stack([parse_range("KK"), parse_range("AsAh")]), parse_cards("AsTd3c"))
    for equity in (exact_equity, sampled_equity):
        with pytest.raises(InputError, match="card twice"):
            equity(np.stack([parse_range("AhKh"), parse_range("AhQd")]))
    with pytest.raises(InputError, match="too many"):
        exact_equity(np.ones((2, PAIRS)))


def test_the_number_of_pairs():
    assert math.comb(52, 2) == PAIRS
    assert [pair_number(*cards) for cards in PAIR_CARDS[::100]] == list(range(0, PAIRS, 100))
