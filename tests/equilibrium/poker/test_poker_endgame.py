"""Endgames: values against brute force, known solutions, and that what is solved cannot be exploited."""

import itertools

import numpy as np
import pytest

from suphx.equilibrium.poker.betting import Sizes
from suphx.equilibrium.poker.boards import hand_strengths
from suphx.equilibrium.poker.cards import PAIR_CARDS, PAIRS, pair_number, parse_cards
from suphx.equilibrium.poker.endgame import Endgame
from suphx.equilibrium.poker.endgame_walk import _strategy_scale
from suphx.equilibrium.poker.hands import BITS, strength

NO_BETS = Sizes((), ())
POT = Sizes.parse("1/a")


def worth(cards):
    return strength(np.bitwise_or.reduce(BITS[np.array(cards)]))


def some_range(*hands):
    weights = np.zeros(PAIRS)
    for hand in hands:
        weights[pair_number(*parse_cards(hand))] = 1
    return weights


def brute_shares(board, own, other):
    """The probability of both hands times what the first wins of a pot of one, half of it its own, on every river."""
    found = np.zeros(PAIRS)
    for one in np.flatnonzero(own):
        for two in np.flatnonzero(other):
            held = {*PAIR_CARDS[one], *PAIR_CARDS[two]}
            if len(held) == 4:
                rivers = [card for card in range(52) if card not in held and card not in board]
                ours = np.array([worth([*board, river, *PAIR_CARDS[one]]) for river in rivers])
                theirs = np.array([worth([*board, river, *PAIR_CARDS[two]]) for river in rivers])
                found[one] += other[two] / other.sum() * np.sign(ours - theirs).mean() / 2
    return found


def test_a_check_down_is_worth_what_brute_force_says():
    board = parse_cards("QsJh2h8c")
    random = np.random.default_rng(5)
    ranges = np.zeros((2, PAIRS))
    for player in (0, 1):
        free = np.flatnonzero(~np.isin(PAIR_CARDS, board).any(1))
        ranges[player, random.choice(free, 12, replace=False)] = random.random(12)
    values = Endgame(board, 3.0, 5.0, ranges, NO_BETS, NO_BETS).values()
    for player in (0, 1):
        own, other = ranges[player], ranges[1 - player]
        np.testing.assert_allclose(values[player][own > 0], brute_shares(board, own, other)[own > 0], atol=1e-6)


def test_nuts_or_air_against_a_bluff_catcher():
    """Pot-sized bet: the better bets all nuts and half as many bluffs, half is called, and he gets 3/4 of the pot."""
    board = parse_cards("AsKs7d7h2c")
    ranges = np.stack([some_range("7s7c", "4c3c"), some_range("AdAc")])
    endgame = Endgame(board, 1.0, 1.0, ranges, POT, Sizes((1.0,), ()))
    *_, reached = endgame.solve(2000, rule="cfr+")
    assert reached < 2e-3
    assert endgame.expected() == pytest.approx((0.75, 0.25), abs=3e-3)
    assert endgame.actions([]) == ["x", "a"]
    first = endgame.strategy([])
    assert first[1, pair_number(*parse_cards("7s7c"))] == pytest.approx(1, abs=0.02)
    assert first[1, pair_number(*parse_cards("4c3c"))] == pytest.approx(0.5, abs=0.02)
    assert endgame.strategy(["a"])[1, pair_number(*parse_cards("AdAc"))] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("rule", ["cfr", "cfr+", "dcfr"])
def test_every_rule_comes_down_and_values_add_up_to_nothing(rule):
    random = np.random.default_rng(3)
    endgame = Endgame(parse_cards("Ts9s4d2c"), 2.0, 3.0, random.random((2, PAIRS)), POT, POT)
    reached = list(endgame.solve(40, rule=rule))
    assert len(reached) == 4 and reached[-1] < reached[0] / 2 and 0 < reached[-1] < {"cfr": 0.05}.get(rule, 0.01)
    assert (endgame.values() * endgame.ranges).sum() == pytest.approx(0, abs=1e-5)


def test_weights_of_next_to_nothing_give_a_strategy():
    weights = np.array([[1e-40, 3e-38, 0, 3, -1], [2e-40, 0, 0, 1, 2]], np.float32)
    scale, rest = np.empty(5, np.float32), np.empty(5, np.float32)
    _strategy_scale(weights, 0, 2, scale, rest)
    shares = np.maximum(weights, 0) * scale + rest
    np.testing.assert_allclose(shares, [[0.5, 1, 0.5, 0.75, 0], [0.5, 0, 0.5, 0.25, 1]], rtol=1e-6)


def test_strengths_on_the_turn_do_not_depend_on_the_names_of_suits():
    board = parse_cards("Qs7s2h2d")
    means = np.nan_to_num(hand_strengths(board)).mean(0)
    for suits in itertools.islice(itertools.permutations(range(4)), 1, 24, 5):
        renamed = [4 * (card >> 2) + suits[card & 3] for card in range(52)]
        other = np.nan_to_num(hand_strengths(sorted(renamed[card] for card in board))).mean(0)
        for pair in range(0, PAIRS, 97):
            moved = pair_number(*(renamed[card] for card in PAIR_CARDS[pair]))
            assert means[pair] == pytest.approx(other[moved], rel=1e-6)
