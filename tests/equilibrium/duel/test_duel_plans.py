"""What a hand lacks for each pattern, and the best discards, against trying out everything."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from simulator.jit import jit
from simulator.lookup import KEY_STEP, get_lookup
from simulator.tiles import parse_counts
from suphx.equilibrium.duel.patterns import KINDS, NORMAL, PAIRS, PONGS, missing, tally_of
from suphx.equilibrium.duel.plans import best_discard
from suphx.equilibrium.duel.table import DUEL

LOOKUP = get_lookup()


@cache
def goals(plan: int, melds: int, four_as_two: bool) -> np.ndarray:
    """All complete hands u8[n, 16] of a pattern, by kind."""
    if plan == PAIRS:
        choose = itertools.combinations_with_replacement if four_as_two else itertools.combinations
        blocks = [[(kind, kind) for kind in chosen] for chosen in choose(range(16), 7)]
    else:
        runs = [(k, k + 1, k + 2) for k in range(7)] if plan == NORMAL else []
        sets = runs + [(k, k, k) for k in range(16)]
        blocks = [
            [*chosen, (pair, pair)]
            for chosen in itertools.combinations_with_replacement(sets, 4 - melds)
            for pair in range(16)
        ]
    flat = np.array([list(itertools.chain(*each)) for each in blocks]) + 16 * np.arange(len(blocks))[:, None]
    counts = np.bincount(flat.ravel(), minlength=16 * len(blocks)).reshape(-1, 16).astype(np.uint8)
    return np.unique(counts[(counts <= 4).all(1)], axis=0)


@jit
def least(hand, goals):
    """The fewest tiles that a hand u8[16] lacks for any of the goals."""
    best = 99
    for goal in goals:
        lacks = 0
        for kind in range(16):
            if goal[kind] > hand[kind]:
                lacks += goal[kind] - hand[kind]
                if lacks >= best:
                    break
        best = min(best, lacks)
    return best


@jit
def differences(lookup, hands, plan, melds, four, goals):
    """How many hands u8[n, 34] lack something else than trying out says."""
    wrong, keys, small = 0, np.zeros(2, np.int64), np.zeros(16, np.uint8)
    for hand in hands:
        keys[:] = 0
        for k in range(16):
            small[k] = hand[KINDS[k]]
            keys[KINDS[k] // 27] += small[k] * KEY_STEP[KINDS[k]]
        wrong += missing(lookup, plan, keys, tally_of(hand), melds, four) != least(small, goals)
    return wrong


def random_hands(count: int, tiles: int, seed: int) -> np.ndarray:
    """Hands u8[count, 34]; half of them of few kinds, so that sets and pairs are common."""
    random, hands = np.random.default_rng(seed), np.zeros((count, 34), np.uint8)
    for number, hand in enumerate(hands):
        kinds = KINDS if number % 2 else random.choice(KINDS, max(5, (tiles + 1) // 2), replace=False)
        np.add.at(hand, random.permutation(np.repeat(kinds, 4))[:tiles], 1)
    return hands


CASES = [(NORMAL, melds, True) for melds in range(5)] + [(PONGS, melds, True) for melds in range(5)]
CASES += [(PAIRS, 0, True), (PAIRS, 0, False)]


def compare(plan, melds, four, count):
    wanted = goals(plan, melds, four)
    for extra in (1, 2):
        hands = random_hands(count, 12 - 3 * melds + extra, seed=extra)
        assert differences(LOOKUP, hands, plan, melds, four, wanted) == 0


@pytest.mark.parametrize("plan, melds, four", CASES)
def test_what_a_hand_lacks(plan, melds, four):
    compare(plan, melds, four, 300)


@pytest.mark.full
@pytest.mark.parametrize("plan, melds, four", CASES)
def test_what_100_000_hands_lack(plan, melds, four):
    compare(plan, melds, four, 50_000)


def record_of(hand: np.ndarray, opened: np.ndarray):
    duel = np.zeros(1, DUEL)[0]
    duel["hand"][0], duel["open"], duel["four_as_two"] = hand, opened, True
    for kind in KINDS:
        duel["keys"][0][kind // 27] += int(hand[kind]) * int(KEY_STEP[kind])
    return duel


@pytest.mark.parametrize("plan, melds", [(NORMAL, 0), (NORMAL, 2), (PONGS, 0), (PONGS, 2), (PAIRS, 0)])
def test_a_discard_leaves_the_fewest_missing_and_then_the_most_help(plan, melds):
    wanted, random = goals(plan, melds, True), np.random.default_rng(3)
    for hand in random_hands(5, 14 - 3 * melds, seed=8):
        others = np.repeat(KINDS, 4 - hand[KINDS].astype(int))
        opened = np.bincount(random.permutation(others)[:20], minlength=34).astype(np.uint8)
        found = {}
        for kind in np.flatnonzero(hand):
            left = hand.copy()
            left[kind] -= 1
            now, helps = least(left[KINDS], wanted), 0
            for draw in KINDS:
                left[draw] += 1
                if left[draw] <= 4 and least(left[KINDS], wanted) < now:
                    helps += 4 - int(opened[draw]) - int(hand[draw])
                left[draw] -= 1
            found[int(kind)] = (int(now), -helps)
        lacks, helps, kind = best_discard(LOOKUP, record_of(hand, opened), 0, plan, melds)
        assert (lacks, -helps) == min(found.values()) == found[kind]


def test_neither_seven_different_pairs_nor_orphans_count_as_normal():
    """`simulator.shanten` takes the nearest of all forms; a plan asks for its own."""
    hand = parse_counts("1122335577m1122z")
    keys = record_of(hand, np.zeros(34, np.uint8))["keys"][0]
    assert missing(LOOKUP, PAIRS, keys, tally_of(hand), 0, True) == 0
    assert missing(LOOKUP, NORMAL, keys, tally_of(hand), 0, True) == 2
    orphans = parse_counts("1199m1234567777z")
    keys = record_of(orphans, np.zeros(34, np.uint8))["keys"][0]
    assert missing(LOOKUP, NORMAL, keys, tally_of(orphans), 0, True) == 5
