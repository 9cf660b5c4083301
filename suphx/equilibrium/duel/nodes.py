"""The nodes that CFR has met: regrets and strategies by key, their training, and their file (npz, never a pickle)."""

import hashlib
import sys
from functools import cache
from pathlib import Path

import numpy as np

from simulator.jit import jit
from simulator.lookup import get_lookup
from suphx.equilibrium.duel.abstraction import (
    KEYS,
    NODE,
    PLANS,
    TRAINING,
    DuelRules,
    deal,
    features_of,
    grow,
    options_of,
)
from suphx.equilibrium.duel.table import HAND_TILES, new_duels
from suphx.equilibrium.npz import read_arrays, save_arrays
from suphx.errors import InputError

#: The data of a key.
ROW = np.dtype(
    [
        ("key", "i4"),
        ("at", "i8"),  # the iteration that `policy` is of
        ("regret", "f8", PLANS),  # sum of counterfactual regrets
        ("strategy", "f8", PLANS),  # sum of policies, weighted by the own reach
        ("policy", "f8", PLANS),
    ]
)
_HASHED_DEALS = 32
#: Numbers of a point of the curve.
CURVE = 8


@jit
def _match(regret, options, policy):
    """Write the policy of regret matching (the paper's equations 5 and 6)."""
    total = 0.0
    for plan in range(PLANS):
        total += max(regret[plan], 0.0) if plan < options else 0.0
    for plan in range(PLANS):
        if plan >= options:
            policy[plan] = 0.0
        else:
            policy[plan] = max(regret[plan], 0.0) / total if total > 0 else 1.0 / options


@jit
def _row_of(key, options, iteration, rows, slots, count):
    """Return the number of a key's row, made if it is new, with the policy of this iteration."""
    if slots[key] < 0:
        slots[key] = count[0]
        rows[count[0]]["key"] = key
        count[0] += 1
    row = rows[slots[key]]
    if row["at"] != iteration:
        row["at"] = iteration
        _match(row["regret"], options, row["policy"])
    return slots[key]


@jit
def _update(nodes, iteration, rows, slots, count, reach, values):
    """Update the regrets of both players on the tree of one deal; reach f64[any, 2] and values f64[any] are room."""
    reach[0, :] = 1.0
    for k in range(len(nodes)):
        node = nodes[k]
        if node["key"] < 0:
            continue
        options = PLANS if node["child"][PLANS - 1] >= 0 else PLANS - 1
        policy = rows[_row_of(node["key"], options, iteration, rows, slots, count)]["policy"]
        for plan in range(options):
            child = node["child"][plan]
            reach[child, :] = reach[k]
            reach[child, node["seat"]] *= policy[plan]
    for k in range(len(nodes) - 1, -1, -1):
        node = nodes[k]
        if node["key"] < 0:
            values[k] = node["payoff"]
            continue
        row, seat, value = rows[slots[node["key"]]], node["seat"], 0.0
        for plan in range(PLANS):
            if node["child"][plan] >= 0:
                value += row["policy"][plan] * values[node["child"][plan]]
        values[k] = value
        weight = reach[k, 1 - seat] if seat == 0 else -reach[k, 1 - seat]
        for plan in range(PLANS):
            if node["child"][plan] >= 0:
                row["regret"][plan] += weight * (values[node["child"][plan]] - value)
                row["strategy"][plan] += reach[k, seat] * row["policy"][plan]


@jit
def _train(lookup, seed, iterations, mask, four_as_two, rows, slots, count, duels, nodes, reach, values):
    """Do more iterations, each on a deal of its own that depends on the seed and its number.

    count i64[2]: rows, iterations done.
    """
    for iteration in range(count[1] + 1, count[1] + iterations + 1):
        deal(seed, TRAINING, iteration, four_as_two, duels[0])
        size = grow(lookup, duels, mask, nodes)
        _update(nodes[:size], iteration, rows, slots, count, reach, values)
        count[1] = iteration


@cache
def game_hash(rules: DuelRules) -> str:
    """Return a hash of the abstract game: of the trees of some deals, so that any change to its play shows."""
    duels, nodes = new_duels(rules.most_nodes), np.zeros(rules.most_nodes, NODE)
    digest = hashlib.sha256(f"Rules(turns={rules.turns!r}, four_as_two={rules.four_as_two!r})".encode())
    for number in range(_HASHED_DEALS):
        deal(0, TRAINING, number, rules.four_as_two, duels[0])
        digest.update(nodes[: grow(get_lookup(), duels, rules.mask, nodes)].tobytes())
    return digest.hexdigest()[:16]


class Nodes:
    """The table of one training.

    Args:
        rules: the abstract game.
        seed: of the deals.
    """

    def __init__(self, rules: DuelRules | None = None, seed: int = 0) -> None:
        self.rules, self.seed = rules or DuelRules(), seed
        self._rows = np.zeros(self.rules.most_keys, ROW)
        self._slots, self._count = np.full(KEYS, -1, np.int32), np.zeros(2, np.int64)
        self.curve = np.zeros((0, CURVE))
        """f64[n, CURVE]: iterations, nodes, and the fields of each evaluation."""
        most = self.rules.most_nodes
        self._room = new_duels(most), np.zeros(most, NODE), np.zeros((most, 2)), np.zeros(most)

    @property
    def rows(self) -> np.ndarray:
        """ROW[n], in the order in which they were met."""
        return self._rows[: self._count[0]]

    @property
    def iterations(self) -> int:
        """How many iterations were done."""
        return int(self._count[1])

    def train(self, iterations: int) -> None:
        """Do n more iterations of chance-sampled CFR."""
        _train(get_lookup(), np.uint64(self.seed), iterations, self.rules.mask, self.rules.four_as_two, self._rows,
               self._slots, self._count, *self._room)  # fmt: skip

    def policies(self, keys: np.ndarray, average: bool = False) -> np.ndarray:
        """Return the policies f64[n, 3] at keys i[n]: by regret matching, as the paper plays, or averaged.

        Uniform over what is legal where there is no positive regret, or no sum of policies.
        """
        slots, whole = self._slots[keys], ((keys >> 12 & 15) + (keys >> 16 & 15)) == HAND_TILES + 1
        sums = self._rows["strategy" if average else "regret"][slots]
        weights = np.where(slots[:, None] >= 0, np.maximum(sums, 0), 0)
        weights[weights.sum(1) == 0] = 1
        weights[~whole, PLANS - 1] = 0
        return weights / weights.sum(1, keepdims=True)

    def sums(self, key: int) -> tuple[list[float], list[float]]:
        """Return the sums of regrets and of policies at a key, 0 where CFR has not been."""
        slot = self._slots[key]
        if slot < 0:
            return [0.0] * PLANS, [0.0] * PLANS
        return self._rows["regret"][slot].tolist(), self._rows["strategy"][slot].tolist()

    def row(self, key: int) -> np.void:
        """Return the row of a key.

        Raises:
            InputError: it is no key, or CFR has not been there.
        """
        features_of(key)
        if self._slots[key] < 0:
            raise InputError(f"node {key} was not met in {self.iterations:,} iterations")
        return self._rows[self._slots[key]]

    def _fill(self, parts: dict[str, np.ndarray]) -> None:
        """Take over what a file holds, or raise InputError."""
        keys, n = parts["key"], len(parts["key"])
        if n > self.rules.most_keys or len(np.unique(keys)) != n:
            raise InputError(f"{n:,} nodes: there are duplicates, or more than {self.rules.most_keys:,}")
        for key, sums in zip(keys.tolist(), parts["strategy"], strict=True):
            if features_of(key).turn not in self.rules.turns:
                raise InputError(f"node {key} is of turn {features_of(key).turn}, in which nothing is chosen")
            if (sums < 0).any() or sums[options_of(key) :].any():
                raise InputError(f"node {key} has a sum of policies that is negative, or of an illegal plan")
        if not 0 <= parts["iterations"] < sys.maxsize // 2:
            raise InputError(f"{parts['iterations']} iterations")
        for name in ("key", "regret", "strategy"):
            self._rows[name][:n] = parts[name]
        self._slots[keys], self._count[:] = np.arange(n), (n, parts["iterations"])
        self.curve = parts["curve"]

    def save(self, path: Path) -> None:
        """Write an npz file whole, from which training goes on exactly as if it had not stopped."""
        rules = self.rules
        parts = {"game": game_hash(rules), "turns": rules.turns, "four_as_two": rules.four_as_two,
                 "seed": np.uint64(self.seed), "iterations": self.iterations, "curve": self.curve}  # fmt: skip
        parts |= {name: self.rows[name] for name in ("key", "regret", "strategy")}
        save_arrays(path, {name: np.array(part) for name, part in parts.items()})


#: What a file of nodes must hold: kind of number, and shape; N is the number of nodes, M that of points of the curve.
_PARTS = {"game": ("U", ""), "turns": ("i", "T"), "four_as_two": ("b", ""), "seed": ("u", ""), "iterations": ("i", ""),
          "key": ("i", "N"), "regret": ("f", "N3"), "strategy": ("f", "N3"), "curve": ("f", f"M{CURVE}")}  # fmt: skip


def load_nodes(path: Path) -> Nodes:
    """Read the file of a training. Nothing in it is trusted, and nothing is unpickled.

    Raises:
        InputError: it is no such file, or belongs to another game.
    """
    parts = _read(path)
    try:
        rules = DuelRules(tuple(parts["turns"].tolist()), bool(parts["four_as_two"]))
        if str(parts["game"]) != game_hash(rules):
            raise InputError("it belongs to another game or version; train again")
        nodes = Nodes(rules, int(parts["seed"]))
        nodes._fill(parts)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return nodes


def _read(path: Path) -> dict[str, np.ndarray]:
    parts = read_arrays(path, _PARTS)
    sizes: dict[str, int] = {"3": PLANS, str(CURVE): CURVE}
    for name, (kind, shape) in _PARTS.items():
        part = parts[name]
        shape_of_part = [sizes.setdefault(letter, size) for letter, size in zip(shape, part.shape, strict=False)]
        if part.dtype.kind != kind or len(shape) != part.ndim or shape_of_part != list(part.shape):
            raise InputError(f"{path}: {name!r} is {part.dtype}{list(part.shape)}, which does not fit the rest")
        if kind == "f" and not np.isfinite(part).all():
            raise InputError(f"{path}: {name!r} has numbers that are not finite")
    return parts
