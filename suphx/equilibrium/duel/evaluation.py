"""How good a table of nodes is: the paper's measure over fixed deals, and a response that no opponent knows in advance.

All plays of the abstract game on fixed deals are one forest, so that any policy is evaluated exactly on them by
sweeps over arrays.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from simulator.jit import jit
from simulator.lookup import get_lookup
from suphx.equilibrium.duel.abstraction import BENCHMARK, FITTING, KEYS, NODE, PLANS, DuelRules, deal, grow
from suphx.equilibrium.duel.nodes import Nodes
from suphx.equilibrium.duel.patterns import NORMAL, PAIRS, PONGS
from suphx.equilibrium.duel.table import new_duels
from suphx.errors import InputError
from suphx.intervals import half_width

#: Deals that are grown between two reports of progress.
_BATCH = 250
#: Standard errors by which a response must seem better than the normal plan.
_SURE = 2.0


@dataclass(frozen=True)
class Forest:
    """The trees of many deals, one after the other; children are counted from the first node of all."""

    rules: DuelRules
    nodes: np.ndarray
    """NODE[n]."""
    roots: np.ndarray
    """i64[deals]."""


@jit
def _grow_all(lookup, seed, stream, first, last, mask, four_as_two, duels, nodes, sizes):
    """Grow the trees of deals into nodes NODE[any]; return how many nodes those are."""
    total = 0
    for number in range(first, last):
        deal(seed, stream, number, four_as_two, duels[0])
        size = grow(lookup, duels, mask, nodes[total:])
        for k in range(total, total + size):
            for plan in range(PLANS):
                nodes[k]["child"][plan] += total if nodes[k]["child"][plan] >= 0 else 0
        sizes[number - first] = size
        total += size
    return total


def forest_of(
    rules: DuelRules, seed: int, stream: int, deals: int, tell: Callable[[int], None] = lambda done: None
) -> Forest:
    """Return all plays of deals that depend on a seed and a stream; `tell(done)` gets how many are grown."""
    duels, room = new_duels(rules.most_nodes), np.zeros(_BATCH * rules.most_nodes, NODE)
    parts, sizes = list[np.ndarray](), np.zeros(deals, np.int64)
    for first in range(0, deals, _BATCH):
        last = min(first + _BATCH, deals)
        size = _grow_all(get_lookup(), np.uint64(seed), stream, first, last, rules.mask, rules.four_as_two, duels, room,
                         sizes[first:last])  # fmt: skip
        part, before = room[:size].copy(), sum(map(len, parts))
        part["child"] += np.where(part["child"] >= 0, before, 0).astype(np.int32)
        parts.append(part)
        tell(last)
    return Forest(rules, np.concatenate(parts), np.concatenate([[0], sizes.cumsum()[:-1]]))


@jit
def _values(nodes, policy, values):
    """Write what every node is worth to seat 0 by the policy f64[n, 3] there."""
    for k in range(len(nodes) - 1, -1, -1):
        values[k] = nodes[k]["payoff"]
        for plan in range(PLANS):
            if policy[k, plan] > 0:
                values[k] += policy[k, plan] * values[nodes[k]["child"][plan]]


@jit
def _reach(nodes, policy, seat, reach):
    """Write the probability with which a seat's own choices lead to each node; reach f64[n] holds 1 at the roots."""
    for k in range(len(nodes)):
        for plan in range(PLANS):
            child = nodes[k]["child"][plan]
            if child >= 0:
                reach[child] = reach[k] * (policy[k, plan] if nodes[k]["seat"] == seat else 1.0)


def values_of(forest: Forest, policy: np.ndarray) -> np.ndarray:
    """Return f64[n]: what every node is worth to seat 0."""
    values = np.empty(len(forest.nodes))
    _values(forest.nodes, policy, values)
    return values


def policy_on(forest: Forest, nodes: Nodes, average: bool = False) -> np.ndarray:
    """Return f64[n, 3]: the policy of a table (see `Nodes.policies`) at each node of a forest, 0 at ends."""
    keys = forest.nodes["key"]
    policy, inner = np.zeros((len(keys), PLANS)), keys >= 0
    policy[inner] = nodes.policies(keys[inner], average)
    return policy


def _with_choices(forest: Forest, policy: np.ndarray, seat: int, choice: np.ndarray) -> np.ndarray:
    """Return the policy with the seat's replaced by choices i8[KEYS]; normal where a choice is not legal."""
    changed, nodes = policy.copy(), forest.nodes
    own = np.flatnonzero((nodes["key"] >= 0) & (nodes["seat"] == seat))
    chosen = choice[nodes["key"][own]]
    chosen = np.where(nodes["child"][own, chosen] >= 0, chosen, NORMAL)
    changed[own] = np.eye(PLANS)[chosen]
    return changed


def best_of_plans(forest: Forest, policy: np.ndarray, seed: int) -> np.ndarray:
    """Return f64[deals]: what the best of the three fixed plans wins, on average over both seats (equation 8).

    As in the paper, the policy plays once against each plan, its choices drawn, and the best result in each deal
    counts. Who takes the best has seen the deal and the draws, but has only three ways to play: this is above or below
    the exploitability, and bounds it on neither side.
    """
    best, random = np.zeros(len(forest.roots)), np.random.default_rng(seed)
    inner, sums = forest.nodes["key"] >= 0, policy.cumsum(axis=1)
    for seat, sign in ((0, 1.0), (1, -1.0)):
        won = []
        for plan in range(PLANS):
            drawn = (sums <= random.random((len(policy), 1))).sum(axis=1)
            pure = np.eye(PLANS)[np.minimum(drawn, PLANS - 1)] * inner[:, None]
            played = _with_choices(forest, pure, seat, np.full(KEYS, plan))
            won.append(sign * values_of(forest, played)[forest.roots])
        best += np.max(won, axis=0) / 2
    return best


def best_response(forest: Forest, policy: np.ndarray, seat: int) -> np.ndarray:
    """Return choices i8[KEYS] of a seat that win the most on these deals, from the last turn to the first.

    Each choice knows its key alone, like the table that it plays against. A plan other than the normal one is chosen
    where it wins more by `_SURE` standard errors at least, so that noise in few deals is not taken for an advantage.
    """
    nodes, choice = forest.nodes, np.full(KEYS, NORMAL, np.int8)
    sign, reach = 1.0 if seat == 0 else -1.0, np.ones(len(nodes))
    _reach(nodes, policy, 1 - seat, reach)
    own = (nodes["key"] >= 0) & (nodes["seat"] == seat)
    for turn in reversed(forest.rules.turns):
        values = sign * values_of(forest, _with_choices(forest, policy, seat, choice))
        here = np.flatnonzero(own & (nodes["key"] & 63 == turn))
        keys, place = np.unique(nodes["key"][here], return_inverse=True)
        child, most = nodes["child"][here], np.zeros(len(keys))
        for plan in (PONGS, PAIRS):
            legal = child[:, plan] >= 0
            gains = reach[here] * (values[child[:, plan]] - values[child[:, NORMAL]]) * legal
            gain = np.bincount(place, gains, len(keys)) - _SURE * np.sqrt(np.bincount(place, gains**2, len(keys)))
            choice[keys[gain > most]] = plan
            most = np.maximum(most, gain)
    return choice


@dataclass(frozen=True)
class DuelEvaluation:
    """Points a game, with half-widths of 95 % intervals over deals."""

    best_of_plans: float
    """The paper's measure, of the policy by regrets, which it plays."""
    best_of_plans_half_width: float
    lower_bound: float
    """What responses to the same policy, fitted on other deals, win: at most its exploitability, up to the interval."""
    lower_bound_half_width: float
    average_lower_bound: float
    """The same of the average policy, of which CFR's theory speaks."""
    average_lower_bound_half_width: float


class Benchmark:
    """The deals that a table is evaluated on, and as many others that responses are fitted on."""

    def __init__(self, rules: DuelRules, deals: int, seed: int = 0, tell: Callable[[int], None] | None = None) -> None:
        """Grow the trees; `tell(done)` gets how many of 2 * deals there are."""
        report = tell or (lambda done: None)
        self._seed = seed
        self._scored = forest_of(rules, seed, BENCHMARK, deals, report)
        self._fitted = forest_of(rules, seed, FITTING, deals, lambda done: report(deals + done))

    def evaluate(self, nodes: Nodes) -> DuelEvaluation:
        """Evaluate a table."""
        plans = best_of_plans(self._scored, policy_on(self._scored, nodes), self._seed)
        by_regrets, averaged = self._won_by_responses(nodes, False), self._won_by_responses(nodes, True)
        return DuelEvaluation(*(f(each) for each in (plans, by_regrets, averaged) for f in (_mean, half_width)))

    def won_by_normal(self, nodes: Nodes) -> tuple[float, float]:
        """Return what the normal plan in every turn wins against the policy by regrets, and the half-width."""
        normal = np.full(KEYS, NORMAL, np.int8)
        won = self._won(policy_on(self._scored, nodes), [normal, normal])
        return _mean(won), half_width(won)

    def _won_by_responses(self, nodes: Nodes, average: bool) -> np.ndarray:
        policy, fitted = policy_on(self._scored, nodes, average), policy_on(self._fitted, nodes, average)
        return self._won(policy, [best_response(self._fitted, fitted, seat) for seat in (0, 1)])

    def _won(self, policy: np.ndarray, choices: list[np.ndarray]) -> np.ndarray:
        """Return f64[deals]: what the choices i8[KEYS] of each seat win there, on average over both seats."""
        won = np.zeros(len(self._scored.roots))
        for seat, sign in ((0, 0.5), (1, -0.5)):
            played = _with_choices(self._scored, policy, seat, choices[seat])
            won += sign * values_of(self._scored, played)[self._scored.roots]
        return won


def _mean(values: np.ndarray) -> float:
    return float(values.mean())


def read_curves(path: Path) -> list[dict[str, Any]]:
    """Read what `suphx duel train --json` printed, a line for each training.

    Raises:
        InputError: a line is something else, or without a curve (`--epoch`).
    """
    names, trainings = ("iterations", *(field.name for field in fields(DuelEvaluation))), list[dict[str, Any]]()
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        try:
            curve = json.loads(line)["curve"]
            numbers = np.array([[point[name] for name in names] for point in curve], np.float64)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not what `suphx duel train --json` prints") from error
        if not len(numbers) or not np.isfinite(numbers).all():
            raise InputError(f"{path}:{number}: the training has no curve; it needs --epoch")
        trainings.append({"curve": curve})
    if not trainings:
        raise InputError(f"{path}: no training in it")
    return trainings
