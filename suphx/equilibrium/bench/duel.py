"""How fast two-player mahjong is, in CPU time of one thread: games of fixed plans, iterations of CFR, an evaluation."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from simulator.jit import jit
from simulator.lookup import get_lookup
from suphx.equilibrium.duel.abstraction import BENCHMARK, DuelRules, deal
from suphx.equilibrium.duel.evaluation import Benchmark
from suphx.equilibrium.duel.nodes import Nodes
from suphx.equilibrium.duel.patterns import PATTERNS
from suphx.equilibrium.duel.plans import planned_action
from suphx.equilibrium.duel.table import OVER, act, new_duels, payoff

#: Deals of the paper's benchmark.
_DEALS = 3000


@jit
def play_plans(lookup, games, seed, plans, totals, duels):
    """Play games between two fixed plans i64[2]; adds to totals i64[6] how often seat 0 won -2 to 2, and the turns."""
    duel = duels[0]
    for number in range(games):
        deal(seed, BENCHMARK, number, True, duel)
        duel["plan"][0], duel["plan"][1] = plans[0], plans[1]
        while duel["phase"] != OVER:
            act(lookup, duel, planned_action(lookup, duel))
        totals[payoff(duel) + 2] += 1
        totals[5] += duel["turn"][0] + duel["turn"][1] - 2


def bench_duel(games: int, iterations: int) -> Iterator[tuple[str, float]]:
    """Yield games a second of each pair of plans, iterations a second, and seconds of an evaluation as the paper's."""
    lookup, duels = get_lookup(), new_duels(1)
    play_plans(lookup, 1, 0, np.zeros(2, np.int64), np.zeros(6, np.int64), duels)
    for first, name in enumerate(PATTERNS):
        for second in range(first, len(PATTERNS)):
            pair = np.array([first, second])
            seconds = _cpu(partial(play_plans, lookup, games, 0, pair, np.zeros(6, np.int64), duels))
            yield f"{name}_{PATTERNS[second]}_games_per_second", games / seconds
    nodes = Nodes()
    nodes.train(1)
    yield "iterations_per_second", iterations / _cpu(lambda: nodes.train(iterations))
    Benchmark(DuelRules(), 2, 0).evaluate(nodes)
    yield "evaluation_seconds", _cpu(lambda: Benchmark(nodes.rules, _DEALS, 0).evaluate(nodes))


def _cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
