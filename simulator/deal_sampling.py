"""Tenpai hands drawn uniformly from given tiles: by counting along the automata of `simulator.tenpai_automaton`.

Of the unseen tiles a_k are of kind k. A hand with h_k tiles of each kind is made by prod_k C(a_k, h_k) choices of
physical tiles. Reading counts along an automaton, the weight of a node is the sum of these products over
all counts that lead to it: one pass over the edges. Each count vector leads to exactly one node, so each hand counts
once. Going back from a final, edge by edge with probability proportional to what came by it, draws a count
vector with probability proportional to its product, and physical copies chosen evenly then make all hands equally
likely. Labels of suits, weighted the same way, are the symbols that the whole hand is drawn from.

Weights are float64, all of them sums and products of non-negative numbers: probabilities are right to about 1e-13.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.tenpai_automaton import COPIES, TenpaiAutomata
from simulator.tiles import KINDS
from simulator.wall import below, mix2

SUITS = 4
SUIT_KINDS = 9
HONOURS_SUIT = 3

#: CHOOSE[n, k] ways to choose k of n copies.
CHOOSE = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]], np.float64)


class Stream(NamedTuple):
    """Counter-based random numbers: a value depends on the key and on how many came before, and nothing else."""

    state: np.ndarray
    """u8[2]: key, and how many numbers have been drawn."""


@jit
def open_stream(key):
    """Return the stream of a uint64 key, at its start."""
    state = np.zeros(2, np.uint64)
    state[0] = key
    return Stream(state)


@jit
def draw_below(stream, n):
    """Return an integer 0..n-1 (bias under n / 2^32)."""
    stream.state[1] += np.uint64(1)
    return below(stream.state[0], stream.state[1], n)


@jit
def draw_unit(stream):
    """Return a float64 in [0, 1), a multiple of 2^-53."""
    stream.state[1] += np.uint64(1)
    return np.float64(np.int64(mix2(stream.state[0], stream.state[1]) >> np.uint64(11))) * 2.0**-53


@jit
def shuffle(stream, tiles, n):
    """Put the first n elements into a uniformly random order."""
    for i in range(n - 1):
        j = i + draw_below(stream, n - i)
        swap = tiles[i]
        tiles[i] = tiles[j]
        tiles[j] = swap


class HandCounts(NamedTuple):
    """The weight of every node, for tiles that hands are to be drawn from."""

    kinds: np.ndarray
    """f8[34, 5]: choices of physical tiles for each count of a kind."""
    suits: np.ndarray
    """f8[4, nodes]: weight of the nodes of each suit's automaton."""
    suit_sums: np.ndarray
    """f8[4, edges]: of the edges into a node, the weights so far added up."""
    labels: np.ndarray
    """f8[4, labels]: weight of each suit's labels."""
    hand: np.ndarray
    """f8[nodes]: weight of the nodes of the hand's automaton; final m has the number of tenpai hands with m melds."""
    hand_sums: np.ndarray
    """f8[edges]: as `suit_sums`."""


@jit
def _weigh(automaton, weights, reached, sums):
    """Fill `reached` f8[nodes] with the summed weights of all paths to each node; `weights` f8[levels, symbols].

    `sums` f8[edges] gets the running sums over the edges into each node, which a draw searches.
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
    """Draw a path to `node` with probability proportional to its weight; write its symbols, one for each level."""
    for level in range(automaton.level[node] - 1, -1, -1):
        low = np.int64(automaton.first[node])
        high = np.int64(automaton.first[node + 1]) - 1
        wanted = draw_unit(stream) * sums[high]
        while low < high:  # the first edge whose sum exceeds `wanted`: one of positive weight
            middle = (low + high) >> 1
            if sums[middle] > wanted:
                high = middle
            else:
                low = middle + 1
        symbols[level] = automaton.symbol[low]
        node = np.int64(automaton.source[low])


def new_counts(automata: TenpaiAutomata) -> HandCounts:
    """Return HandCounts of no tiles, to be filled by `count_hands`."""
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
    """Fill the HandCounts for tiles given as their number i8[34] of each kind."""
    for kind in range(KINDS):
        for count in range(COPIES + 1):
            counts.kinds[kind, count] = CHOOSE[available[kind], count]
    for suit in range(SUITS):
        automaton = automata.honours if suit == HONOURS_SUIT else automata.numbers
        _weigh(automaton, counts.kinds[SUIT_KINDS * suit :], counts.suits[suit], counts.suit_sums[suit])
        for label in range(counts.labels.shape[1]):
            counts.labels[suit, label] = counts.suits[suit, automaton.finals + label]
    _weigh(automata.hand, counts.labels, counts.hand, counts.hand_sums)


@jit
def number_of_hands(automata, counts, n_melds):
    """Return how many tenpai hands (sets of physical tiles) there are with so many melds, as a float64."""
    return counts.hand[automata.hand.finals + n_melds]


@jit
def draw_hand(automata, counts, n_melds, stream, out):
    """Write the counts i8[34] of a uniformly drawn tenpai hand; there must be one."""
    labels = np.empty(SUITS, np.int64)
    _trace_back(automata.hand, counts.hand_sums, automata.hand.finals + n_melds, stream, labels)
    for suit in range(SUITS):
        automaton = automata.honours if suit == HONOURS_SUIT else automata.numbers
        _trace_back(
            automaton, counts.suit_sums[suit], automaton.finals + labels[suit], stream, out[SUIT_KINDS * suit :]
        )
