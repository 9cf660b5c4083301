"""Draw tenpai hands uniformly from given tiles, by counting along the automata of `simulator.redeal.tenpai_automaton`.

Let a_k of the unseen tiles be of kind k. A hand with h_k tiles of each kind can be chosen from the physical tiles in
prod_k C(a_k, h_k) ways. The weight of an automaton's node is the sum of these products over all count vectors that lead
to it, computed in one pass over the edges. Each count vector leads to exactly one node, so each hand is counted once.
Tracing back from a final node, edge by edge, with probabilities proportional to the weights that the edges contribute,
draws a count vector with probability proportional to its product; choosing physical copies uniformly then makes all
hands equally likely. The labels of the suits, weighted in the same way, are the symbols of the whole hand's automaton.

Several hands are drawn apart and accepted only if they have no physical tile in common (`draw_apart`). The result is
uniform, since all joint choices are equally likely before the rejection. Given the counts, hands have no tile in common
with probability prod_k C(a - t, h) / C(a, h), where earlier hands took t of the a tiles of a kind. If few tiles are
unseen, acceptance is rare; then hands are drawn in turns (`draw_in_turns`).

Weights are float64, and all are sums and products of non-negative numbers: probabilities are accurate to about 1e-13.
"""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.redeal.tenpai_automaton import COPIES, TenpaiAutomata
from simulator.tiles import KINDS
from simulator.walls import below, mix2

SUITS = 4
SUIT_KINDS = 9
HONORS_SUIT = 3

#: How often `draw_in_turns` draws each hand.
_TURNS = 64
#: CHOOSE[n, k] is the number of ways to choose k of n copies.
CHOOSE = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]], np.float64)


class Stream(NamedTuple):
    """Counter-based random numbers: a value depends only on the key and on how many were drawn before."""

    state: np.ndarray
    """u8[2]: key, and how many numbers have been drawn."""


@jit
def open_stream(key):
    """Return a new stream with a uint64 key."""
    state = np.zeros(2, np.uint64)
    state[0] = key
    return Stream(state)


@jit
def draw_below(stream, n):
    """Return a random integer 0..n-1 (bias below n / 2^32)."""
    stream.state[1] += np.uint64(1)
    return below(stream.state[0], stream.state[1], n)


@jit
def draw_unit(stream):
    """Return a random float64 in [0, 1), a multiple of 2^-53."""
    stream.state[1] += np.uint64(1)
    return np.float64(np.int64(mix2(stream.state[0], stream.state[1]) >> np.uint64(11))) * 2.0**-53


@jit
def shuffle(stream, tiles, n):
    """Put the first n elements into a uniformly random order."""
    for i in range(n - 1):
        j = i + draw_below(stream, n - i)
        tiles[i], tiles[j] = tiles[j], tiles[i]


class HandCounts(NamedTuple):
    """The weights of all nodes, for the tiles from which hands are drawn."""

    kinds: np.ndarray
    """f8[34, 5]: number of choices of physical tiles for each count of a kind."""
    suits: np.ndarray
    """f8[4, nodes]: weights of the nodes of each suit's automaton."""
    suit_sums: np.ndarray
    """f8[4, edges]: running sums of the weights of the edges into each node."""
    labels: np.ndarray
    """f8[4, labels]: weights of each suit's labels."""
    hand: np.ndarray
    """f8[nodes]: weights of the hand automaton's nodes; that of final m is the number of tenpai hands with m melds."""
    hand_sums: np.ndarray
    """f8[edges]: like `suit_sums`, for the hand's automaton."""


@jit
def _weigh(automaton, weights, reached, sums):
    """Write the summed weights of all paths to each node into `reached` f8[nodes]; `weights` is f8[levels, symbols].

    `sums` f8[edges] gets the running sums over the edges into each node, which `_trace_back` searches.
    """
    reached[0] = 1.0
    for node in range(1, len(automaton.level)):
        level = automaton.level[node] - 1
        total = 0.0
        for edge in range(automaton.first[node], automaton.first[node + 1]):
            total += reached[automaton.source[edge]] * weights[level, automaton.symbol[edge]]
            sums[edge] = total
        reached[node] = total


@jit
def _trace_back(automaton, sums, node, stream, symbols):
    """Draw a path to `node` with probability proportional to its weight; write its symbols, one per level."""
    for level in range(automaton.level[node] - 1, -1, -1):
        low = np.int64(automaton.first[node])
        high = np.int64(automaton.first[node + 1]) - 1
        wanted = draw_unit(stream) * sums[high]
        while low < high:  # find the first edge whose sum exceeds `wanted`; its weight is positive
            middle = (low + high) >> 1
            if sums[middle] > wanted:
                high = middle
            else:
                low = middle + 1
        symbols[level] = automaton.symbol[low]
        node = np.int64(automaton.source[low])


def new_counts(automata: TenpaiAutomata) -> HandCounts:
    """Return empty HandCounts, to be filled by `count_hands`."""
    numbers, hand = automata.numbers, automata.hand
    return HandCounts(
        np.zeros((KINDS, COPIES + 1)),
        np.zeros((SUITS, len(numbers.level))),
        np.zeros((SUITS, len(numbers.source))),
        np.zeros((SUITS, len(numbers.level) - numbers.finals)),
        np.zeros(len(hand.level)),
        np.zeros(len(hand.source)),
    )


@jit
def count_hands(automata, available, counts):
    """Fill in the HandCounts for the tiles `available`, given as numbers i8[34] of each kind."""
    for kind in range(KINDS):
        for count in range(COPIES + 1):
            counts.kinds[kind, count] = CHOOSE[available[kind], count]
    for suit in range(SUITS):
        automaton = automata.honors if suit == HONORS_SUIT else automata.numbers
        _weigh(automaton, counts.kinds[SUIT_KINDS * suit :], counts.suits[suit], counts.suit_sums[suit])
        for label in range(counts.labels.shape[1]):
            counts.labels[suit, label] = counts.suits[suit, automaton.finals + label]
    _weigh(automata.hand, counts.labels, counts.hand, counts.hand_sums)


@jit
def number_of_hands(automata, counts, n_melds):
    """Return the number of tenpai hands (sets of physical tiles) with `n_melds` melds, as a float64."""
    return counts.hand[automata.hand.finals + n_melds]


@jit
def draw_hand(automata, counts, n_melds, stream, out):
    """Draw a tenpai hand uniformly and write its counts into `out` i8[34]; there must be at least one hand."""
    labels = np.empty(SUITS, np.int64)
    _trace_back(automata.hand, counts.hand_sums, automata.hand.finals + n_melds, stream, labels)
    for suit in range(SUITS):
        automaton = automata.honors if suit == HONORS_SUIT else automata.numbers
        _trace_back(
            automaton, counts.suit_sums[suit], automaton.finals + labels[suit], stream, out[SUIT_KINDS * suit :]
        )


@jit
def draw_apart(automata, available, counts, melds, stream, out):
    """Draw hands independently and write their counts i8[n, 34]; return whether they have no tile in common."""
    taken = np.zeros(KINDS, np.int64)
    for hand in range(len(melds)):
        draw_hand(automata, counts, melds[hand], stream, out[hand])
        chance = 1.0
        for kind in range(KINDS):
            held = out[hand, kind]
            if held and taken[kind]:
                chance *= CHOOSE[available[kind] - taken[kind], held] / CHOOSE[available[kind], held]
            taken[kind] += held
        if chance < 1.0 and draw_unit(stream) >= chance:
            return False
    return True


@jit
def draw_in_turns(automata, available, counts, melds, stream, out):
    """Draw hands with no tile in common, each again and again from what the others leave (Gibbs sampling).

    This takes as long however few tiles are unseen. `counts` is overwritten; `out` i8[n, 34] gets the hands. Return
    False if the first of them leave no hand for the others. After so many turns the draw hardly depends on how it
    began: of the ways to take such hands from the tiles, all are nearly equally likely.
    """
    out[:] = 0
    left = available.copy()
    for _ in range(_TURNS):
        for hand in range(len(melds)):
            left += out[hand]
            count_hands(automata, left, counts)
            if number_of_hands(automata, counts, melds[hand]) == 0.0:
                return False
            draw_hand(automata, counts, melds[hand], stream, out[hand])
            left -= out[hand]
    return True
