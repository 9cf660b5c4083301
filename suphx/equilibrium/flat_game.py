"""A game as flat arrays, built once: information sets, sequences, payoffs by sequence, and the tree of histories.

A sequence is an action in an information set, with all earlier actions of the same player.
Sequences 0 to players - 1 are the empty ones; after them come the actions of each information set, side by side.
"""

import hashlib
from array import array
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from suphx.equilibrium.game import CHANCE, END, ExtensiveGame, chance_of
from suphx.equilibrium.kernels import Arrays, GameTree
from suphx.errors import InputError

MAX_NODES = 20_000_000
_BYTES_PER_NODE = 150  # while it is built, measured on pocket mahjong


@dataclass(frozen=True)
class FlatGame:
    """A game as arrays, with the names that people know its information sets and actions by."""

    players: int
    arrays: Arrays
    tree: GameTree
    names: list[str]  # of information sets
    labels: list[list[str]]  # of their actions
    zero_sum: bool
    game: ExtensiveGame

    @property
    def infosets(self) -> int:
        """How many information sets there are."""
        return len(self.names)

    @property
    def sequences(self) -> int:
        """How many sequences there are, the empty ones too."""
        return int(self.arrays.first[-1])

    def owner(self, infoset: int) -> int:
        """Return whose information set this is."""
        return int(np.searchsorted(self.arrays.begin, infoset, side="right")) - 1

    def place(self, infoset: int) -> slice:
        """Return where an information set's actions stand in an array by sequence."""
        return slice(int(self.arrays.first[infoset]), int(self.arrays.first[infoset + 1]))

    def find(self, name: str) -> int:
        """Return the information set of that name; InputError if there is none, or more than one."""
        matches = [k for k, each in enumerate(self.names) if each == name]
        if len(matches) != 1:
            raise InputError(f"{len(matches) or 'no'} information sets are named {name!r}")
        return matches[0]

    def uniform(self) -> np.ndarray:
        """Return the policy that plays every action alike, f64[S]."""
        widths = np.diff(self.arrays.first)
        return np.concatenate([np.ones(self.players), np.repeat(1 / widths, widths)])

    def key(self) -> str:
        """Return a short hash of the game, by which a saved policy knows its own."""
        digest = hashlib.sha256("\0".join(self.names).encode())
        for part in (self.arrays.begin, self.arrays.first, self.arrays.parent, self.arrays.value):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]


class _Sets:
    """The information sets of one player while the game is read."""

    def __init__(self) -> None:
        self.index: dict[Hashable, int] = {}
        self.by_name: dict[Hashable, tuple[int, Any]] = {}
        self.names: list[str] = []
        self.times: dict[str, int] = {}
        self.labels: list[list[str]] = []
        self.parent, self.first = array("q"), array("q", [1])  # the empty sequence is 0

    def of(self, seen: Hashable, parent: int, labels: list, complete: bool, state: Any) -> int:
        key, texts = (seen, parent), list(map(str, labels))
        number = self.index.get(key)
        if number is None:
            if complete:
                before, other = self.by_name.setdefault(seen, (parent, state))
                if before != parent:
                    raise InputError(
                        f"imperfect recall in information set {seen}: {other} and {state} come after "
                        "different decisions of the same player"
                    )
            number = self.index[key] = len(self.names)
            again = self.times[str(seen)] = self.times.get(str(seen), 0) + 1
            name = str(seen) if again == 1 else f"{seen} ({again})"  # after other decisions of the same player
            self.names.append(name)
            self.labels.append(texts)
            self.parent.append(parent)
            self.first.append(self.first[-1] + len(labels))
        elif texts != self.labels[number]:
            raise InputError(f"actions differ inside information set {self.names[number]}: {labels} in {state!r:.80}")
        return number


def flat(game: ExtensiveGame, max_nodes: int = MAX_NODES, tell: Callable[[int], None] | None = None) -> FlatGame:
    """Return a game as arrays. Takes about 25 us a node; `tell` gets the number of nodes so far.

    InputError if it has more than `max_nodes` nodes, or does not keep to the protocol.
    """
    n = game.players
    complete = getattr(game, "complete_names", False)
    sets = [_Sets() for _ in range(n)]
    mover_of, set_of, child, width = (array(kind, [0]) for kind in "bqqi")
    ends, meet_mover, meet_of, meet_by = (array(kind) for kind in "qbqq")
    chance, end_chance, payoffs, meet_chance = array("d", [1.0]), array("d"), array("d"), array("d")
    stack: list[tuple[int, Any, tuple[int, ...], float]] = [(0, game.root(), (0,) * n, 1.0)]
    count = 1
    while stack:
        node, state, sequences, reach = stack.pop()
        mover = game.mover(state)
        mover_of[node] = mover
        if mover == END:
            child[node] = len(end_chance)
            won = [float(each) for each in game.payoffs(state)]
            if len(won) != n or not all(np.isfinite(won)):
                raise InputError(f"payoffs {won} for {n} players in {state!r:.80}")
            ends.extend(sequences)
            end_chance.append(reach)
            payoffs.extend(won)
            continue
        if mover == CHANCE:
            outcomes = chance_of(game, state)
        elif 0 <= mover < n:
            labels = list(game.actions(state))
            if not labels:
                raise InputError(f"player {mover} has no action in {state!r:.80}")
            own = sets[mover]
            number = own.of(game.seen(state), sequences[mover], labels, complete, state)
            set_of[node] = number
            first = own.first[number]
            meet_mover.append(mover)
            meet_of.append(number)
            meet_by.extend(sequences)
            meet_chance.append(reach)
            outcomes = [(label, 1.0) for label in labels]
        else:
            raise InputError(f"{mover} is no player, in {state!r:.80}")
        child[node], width[node] = count, len(outcomes)
        count += len(outcomes)
        if count > max_nodes:
            raise InputError(
                f"the game has more than {max_nodes:,} nodes ({count:,} so far; building takes about "
                f"{count * _BYTES_PER_NODE / 2**30:.1f} GB); allow more with --max-nodes"
            )
        for a, (label, probability) in enumerate(outcomes):
            for each in (mover_of, set_of, child, width):
                each.append(0)
            chance.append(probability)
            if probability == 0:
                mover_of[-1], child[-1] = END, 0  # never reached: stands for any end
                continue
            after = sequences
            if mover >= 0:
                after = (*sequences[:mover], first + a, *sequences[mover + 1 :])
            stack.append((count - len(outcomes) + a, game.next(state, label), after, reach * probability))
        if tell is not None and not node % 4096:
            tell(count)
    return _joined(game, sets, (mover_of, set_of, child, width, chance), (ends, end_chance, payoffs),
                   (meet_mover, meet_of, meet_by, meet_chance))  # fmt: skip


def _joined(game: ExtensiveGame, sets: list[_Sets], nodes: tuple, ended: tuple, meetings: tuple) -> FlatGame:
    """Number the sets and sequences of all players together, and gather payoffs and meetings by sequence."""
    n = game.players
    begin = np.concatenate([[0], np.cumsum([len(each.names) for each in sets])]).astype(np.int64)
    widths = np.concatenate([np.diff(np.array(each.first, np.int64)) for each in sets])
    first = np.concatenate([[n], n + np.cumsum(widths)]).astype(np.int64)
    shift = [int(first[begin[p]]) - 1 for p in range(n)]  # from a player's own number of a sequence to the common one

    def common(p: int, own: np.ndarray) -> np.ndarray:
        return np.where(own == 0, p, own + shift[p])

    parent = np.concatenate([common(p, np.array(each.parent, np.int64)) for p, each in enumerate(sets)])
    ends, end_chance, payoffs = (np.array(each) for each in ended)
    ends, payoffs = ends.reshape(-1, n), payoffs.reshape(-1, n)
    by = np.stack([common(p, ends[:, p]) for p in range(n)], axis=1)
    sequences = int(first[-1])
    by, weighted = _merged(by, payoffs * end_chance[:, None])
    keep = np.any(weighted != 0, axis=1)
    row, column, value = _by_owner(by[keep], weighted[keep], sequences)
    met, met_by, met_chance = _meetings(begin, common, *(np.array(each) for each in meetings))
    mover_of, set_of, child, width, chance = (np.array(each) for each in nodes)
    kind = np.where(mover_of >= 0, set_of + begin[np.maximum(mover_of, 0)], mover_of).astype(np.int32)
    arrays = Arrays(begin, first, parent, _shares(begin, first, parent), row, column, value, met, met_by, met_chance)
    tree = GameTree(kind, child, chance, payoffs, width.astype(np.int32))
    return FlatGame(
        players=n,
        arrays=arrays,
        tree=tree,
        names=[name for each in sets for name in each.names],
        labels=[labels for each in sets for labels in each.labels],
        zero_sum=bool(np.all(np.abs(payoffs.sum(axis=1)) <= 1e-9 * np.maximum(1, np.abs(payoffs).max(axis=1)))),
        game=game,
    )


def _merged(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows of `keys` in order, and the sums of `values` [rows, any] over equal ones."""
    order = np.lexsort(keys.T[::-1])
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.concatenate([[True], np.any(keys[1:] != keys[:-1], axis=1)]))
    return keys[starts], np.add.reduceat(values, starts, axis=0)


def _by_owner(by: np.ndarray, values: np.ndarray, sequences: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return payoffs as sparse rows by each player's sequence: row starts, the others' sequences, values."""
    n = by.shape[1]
    owners = by.T.reshape(-1)
    others = np.concatenate([np.delete(by, p, axis=1) for p in range(n)])
    order = np.argsort(owners, kind="stable")
    row = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=sequences))]).astype(np.int64)
    return row, others[order].astype(np.int32).reshape(-1), values.T.reshape(-1)[order]


def _meetings(
    begin: np.ndarray, common: Callable, mover: np.ndarray, of: np.ndarray, by: np.ndarray, chance: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    columns = enumerate(by.reshape(-1, len(begin) - 1).T)
    keys = np.stack([begin[mover] + of, *(common(p, column) for p, column in columns)], axis=1)
    keys, chances = _merged(keys, chance[:, None])
    met = np.concatenate([[0], np.cumsum(np.bincount(keys[:, 0], minlength=begin[-1]))]).astype(np.int64)
    return met, keys[:, 1:].astype(np.int32).reshape(-1), chances[:, 0]


def _shares(begin: np.ndarray, first: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Return for each action 1 + the last actions behind it, as shares of the information set."""
    size = np.ones(first[-1])
    leads_on = np.zeros(first[-1], bool)
    leads_on[parent] = True
    for k in range(len(parent) - 1, -1, -1):  # children before parents
        place = slice(first[k], first[k + 1])
        size[parent[k]] += np.where(leads_on[place], size[place] - 1, 1).sum()
    for k in range(len(parent)):
        size[first[k] : first[k + 1]] /= size[first[k] : first[k + 1]].sum()
    return size
