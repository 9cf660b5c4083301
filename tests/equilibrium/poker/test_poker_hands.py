"""What hands are worth: every category's rule, all seven-card hands counted, and two other evaluators."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from suphx.equilibrium.poker.cards import card_text, parse_cards
from suphx.equilibrium.poker.hands import CATEGORIES, CATEGORY_SHIFT, strengths

# from weakest to strongest; hands of one line are equal
LADDER = [
    ["7c5d4h3s2c"],
    ["AhQd9s7c5h4d2s", "AcQh9d7s5c3d2h"],
    ["AhKdQsJc9h4d2s"],
    ["2h2dAsKcQh9d7s"],
    ["AhAdKsQcJh9d2s", "AcAsKdQhJd9c3s"],
    ["2h2d3s3cAh9d7s"],
    ["AhAdKsKcQh9d2s", "AhAdKsKcQhQd2s"],
    ["2h2d2sAcKh9d7s"],
    ["AhAdAsKcQh9d7s"],
    ["Ah2d3s4c5h9dJs", "Ad2c3d4s5dKsKc"],
    ["2h3d4s5c6hAdKs"],
    ["AhKdQsJcTh9d8s", "AcKdQsJcTh3d2s"],
    ["2h3h4h5h7hAdKs"],
    ["AhQh9h7h5h4h2h", "AhQh9h7h5hQdAs"],
    ["2h2d2s3c3h9d7s"],
    ["2h2d2s3c3h3d7s"],
    ["AhAdAsKcKh9d7s", "AhAdAsKcKhKd7s"],
    ["2h2d2s2cAhKdQs", "2h2d2s2cAhAdAs"],
    ["AhAdAsAcKhQdJs"],
    ["Ah2h3h4h5hAdAs", "Ah2h3h4h5h9hJh"],
    ["2h3h4h5h6hAhKh"],
    ["AhKhQhJhTh9h8h"],
]  # fmt: skip


def worth(hands):
    cards = np.array(hands, np.int64)
    out = np.empty(len(cards), np.int64)
    strengths(cards, out)
    return out


def test_the_ladder_of_hands():
    found = [[worth([parse_cards(hand)])[0] for hand in line] for line in LADDER]
    assert all(len(set(line)) == 1 for line in found)
    firsts = [line[0] for line in found]
    assert firsts == sorted(firsts) and len(set(firsts)) == len(firsts)
    assert CATEGORIES[worth([parse_cards("Ah2d3s4c5h")])[0] >> CATEGORY_SHIFT] == "straight"


def test_the_names_of_suits_and_the_order_of_cards_do_not_matter():
    shuffled = random.Random(1)
    for _ in range(300):
        hand = shuffled.sample(range(52), 7)
        suits = shuffled.sample(range(4), 4)
        other = [4 * (card >> 2) + suits[card & 3] for card in shuffled.sample(hand, 7)]
        assert worth([hand])[0] == worth([other])[0]


def random_hands(n, seed):
    return np.argsort(np.random.default_rng(seed).random((n, 52)), axis=1)[:, :7]


def test_hands_compare_as_eval7_and_phevaluator_say():
    eval7, phevaluator = pytest.importorskip("eval7"), pytest.importorskip("phevaluator")
    hands = random_hands(20_000, 7)
    ours = worth(hands)
    cards = [eval7.Card(card_text(card)) for card in range(52)]
    theirs = np.array([eval7.evaluate([cards[card] for card in hand]) for hand in hands])
    ranks = -np.array([phevaluator.evaluate_cards(*map(int, hand)) for hand in hands[:5000]])  # 4 * rank + suit as well
    for other in (theirs, ranks):
        mine = ours[: len(other)]
        order = np.argsort(mine, kind="stable")
        assert (np.sign(np.diff(mine[order])) == np.sign(np.diff(other[order].astype(np.int64)))).all()


def categories(hands: np.ndarray) -> np.ndarray:
    """How many of the hands i64[n, 7] are in each category."""
    return np.bincount(worth(hands) >> CATEGORY_SHIFT, minlength=9)


def test_all_hands_of_four_ranks_are_counted():
    counts = categories(np.array(list(combinations(range(36, 52), 7))))  # the sixteen cards from the jack up
    two_pairs, quads = 4 * 4 * 6**3, 4 * math.comb(12, 3)
    assert counts.tolist() == [0, 0, two_pairs, 0, 0, 0, math.comb(16, 7) - two_pairs - quads, quads, 0]


@pytest.mark.full
def test_all_seven_card_hands():
    five, counts = np.array(list(combinations(range(52), 5))), np.zeros(9, np.int64)
    for low, high in combinations(range(47), 2):
        rest = five[np.searchsorted(five[:, 0], high, side="right") :]
        counts += categories(np.hstack([np.tile((low, high), (len(rest), 1)), rest]))
    assert counts.tolist() == [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]
