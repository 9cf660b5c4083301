"""Draw several tenpai hands at once, uniformly over the ways to take all of them from the same tiles.

*Independently.* Draw each hand by itself (`deal_sampling`) and accept the hands only if they have no physical
tile in common. The result is uniform, since all joint choices are equally likely before the rejection. Given the
counts, hands have no tile in common with probability prod_k C(a - t, h) / C(a, h), where earlier hands took t of the a
tiles of a kind.

*Jointly.* If few tiles are unseen, acceptance is rare. Then the hands are counted jointly: the tuple of their nodes is
one state, a symbol is a count for each hand, weighted with the multinomial a! / (h_1! ... h_n! (a - h_1 - ... - h_n)!),
and everything else works as for one hand. With few tiles, few such states can be reached.

Both methods draw from the same distribution, so either may be used: `riichi_hands` chooses by the number of
unseen tiles, and switches from the first to the second after many rejections, which does not bias the result.
"""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.redeal.deal_sampling import CHOOSE, HONOURS_SUIT, SUIT_KINDS, SUITS, draw_hand, draw_unit
from simulator.redeal.tenpai_automaton import COPIES, DEAD
from simulator.tiles import KINDS

# Several nodes, or symbols, are packed into one int64 with this many bits for each hand.
_PART_BITS = 12
_PART = (1 << _PART_BITS) - 1
_EMPTY_SLOT = np.int64(-1)
_FIRST_CAPACITY = 1 << 10
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_LAYERS_OF_SUIT = SUIT_KINDS + 1
#: Order in which the hand's automaton, which treats all suits alike, reads the suits here: the smallest table third.
_READ = np.array([0, 1, 3, 2])


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


class JointCounts(NamedTuple):
    """The number of ways to take several hands from the same tiles."""

    first: np.ndarray
    """i8[41]: layer k of suit s, the states reachable after k of its kinds, begins at index first[10 s + k]."""
    states: np.ndarray
    """i8[states]: packed nodes of the suit's automaton."""
    weights: np.ndarray
    """f8[states]: number of choices of physical tiles that lead to the state."""
    first_slot: np.ndarray
    """i8[41]: like `first`, for `slots`."""
    slots: np.ndarray
    """i8[slots]: an open-addressing table for each layer that maps a state to its number in the layer."""
    labels: np.ndarray
    """f8[4, labels, labels, labels]: ways to give the hands these labels, for each suit in the order of reading."""
    hands: np.ndarray
    """f8[4, nodes, nodes, nodes]: ways to bring the hands to these nodes after reading 0..3 suits; nodes are numbered
    from the first of their level. With two hands the last axis of this and `labels` has length 1."""


@jit
def _useful(automaton, weights, useful):
    """Extend `useful` bool[nodes], already set for finals, to all nodes from which a useful final can be reached."""
    for node in range(automaton.finals - 1, -1, -1):
        level = automaton.level[node]
        for symbol in range(weights.shape[1]):
            after = automaton.after[node, symbol]
            if after != DEAD and weights[level, symbol] > 0.0 and useful[after]:
                useful[node] = True


@jit
def _useful_nodes(automata, counts, melds):
    """Return bool[4, nodes]: the nodes of each suit that lead to a tenpai hand with one of the numbers of melds."""
    hand = automata.hand
    ahead = np.zeros(len(hand.level), np.bool_)
    for n in melds:
        ahead[hand.finals + n] = True
    _useful(hand, counts.labels, ahead)
    useful = np.zeros((SUITS, len(automata.numbers.level)), np.bool_)
    for node in range(hand.finals):
        if ahead[node] and counts.hand[node] > 0.0:
            suit = hand.level[node]
            finals = automata.honours.finals if suit == HONOURS_SUIT else automata.numbers.finals
            for label in range(counts.labels.shape[1]):
                after = hand.after[node, label]
                if after != DEAD and ahead[after]:
                    useful[suit, finals + label] = True
    for suit in range(HONOURS_SUIT):
        _useful(automata.numbers, counts.kinds[SUIT_KINDS * suit : SUIT_KINDS * suit + SUIT_KINDS], useful[suit])
    _useful(automata.honours, counts.kinds[SUIT_KINDS * HONOURS_SUIT :], useful[HONOURS_SUIT])
    return useful


@jit
def _slot_of(slots, keys, key):
    """Return the slot of an open-addressing table that holds the key, or the empty slot where it belongs."""
    mask = len(slots) - 1
    slot = np.int64((np.uint64(key) * _SPREAD) >> np.uint64(32)) & mask
    while slots[slot] != _EMPTY_SLOT and keys[slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def _next_state(automaton, useful, n, state, symbols):
    """Return the packed nodes after each hand has read its symbol; DEAD if one of them is dead or not useful."""
    following = np.int64(0)
    for hand in range(n):
        shift = _PART_BITS * hand
        node = np.int64(automaton.after[state >> shift & _PART, symbols >> shift & _PART])
        if node == DEAD or not useful[node]:
            return np.int64(DEAD)
        following |= node << shift
    return following


@jit
def _next_layer(automaton, useful, n, states, weights, symbols, symbol_weights):
    """Return the packed states that all states reach by all symbols, their weights, and a hash table of the states."""
    keys = np.empty(_FIRST_CAPACITY, np.int64)
    sums = np.empty(_FIRST_CAPACITY)
    slots = np.full(2 * _FIRST_CAPACITY, _EMPTY_SLOT)
    found = 0
    for i in range(len(states)):
        for j in range(len(symbols)):
            key = _next_state(automaton, useful, n, states[i], symbols[j])
            if key == DEAD:
                continue
            slot = _slot_of(slots, keys, key)
            if slots[slot] != _EMPTY_SLOT:
                sums[slots[slot]] += weights[i] * symbol_weights[j]
                continue
            if found == len(keys):
                keys = np.concatenate((keys, np.empty(found, np.int64)))
                sums = np.concatenate((sums, np.empty(found)))
                slots = np.full(4 * found, _EMPTY_SLOT)
                for place in range(found):
                    slots[_slot_of(slots, keys, keys[place])] = place
                slot = _slot_of(slots, keys, key)
            slots[slot] = found
            keys[found] = key
            sums[found] = weights[i] * symbol_weights[j]
            found += 1
    return keys[:found].copy(), sums[:found].copy(), slots


@jit
def _joint_symbols(available, n):
    """Return the ways in which n hands can share `available` copies of a kind: packed counts and their weights."""
    symbols = np.empty((COPIES + 1) ** n, np.int64)
    weights = np.empty((COPIES + 1) ** n)
    found = 0
    for number in range((available + 1) ** n):
        rest, left = number, available
        packed, weight = np.int64(0), 1.0
        for hand in range(n):
            count = rest % (available + 1)
            rest //= available + 1
            if count > left:
                weight = 0.0
                break
            weight *= CHOOSE[left, count]
            left -= count
            packed |= count << _PART_BITS * hand
        if weight > 0.0:
            symbols[found], weights[found] = packed, weight
            found += 1
    return symbols[:found], weights[:found]


@jit
def _count_suits(automata, available, useful, n):
    """Return `first`, `states`, `weights`, `first_slot` and `slots` of JointCounts."""
    first = np.zeros(SUITS * _LAYERS_OF_SUIT + 1, np.int64)
    first_slot = np.zeros(SUITS * _LAYERS_OF_SUIT + 1, np.int64)
    all_states, all_weights, all_slots = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)
    for suit in range(SUITS):
        automaton = automata.honours if suit == HONOURS_SUIT else automata.numbers
        states, weights, slots = np.zeros(1, np.int64), np.ones(1), np.array([0, _EMPTY_SLOT])
        for layer in range(_LAYERS_OF_SUIT):
            number = _LAYERS_OF_SUIT * suit + layer
            kind = SUIT_KINDS * suit + layer - 1
            if kind >= KINDS:
                first[number + 1], first_slot[number + 1] = first[number], first_slot[number]
                continue
            if layer:
                symbols, symbol_weights = _joint_symbols(available[kind], n)
                states, weights, slots = _next_layer(
                    automaton, useful[suit], n, states, weights, symbols, symbol_weights
                )
            first[number + 1] = first[number] + len(states)
            first_slot[number + 1] = first_slot[number] + len(slots)
            all_states = np.concatenate((all_states, states))
            all_weights = np.concatenate((all_weights, weights))
            all_slots = np.concatenate((all_slots, slots))
    return first, all_states, all_weights, first_slot, all_slots


@jit
def _last_layer(suit):
    return _LAYERS_OF_SUIT * suit + (KINDS - SUIT_KINDS * HONOURS_SUIT if suit == HONOURS_SUIT else SUIT_KINDS)


@jit
def _table_of_labels(automaton, first, states, weights, layer, table):
    """Write the weights of a suit's last layer into `table` f8[labels, labels, labels or 1]."""
    for place in range(first[layer], first[layer + 1]):
        labels = _parts(states[place])
        third = labels[2] - automaton.finals if table.shape[2] > 1 else 0
        table[labels[0] - automaton.finals, labels[1] - automaton.finals, third] = weights[place]


@jit
def _parts(packed):
    return packed & _PART, packed >> _PART_BITS & _PART, packed >> 2 * _PART_BITS


@jit
def _start_of_level(automaton, level):
    node = 0
    while automaton.level[node] < level:
        node += 1
    return node


@jit
def _read_suit(automaton, level, table, hands, out):
    """Add to `out` the weights of the hands after reading suit number `level`; `table` has its labels' weights."""
    here, there = _start_of_level(automaton, level), _start_of_level(automaton, level + 1)
    beyond = _start_of_level(automaton, level + 2)
    three = table.shape[2] > 1
    source, symbol = automaton.source, automaton.symbol
    some_labels = np.empty(table.shape[:2], np.bool_)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            some_labels[i, j] = table[i, j].max() > 0.0
    target = np.empty(len(source), np.int64)
    for node in range(there, beyond):
        target[automaton.first[node] : automaton.first[node + 1]] = node - there
    edges = range(automaton.first[there], automaton.first[beyond])
    for one in edges:
        for two in edges:
            if not some_labels[symbol[one], symbol[two]]:
                continue
            before = hands[source[one] - here, source[two] - here]
            ways = table[symbol[one], symbol[two]]
            after = out[target[one], target[two]]
            if not three:
                after[0] += before[0] * ways[0]
            elif before.max() > 0.0:
                for third in edges:
                    after[target[third]] += before[source[third] - here] * ways[symbol[third]]


@jit
def count_joint(automata, available, counts, melds):
    """Return the JointCounts of hands with `melds` i8[2 or 3] from tiles i8[34] whose HandCounts are `counts`."""
    n = len(melds)
    useful = _useful_nodes(automata, counts, melds)
    first, states, weights, first_slot, slots = _count_suits(automata, available, useful, n)
    size = counts.labels.shape[1]
    width = size  # no level of the hand's automaton has more nodes than there are labels
    third = n > 2
    labels = np.zeros((SUITS, size, size, size if third else 1))
    hands = np.zeros((SUITS, width, width, width if third else 1))
    hands[0, 0, 0, 0] = 1.0
    for level in range(SUITS):
        suit = _READ[level]
        automaton = automata.honours if suit == HONOURS_SUIT else automata.numbers
        _table_of_labels(automaton, first, states, weights, _last_layer(suit), labels[level])
        if level < SUITS - 1:
            _read_suit(automata.hand, level, labels[level], hands[level], hands[level + 1])
    return JointCounts(first, states, weights, first_slot, slots, labels, hands)


@jit
def _back_to(automaton, level, counts, nodes, wanted):
    """Add up the weights of the ways in which the hands reach `nodes` by reading suit number `level`.

    Return the sum, and the previous nodes and the labels of the way at which the sum exceeds `wanted` (or the last).
    """
    here = _start_of_level(automaton, level)
    hands, table = counts.hands[level], counts.labels[level]
    first, source, symbol = automaton.first, automaton.source, automaton.symbol
    three = table.shape[2] > 1
    before, labels = (np.int64(-1), np.int64(-1), np.int64(-1)), (np.int64(-1), np.int64(-1), np.int64(-1))
    total = 0.0
    for one in range(first[nodes[0]], first[nodes[0] + 1]):
        for two in range(first[nodes[1]], first[nodes[1] + 1]):
            for third in range(first[nodes[2]], first[nodes[2] + 1]) if three else range(1):
                from_third = np.int64(source[third]) if three else here
                label = np.int64(symbol[third]) if three else np.int64(0)
                part = (
                    hands[source[one] - here, source[two] - here, from_third - here]
                    * table[symbol[one], symbol[two], label]
                )
                if part > 0.0:
                    total += part
                    before = (np.int64(source[one]), np.int64(source[two]), from_third)
                    labels = (np.int64(symbol[one]), np.int64(symbol[two]), label)
                    if total > wanted:
                        return total, before, labels
    return total, before, labels


@jit
def _tenpai_nodes(automata, melds):
    finals = automata.hand.finals
    return finals + melds[0], finals + melds[1], finals + melds[2] if len(melds) > 2 else np.int64(0)


@jit
def number_of_joint_hands(automata, counts, melds):
    """Return the number of ways to take tenpai hands with `melds` i8[n] from the tiles, as a float64."""
    return _back_to(automata.hand, SUITS - 1, counts, _tenpai_nodes(automata, melds), np.inf)[0]


@jit
def _place_of(counts, layer, state):
    """Return the index of a packed state in `counts.states`, or -1 if it is not in the layer."""
    slots = counts.slots[counts.first_slot[layer] : counts.first_slot[layer + 1]]
    number = slots[_slot_of(slots, counts.states[counts.first[layer] :], state)]
    return counts.first[layer] + number if number != _EMPTY_SLOT else np.int64(-1)


@jit
def _step_back(automaton, counts, layer, available, place, stream):
    """Draw how the state at `place` was reached from `layer` by a kind with `available` copies.

    Return the place of the previous state, and how many copies each hand took.
    """
    wanted = draw_unit(stream) * counts.weights[place]
    nodes = _parts(counts.states[place])
    first, source, symbol = automaton.first, automaton.source, automaton.symbol
    three = counts.labels.shape[3] > 1
    before, taken = np.int64(-1), (np.int64(0), np.int64(0), np.int64(0))
    total = 0.0
    for one in range(first[nodes[0]], first[nodes[0] + 1]):
        for two in range(first[nodes[1]], first[nodes[1] + 1]):
            held = np.int64(symbol[one]), np.int64(symbol[two])
            left = available - held[0] - held[1]
            if left < 0:
                continue
            ways = CHOOSE[available, held[0]] * CHOOSE[available - held[0], held[1]]
            pair = np.int64(source[one]) | np.int64(source[two]) << _PART_BITS
            for third in range(first[nodes[2]], first[nodes[2] + 1]) if three else range(1):
                last = np.int64(symbol[third]) if three else np.int64(0)
                state = pair | np.int64(source[third]) << 2 * _PART_BITS if three else pair
                from_place = _place_of(counts, layer, state) if last <= left else np.int64(-1)
                if from_place >= 0:
                    total += counts.weights[from_place] * ways * CHOOSE[left, last]
                    before, taken = from_place, (held[0], held[1], last)
                    if total > wanted:
                        return before, taken
    return before, taken


@jit
def draw_together(automata, available, counts, melds, stream, out):
    """Draw tenpai hands with `melds` i8[n] jointly and uniformly, and write their counts i8[n, 34]; some must exist."""
    n = len(melds)
    nodes = _tenpai_nodes(automata, melds)
    total = number_of_joint_hands(automata, counts, melds)
    for level in range(SUITS - 1, -1, -1):
        suit = _READ[level]
        automaton = automata.honours if suit == HONOURS_SUIT else automata.numbers
        here = _start_of_level(automata.hand, level)
        _, nodes, labels = _back_to(automata.hand, level, counts, nodes, draw_unit(stream) * total)
        total = counts.hands[level, nodes[0] - here, nodes[1] - here, nodes[2] - here]
        packed = np.int64(0)
        for hand in range(n):
            packed |= (automaton.finals + labels[hand]) << _PART_BITS * hand
        layer = _last_layer(suit)
        place = _place_of(counts, layer, packed)
        while layer > _LAYERS_OF_SUIT * suit:
            layer -= 1
            kind = SUIT_KINDS * suit + layer - _LAYERS_OF_SUIT * suit
            place, taken = _step_back(automaton, counts, layer, available[kind], place, stream)
            for hand in range(n):
                out[hand, kind] = taken[hand]


def no_joint_counts() -> JointCounts:
    """Return empty JointCounts, as a placeholder while nothing has been counted."""
    none = np.zeros(0, np.int64)
    return JointCounts(none, none, np.zeros(0), none, none, np.zeros((0, 0, 0, 0)), np.zeros((0, 0, 0, 0)))
