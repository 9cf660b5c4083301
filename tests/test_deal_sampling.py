"""Tenpai hands drawn from few tiles, against full enumeration: one hand, and several at once."""

import itertools
from collections import Counter
from math import comb

import numpy as np
import pytest
from frequencies import check_frequencies

from simulator.lookup import get_lookup
from simulator.redeal.deal_sampling import (
    count_hands,
    draw_apart,
    draw_hand,
    draw_in_turns,
    new_counts,
    number_of_hands,
    open_stream,
)
from simulator.redeal.tenpai_automaton import get_automata
from simulator.shanten import waits
from simulator.tiles import KINDS, parse_counts

LOOKUP, AUTOMATA = get_lookup(), get_automata()


def counts_of(available):
    counts = new_counts(AUTOMATA)
    count_hands(AUTOMATA, available, counts)
    return counts


def hands_of(available, size):
    """Every hand of `size` tiles that `available` i8[34] allows: counts, and choices of physical tiles."""
    kinds = np.flatnonzero(available)
    for counts in itertools.product(*(range(available[kind] + 1) for kind in kinds)):
        if sum(counts) == size:
            hand = np.zeros(KINDS, np.int64)
            hand[kinds] = counts
            yield hand, np.prod([comb(int(available[kind]), int(hand[kind])) for kind in kinds])


def tenpai_hands(available, n_melds):
    for hand, ways in hands_of(available, 13 - 3 * n_melds):
        if waits(LOOKUP, hand.astype(np.uint8), n_melds):
            yield hand, ways


def joint_tenpai_hands(available, melds):
    if not melds:
        yield (), 1
        return
    for hand, ways in tenpai_hands(available, melds[0]):
        for others, other_ways in joint_tenpai_hands(available - hand, melds[1:]):
            yield (tuple(hand), *others), ways * other_ways


REMAINDERS = [
    ("112233445566778p", 0),  # many readings, seven pairs among them
    ("1199m1199p1199s123456z", 0),  # thirteen orphans, seven pairs
    ("1112345678999m456s", 0),
    ("0555m3344p2266s1133z7z", 0),
    ("222333444m0556p77z", 1),
    ("11123455567s1122z", 2),
    ("1122334m56p11555z", 3),
    ("1113579m2468p1112z", 4),
    ("1111p2222p3333p44p", 3),  # a hand never waits for a fifth tile
]


@pytest.mark.parametrize(("tiles", "n_melds"), REMAINDERS)
def test_one_hand(tiles, n_melds):
    available = parse_counts(tiles).astype(np.int64)
    weights = {tuple(hand): ways for hand, ways in tenpai_hands(available, n_melds)}
    counts = counts_of(available)
    assert number_of_hands(AUTOMATA, counts, n_melds) == sum(weights.values())
    stream, hand, seen = open_stream(np.uint64(1)), np.zeros(KINDS, np.int64), Counter()
    for _ in range(20_000):
        draw_hand(AUTOMATA, counts, n_melds, stream, hand)
        seen[tuple(hand)] += 1
    check_frequencies(seen, weights)


DEALS = [
    ("11223345567m1123z", (3, 2)),
    ("1112223344m567p111z", (3, 3)),
    ("112233556m1199p17z", (4, 3, 3)),
    ("11122233344455m", (3, 3, 4)),
]


def check_deals(draw, counts, available, melds, draws):
    """Hold draws of several hands against all that there are."""
    weights = dict(joint_tenpai_hands(available, melds))
    seen, stream, melds = Counter(), open_stream(np.uint64(2)), np.array(melds)
    hands = np.zeros((len(melds), KINDS), np.int64)
    for _ in range(draws):
        while not draw(AUTOMATA, available, counts, melds, stream, hands):
            pass
        seen[tuple(map(tuple, hands))] += 1
    check_frequencies(seen, weights)


@pytest.mark.parametrize(("tiles", "melds"), DEALS)
def test_several_hands(tiles, melds):
    available = parse_counts(tiles).astype(np.int64)
    check_deals(draw_apart, counts_of(available), available, melds, 6_000)


@pytest.mark.parametrize(
    ("tiles", "melds", "draws"),
    [
        ("1112233344m", (3, 4), 500),  # few hands: each draw counts what the hands before it have left
        *(pytest.param(*deal, 6_000, marks=pytest.mark.full) for deal in DEALS),
    ],
)
def test_several_hands_in_turns(tiles, melds, draws):
    check_deals(draw_in_turns, new_counts(AUTOMATA), parse_counts(tiles).astype(np.int64), melds, draws)


def test_the_number_of_tenpai_hands():
    """Of ten tiles of one suit, all 36 tiles being there: by brute force over their counts."""
    available = np.zeros(KINDS, np.int64)
    available[:9] = 4
    found = sum(ways for _, ways in tenpai_hands(available, 1))
    assert number_of_hands(AUTOMATA, counts_of(available), 1) == found
