"""The public tree of a heads-up endgame: who may do what on the turn and on the river, as flat arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from suphx.errors import InputError

#: What a node is: a decision of player 0 (first to act) or 1, or an end.
FIRST, SECOND, FOLDED, SHOWDOWN, LINE = range(5)
ALL_IN = "a"
#: Nodes that a street may have.
MOST_NODES = 50_000


@dataclass(frozen=True)
class Sizes:
    """Bet sizes of a street: fractions of the pot after a call, or `a` for all-in; the same for both players."""

    bets: tuple[float | str, ...]
    raises: tuple[float | str, ...]

    @classmethod
    def parse(cls, text: str) -> Sizes:
        """Read sizes such as `0.5,1,a` (bets and raises), or `1,a/a` (bets / raises); InputError for another word."""
        first, _, second = text.partition("/")
        return cls(_read(first, text), _read(second if "/" in text else first, text))

    def text(self) -> str:
        """Return the sizes as `parse` reads them."""
        return "/".join(",".join(str(size) for size in sizes) for sizes in (self.bets, self.raises))


def _read(words: str, text: str) -> tuple[float | str, ...]:
    sizes: list[float | str] = []
    for word in filter(None, (word.strip() for word in words.split(","))):
        try:
            size: float | str = ALL_IN if word == ALL_IN else float(word)
        except ValueError:
            raise InputError(f"{text!r}: unknown bet size {word!r}; write a part of the pot, or a for all-in") from None
        if size != ALL_IN and not 0 < float(size) <= 100:
            raise InputError(f"{text!r}: a bet is more than 0 and at most 100 pots, not {word}")
        sizes.append(size)
    return tuple(sizes)


class Betting(NamedTuple):
    """The arrays of a tree. Nodes are in the order of play: parents come before their children."""

    kind: np.ndarray
    """i32[nodes]."""
    first_edge: np.ndarray
    """i32[nodes + 1]: the edges of a node, one for each action, are first_edge[node] to first_edge[node + 1] - 1."""
    child: np.ndarray
    """i32[edges]."""
    rows: np.ndarray
    """i32[2, nodes]: for each player the node with the opponent's reach here, which only the opponent changes."""
    amount: np.ndarray
    """f32[nodes]: at ends, the chips that change hands, half of the starting pot included."""
    folded: np.ndarray
    """i32[nodes]: who folded, or -1."""
    folds: np.ndarray
    """i32[]: the nodes that are FOLDED; `showdowns` and `lines` likewise."""
    showdowns: np.ndarray
    lines: np.ndarray


class BettingTree:
    """A tree of one street's betting; nodes in the order of play, so that parents come before their children.

    The end of the turn is a LINE, on which a river is dealt; the last street ends in folds and showdowns. Actions are
    labeled `f` fold, `x` check, `c` call, `a` all-in, `b50` or `r50` bet or raise of half a pot.
    """

    def __init__(self, last_street: bool) -> None:
        self._last = last_street
        self._kind: list[int] = []
        self._edges: list[list[tuple[str, int]]] = []
        self._amount: list[float] = []
        self._folded: list[int] = []

    def grow(self, sizes: Sizes, pot: float, stack: float) -> int:
        """Add the betting from a pot and the stack behind of both players, and return its root."""
        if stack <= 0:
            return self._street_end(0.0, pot)
        return self._decision(sizes, 0, (0.0, 0.0), 0.0, pot, stack, True)

    def _node(self, kind: int, amount: float = 0.0, folded: int = -1) -> int:
        if len(self._kind) == MOST_NODES:
            raise InputError(f"the public tree has more than {MOST_NODES:,} nodes: give fewer bet sizes")
        self._kind.append(kind)
        self._edges.append([])
        self._amount.append(amount)
        self._folded.append(folded)
        return len(self._kind) - 1

    def _street_end(self, put: float, pot: float) -> int:
        return self._node(SHOWDOWN if self._last else LINE, pot / 2 + put)

    def _decision(
        self, sizes: Sizes, mover: int, put: tuple[float, float], raised: float, pot: float, stack: float, opens: bool
    ) -> int:
        """Add a decision: put: what both put in on this street; raised: the last bet or raise; opens: nobody acted."""
        node = self._node(mover)
        own, other = put[mover], put[1 - mover]
        edges = self._edges[node]
        if other > own:
            edges.append(("f", self._node(FOLDED, pot / 2 + own, mover)))
            edges.append(("c", self._street_end(other, pot)))
        elif opens:
            edges.append(("x", self._decision(sizes, 1 - mover, put, 0.0, pot, stack, False)))
        else:
            edges.append(("x", self._street_end(own, pot)))
        if other < stack:
            wanted: dict[float, str] = {}
            for size in sizes.raises if other > own else sizes.bets:
                to = stack if size == ALL_IN else other + max(float(size) * (pot + 2 * other), raised)
                if to >= stack:
                    wanted.setdefault(stack, "a")
                else:
                    wanted.setdefault(to, f"{'r' if other > own else 'b'}{100 * float(size):g}")
            for to, label in sorted(wanted.items()):
                after = (to, other) if mover == 0 else (other, to)
                edges.append((label, self._decision(sizes, 1 - mover, after, to - other, pot, stack, False)))
        return node

    def close(self) -> Betting:
        """Return the arrays; nothing is added afterwards."""
        kind = np.array(self._kind, np.int32)
        first_edge = np.cumsum([0] + [len(edges) for edges in self._edges]).astype(np.int32)
        child = np.array([node for edges in self._edges for _, node in edges], np.int32)
        rows = np.tile(np.arange(len(kind), dtype=np.int32), (2, 1))
        for node in range(len(kind)):
            if kind[node] in (FIRST, SECOND):
                reached = child[first_edge[node] : first_edge[node + 1]]
                rows[kind[node], reached] = rows[kind[node], node]
        ends = (np.flatnonzero(kind == end).astype(np.int32) for end in (FOLDED, SHOWDOWN, LINE))
        amount, folded = np.array(self._amount, np.float32), np.array(self._folded, np.int32)
        return Betting(kind, first_edge, child, rows, amount, folded, *ends)

    def kind(self, node: int) -> int:
        """Return what a node is."""
        return self._kind[node]

    def labels(self, node: int) -> list[str]:
        """Return the actions of a decision."""
        return [label for label, _ in self._edges[node]]

    def edges(self, node: int) -> slice:
        """Return the numbers of a decision's edges."""
        first = sum(map(len, self._edges[:node]))
        return slice(first, first + len(self._edges[node]))

    def follow(self, node: int, labels: Sequence[str]) -> int:
        """Return the node that actions lead to; InputError names the action that there is not."""
        for at, label in enumerate(labels):
            if label not in self.labels(node):
                there = ", ".join(self.labels(node)) or "none"
                raise InputError(f"{'-'.join(labels)}: no action {label!r} after {at} actions; there are {there}")
            node = dict(self._edges[node])[label]
        return node
