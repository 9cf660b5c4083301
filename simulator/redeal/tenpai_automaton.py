"""A small automaton that reads a hand suit by suit and decides whether it is tenpai: the basis for counting hands.

When tenpai hands are counted, each must be counted once, however many readings it has. So all ways to read a suit
(which runs have begun, whether the pair and the missing tile are used) are followed at the same time: the set of ways
that are still possible is one state, and every vector of counts leads to exactly one state. States that no continuation
distinguishes are merged; about a thousand remain. A suit ends in one of about forty *labels*, which contain everything
that matters to the whole hand, and a second automaton of the same structure reads the labels of the four suits.

Tenpai is defined as in `simulator.shanten`: some kind of which the hand holds fewer than four completes four sets and
a pair (melds count as sets) or, without melds, seven different pairs or thirteen orphans.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from simulator.tiles import TERMINALS_AND_HONORS

HAND_TILES = 13
COPIES = 4
SETS = 4


class Automaton(NamedTuple):
    """A layered automaton: node 0 is the start, nodes are numbered level by level, and the last level is the finals."""

    level: np.ndarray
    """i16[nodes]: how many symbols have been read at the node."""
    first: np.ndarray
    """i32[nodes + 1]: the edges into node n are those from first[n] up to first[n + 1]."""
    source: np.ndarray
    """i16[edges]: the node that an edge comes from."""
    symbol: np.ndarray
    """i16[edges]: the symbol that an edge reads."""
    finals: int
    """Number of the first final node; final f in the caller's order is node finals + f."""


class TenpaiAutomata(NamedTuple):
    """The automata of a hand; the finals of `numbers` and `honors` are the symbols of `hand`."""

    numbers: Automaton
    """Reads the counts 0..4 of the nine kinds of a numbered suit."""
    honors: Automaton
    """Reads the counts of the seven honors."""
    hand: Automaton
    """Reads the labels of the suits m, p, s, z; final number m is tenpai with m melds."""


_Level = dict[Any, dict[int, Any]]  # the states of a level, each with its successors by symbol


def _explore(start: tuple, depth: int, step: Callable[[Any, int], Iterable[tuple[int, tuple]]]) -> list[_Level]:
    """Return the reachable states, level by level."""
    levels: list[_Level] = [{start: {}}]
    for number in range(depth):
        following: _Level = {}
        for state, edges in levels[-1].items():
            for symbol, successor in step(state, number):
                edges[symbol] = successor
                following.setdefault(successor, {})
        levels.append(following)
    return levels


def _minimize(levels: list[_Level], finals: list, final_of: Callable[[Any], Hashable]) -> Automaton:
    """Merge states that lead to the same finals by the same symbols, drop those that lead to none, number the rest."""
    place = {final: index for index, final in enumerate(finals)}
    merged = {state: place[final_of(state)] for state in levels[-1] if final_of(state) in place}
    rows: list[list[tuple[tuple[int, int], ...]]] = []
    for states in reversed(levels[:-1]):
        numbers: dict[tuple[tuple[int, int], ...], int] = {}
        row_of = {}
        for state, edges in states.items():
            row = tuple((symbol, merged[to]) for symbol, to in edges.items() if to in merged)
            if row:
                row_of[state] = numbers.setdefault(row, len(numbers))
        merged = row_of
        rows.insert(0, list(numbers))
    starts = np.cumsum([0] + [len(row) for row in rows])
    nodes = int(starts[-1]) + len(finals)
    level = np.repeat(np.arange(len(rows) + 1), [len(row) for row in rows] + [len(finals)])
    into = sorted(
        (starts[number + 1] + to, starts[number] + node, symbol)
        for number, nodes_of_level in enumerate(rows)
        for node, row in enumerate(nodes_of_level)
        for symbol, to in row
    )
    targets, source, symbols = np.array(into).T
    first = np.searchsorted(targets, np.arange(nodes + 1))
    return Automaton(
        level.astype(np.int16), first.astype(np.int32), source.astype(np.int16), symbols.astype(np.int16),
        int(starts[-1]),
    )  # fmt: skip


# A state of a suit is (number of tiles, ways of reading four sets and a pair, number of singles for seven pairs,
# orphans missing and paired for thirteen orphans); if a form has become impossible, None (for sets, no ways).


def _read_sets(ways: frozenset, count: int, runs: bool) -> frozenset:
    """Return the ways to read a suit after `count` tiles of the next kind.

    A way is (runs begun with this kind, runs begun with the kind before, missing tiles filled in, pairs made). The
    missing tile may be of any kind of which fewer than four are held.
    """
    longer = set()
    for new, old, filled, pairs in ways:
        for fill in range(2 if not filled and count < COPIES else 1):
            for pair in range(1 if pairs else 2):
                for triplet in range(2):
                    begun = count + fill - new - old - 2 * pair - 3 * triplet
                    if begun == 0 or (begun > 0 and runs):
                        longer.add((begun, new, filled + fill, pairs + pair))
    return frozenset(longer)


def _read_pairs(singles: int | None, count: int) -> int | None:
    """Return the number of singles for seven pairs (at most one, which is the wait), or None if that is impossible."""
    if singles is None or count > 2:
        return None
    singles += count == 1
    return singles if singles <= 1 else None


def _read_orphans(orphans: tuple[int, int] | None, count: int, orphan: bool) -> tuple[int, int] | None:
    """Return how many orphans are missing and how many paired; None if more than one of either, or any other tile."""
    if orphans is None or (count and not orphan):
        return None
    missing, paired = orphans
    if orphan:
        missing += count == 0
        paired += max(0, count - 1)
    return (missing, paired) if missing <= 1 and paired <= 1 else None


_EMPTY = (0, frozenset({(0, 0, 0, 0)}), 0, (0, 0))


def _explore_suit(first_kind: int, kinds: int) -> list[_Level]:
    def step(state: tuple, place: int) -> Iterable[tuple[int, tuple]]:
        tiles, ways, singles, orphans = state
        runs = kinds == 9 and place < kinds - 2
        orphan = bool(TERMINALS_AND_HONORS >> (first_kind + place) & 1)
        for count in range(min(COPIES, HAND_TILES - tiles) + 1):
            read = _read_sets(ways, count, runs), _read_pairs(singles, count), _read_orphans(orphans, count, orphan)
            if read[0] or read[1] is not None or read[2] is not None:
                yield count, (tiles + count, *read)

    return _explore(_EMPTY, kinds, step)


def _label(state: tuple) -> Hashable:
    """Return everything about a suit that matters to the hand, or None if the suit makes tenpai impossible."""
    tiles, ways, singles, orphans = state
    sets = frozenset((filled, pairs) for new, old, filled, pairs in ways if new == old == 0)
    return (tiles, sets, singles, orphans) if sets or singles is not None or orphans is not None else None


def _explore_hand(labels: list) -> list[_Level]:
    # A state keeps every (missing tiles filled in, pairs made) with which the suits read so far are sets otherwise.
    def step(state: tuple, _: int) -> Iterable[tuple[int, tuple]]:
        tiles, parts, singles, orphans = state
        for symbol, (more, sets, more_singles, more_orphans) in enumerate(labels):
            if tiles + more > HAND_TILES:
                continue
            both = frozenset((f + g, p + q) for f, p in parts for g, q in sets if f + g <= 1 and p + q <= 1)
            no_pairs = singles is None or more_singles is None or singles + more_singles > 1
            pairs = None if no_pairs else singles + more_singles
            rest = None
            if orphans is not None and more_orphans is not None:
                rest = orphans[0] + more_orphans[0], orphans[1] + more_orphans[1]
                rest = rest if max(rest) <= 1 else None
            if both or pairs is not None or rest is not None:
                yield symbol, (tiles + more, both, pairs, rest)

    return _explore((0, frozenset({(0, 0)}), 0, (0, 0)), 4, step)


def _melds_if_tenpai(state: tuple) -> int | None:
    """Return the number of melds that a tenpai hand of this size has, or None if the hand is not tenpai."""
    tiles, parts, singles, orphans = state
    melds, over = divmod(HAND_TILES - tiles, 3)
    if over:
        return None
    # Thirteen tiles with one single have six pairs; thirteen orphan tiles are tenpai if as many are missing as paired.
    special = melds == 0 and (singles == 1 or orphans in ((0, 0), (1, 1)))
    return melds if (1, 1) in parts or special else None


@cache
def get_automata() -> TenpaiAutomata:
    """Return the automata, built once per process (in a tenth of a second). Do not modify them."""
    numbers, honors = _explore_suit(0, 9), _explore_suit(27, 7)
    distinct: set[Any] = {_label(state) for states in (numbers, honors) for state in states[-1]} - {None}
    labels = sorted(distinct, key=lambda label: (label[0], sorted(label[1]), str(label[2:])))
    hand = _minimize(_explore_hand(labels), list(range(SETS + 1)), _melds_if_tenpai)
    return TenpaiAutomata(_minimize(numbers, labels, _label), _minimize(honors, labels, _label), hand)
