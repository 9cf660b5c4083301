"""CFR against a recursion that is written out; evaluation against games that are played; going on exactly."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from simulator.lookup import get_lookup
from suphx.equilibrium.duel.abstraction import (
    BENCHMARK,
    KEYS,
    NODE,
    PLANS,
    TRAINING,
    DuelRules,
    advance,
    choose,
    deal,
    features_of,
    grow,
    key_of,
)
from suphx.equilibrium.duel.evaluation import (
    Benchmark,
    _with_choices,
    best_of_plans,
    best_response,
    forest_of,
    policy_on,
    values_of,
)
from suphx.equilibrium.duel.nodes import Nodes, game_hash, load_nodes
from suphx.equilibrium.duel.table import OVER, new_duels, payoff
from suphx.equilibrium.duel.training import train
from suphx.intervals import half_width

LOOKUP, RULES = get_lookup(), DuelRules()


def tree(rules: DuelRules, seed: int, number: int) -> np.ndarray:
    duels, nodes = new_duels(rules.most_nodes), np.zeros(rules.most_nodes, NODE)
    deal(seed, TRAINING, number, rules.four_as_two, duels[0])
    return nodes[: grow(LOOKUP, duels, rules.mask, nodes)]


def reference(iterations: int, seed: int):
    """The paper's section 1 as a recursion; nodes by key."""
    regret, strategy = defaultdict(lambda: np.zeros(PLANS)), defaultdict(lambda: np.zeros(PLANS))

    def match(key, options):
        positive = np.maximum(regret[key][:options], 0)
        return positive / positive.sum() if positive.sum() > 0 else np.full(options, 1 / options)

    for iteration in range(1, iterations + 1):
        nodes, changes = tree(RULES, seed, iteration), defaultdict(lambda: np.zeros(PLANS))

        def walk(k, reach, nodes=nodes, changes=changes):
            node = nodes[k]
            if node["key"] < 0:
                return float(node["payoff"])
            key, seat = int(node["key"]), int(node["seat"])
            children = [child for child in node["child"] if child >= 0]
            policy = match(key, len(children))
            after = [tuple(r * p if s == seat else r for s, r in enumerate(reach)) for p in policy]
            worth = np.array([walk(*each) for each in zip(children, after, strict=True)])
            value = float(policy @ worth)
            sign = 1 if seat == 0 else -1
            changes[key][: len(children)] += sign * reach[1 - seat] * (worth - value)
            strategy[key][: len(children)] += reach[seat] * policy
            return value

        walk(0, (1.0, 1.0))
        for key, change in changes.items():
            regret[key] += change
    return regret, strategy


def test_regrets_and_strategies_are_those_of_the_recursion():
    nodes = Nodes(seed=5)
    nodes.train(40)
    regret, strategy = reference(40, 5)
    assert set(nodes.rows["key"].tolist()) == set(strategy)
    for row in nodes.rows:
        assert row["regret"] == pytest.approx(regret[int(row["key"])], abs=1e-9)
        assert row["strategy"] == pytest.approx(strategy[int(row["key"])], abs=1e-9)


@pytest.fixture(scope="module")
def trained() -> Nodes:
    nodes = Nodes(seed=1)
    nodes.train(1000)
    return nodes


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return Benchmark(RULES, 500, 0)


def test_policies_are_distributions_over_what_is_legal(trained):
    keys = np.arange(KEYS)
    for average in (False, True):
        found = trained.policies(keys, average)
        assert found.sum(1) == pytest.approx(1) and found.min() >= 0
        whole = (keys >> 12 & 15) + (keys >> 16 & 15) == 14
        assert not found[~whole, PLANS - 1].any() and found[whole, PLANS - 1].any()


def played(rules: DuelRules, number: int, choices: list[np.ndarray]) -> int:
    """What seat 0 wins when both seats choose by key."""
    duel = new_duels(1)[0]
    deal(3, BENCHMARK, number, rules.four_as_two, duel)
    advance(LOOKUP, duel, rules.mask)
    while duel["phase"] != OVER:
        seat = int(duel["mover"])
        chosen = int(choices[seat][key_of(duel, seat)])
        choose(duel, 0 if chosen == PLANS - 1 and duel["melds"][seat] else chosen)
        advance(LOOKUP, duel, rules.mask)
    return int(payoff(duel))


def test_values_of_a_forest_are_those_of_games():
    forest, random = forest_of(RULES, 3, BENCHMARK, 300), np.random.default_rng(1)
    choices = [random.integers(PLANS, size=KEYS).astype(np.int8) for _ in range(2)]
    policy = np.zeros((len(forest.nodes), PLANS))
    for seat, choice in enumerate(choices):
        policy = _with_choices(forest, policy, seat, choice)
    found = values_of(forest, policy)[forest.roots]
    assert found.tolist() == [played(RULES, number, choices) for number in range(300)]


def test_the_best_of_plans_is_the_best_of_games():
    forest, normal = forest_of(RULES, 3, BENCHMARK, 100), np.zeros(KEYS, np.int8)
    policy = _with_choices(forest, np.zeros((len(forest.nodes), PLANS)), 0, normal)
    policy = _with_choices(forest, policy, 1, normal)
    found = best_of_plans(forest, policy, 0)
    for number in range(100):
        plans = [np.full(KEYS, plan, np.int8) for plan in range(PLANS)]
        first = max(-played(RULES, number, [normal, plan]) for plan in plans)
        second = max(played(RULES, number, [plan, normal]) for plan in plans)
        assert found[number] == (first + second) / 2


def test_the_normal_plan_wins_what_it_wins_in_games_from_both_seats(monkeypatch):
    table, normal = np.random.default_rng(1).integers(PLANS, size=KEYS).astype(np.int8), np.zeros(KEYS, np.int8)

    def of_table(forest, nodes):
        policy = _with_choices(forest, np.zeros((len(forest.nodes), PLANS)), 0, table)
        return _with_choices(forest, policy, 1, table)

    monkeypatch.setattr("suphx.equilibrium.duel.evaluation.policy_on", of_table)
    games = [(played(RULES, n, [normal, table]) - played(RULES, n, [table, normal])) / 2 for n in range(100)]
    mean, half = Benchmark(RULES, 100, 3).won_by_normal(Nodes())
    assert mean == pytest.approx(np.mean(games)) and mean != 0 and half == pytest.approx(half_width(np.array(games)))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_response_wins_at_least_what_any_plan_does_on_its_own_deals(seat, trained, monkeypatch):
    monkeypatch.setattr("suphx.equilibrium.duel.evaluation._SURE", 0.0)
    rules = DuelRules((1,))  # one choice: the best one of each key is the best response
    forest, nodes = forest_of(rules, 4, BENCHMARK, 400), Nodes(rules)
    policy, sign = policy_on(forest, nodes), 1 if seat == 0 else -1
    choice = best_response(forest, policy, seat)

    def won(choice):
        return sign * values_of(forest, _with_choices(forest, policy, seat, choice))[forest.roots].sum()

    best = won(choice)
    assert best > max(won(np.full(KEYS, plan, np.int8)) for plan in range(PLANS))
    keys = np.unique(forest.nodes["key"][(forest.nodes["key"] >= 0) & (forest.nodes["seat"] == seat)])
    for key in keys[::7]:  # no other choice at a key wins more
        for plan in range(PLANS):
            other = choice.copy()
            other[key] = plan
            assert won(other) <= best + 1e-9


def test_training_lowers_what_opponents_win(trained, benchmark):
    before, after = benchmark.evaluate(Nodes()), benchmark.evaluate(trained)
    assert before.lower_bound == before.average_lower_bound > 0.15
    assert after.best_of_plans < before.best_of_plans - 0.2
    assert after.lower_bound < before.lower_bound - 0.05
    assert after.average_lower_bound < before.average_lower_bound - 0.05


@pytest.mark.parametrize("iterations", [1000, pytest.param(10_000, marks=pytest.mark.full)])
def test_the_number_of_nodes_is_of_the_papers_order(iterations):
    nodes = Nodes(seed=2)
    nodes.train(iterations)
    assert 700 < len(nodes.rows) < 6000  # the paper: 2,618 after 10,000
    assert {features_of(key).turn for key in nodes.rows["key"].tolist()} == {1, 7, 13}


def test_tables_written_earlier_are_still_of_this_game():
    assert game_hash(DuelRules()) == "410f10771dab4c30"  # of 2026-11


def test_going_on_is_exact(tmp_path, benchmark):
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    straight, stopped = Nodes(seed=3), Nodes(seed=3)
    for _ in train(straight, one, 300, 100, benchmark):
        pass
    going = train(stopped, two, 300, 100, benchmark)
    next(going)
    next(going)
    going.close()  # as Ctrl-C does
    again = load_nodes(two)
    assert again.iterations == 200
    for _ in train(again, two, 300, 100, benchmark):
        pass
    found = load_nodes(two)
    assert found.iterations == straight.iterations == 300 and found.curve.tolist() == straight.curve.tolist()
    assert straight.curve[:, 0].tolist() == [0, 100, 200, 300]
    for name in ("key", "regret", "strategy"):
        assert (found.rows[name] == straight.rows[name]).all()
    assert one.read_bytes() == two.read_bytes()


def test_another_seed_is_another_training():
    one, two = Nodes(seed=1), Nodes(seed=2)
    one.train(20)
    two.train(20)
    assert one.rows["key"].tolist() != two.rows["key"].tolist()
