"""What value networks are worth as leaves: exactly on Leduc, and on the turn beside a solution to the end."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from suphx.equilibrium.poker.betting import Sizes
from suphx.equilibrium.poker.cards import CARDS
from suphx.equilibrium.poker.endgame import Endgame, Leaf
from suphx.equilibrium.poker.leaf import TurnLeaf, turn_loss, untrained
from suphx.equilibrium.poker.leduc import exact_values, leduc_network, network_values, solve_cut
from suphx.equilibrium.poker.samples import random_ranges
from suphx.intervals import mean_interval

#: Iterations of an exact leaf, which come with each iteration of the first round.
_EXACT = 300
#: Bets and raises of the turn, the least stack in pots (after a bet of the pot some must be left), and when the turn is
#: solved to the end, in fractions of the pot.
_TURN, _SHORTEST, _TARGET = "1,a/a", 1.25, 0.005
#: To which fraction of the pot all but the turn is solved again, to see what the turn has lost.
_RIVER_TARGET, _MOST = 0.001, 2000


def _mean(values: list[float]) -> dict[str, Any]:
    mean, interval = mean_interval(np.array(values))
    return {"mean": mean, "interval": interval, "values": values}


def bench_leduc(seeds: int, examples: int, iterations: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the NashConv of Leduc solved to the end of its first round, by what stands for the second, over seeds.

    Exact leaves, a trained and an untrained network, with the second round solved again to what they promised; and what
    the first two have if it is solved for both ranges alone.
    """
    torch.set_num_threads(1)
    exact = exact_values(_EXACT)
    tell("exact leaves")
    rows: dict[str, list[float]] = {
        "exact": [solve_cut(exact, iterations).nash_conv()],
        "exact, ranges alone": [solve_cut(exact, iterations, safe=False).nash_conv()],
        "trained": [], "trained, ranges alone": [], "untrained": [],
    }  # fmt: skip
    for seed in range(seeds):
        tell(f"network {seed + 1} of {seeds}")
        trained = network_values(leduc_network(examples, seed))
        rows["trained"].append(solve_cut(trained, iterations).nash_conv())
        rows["trained, ranges alone"].append(solve_cut(trained, iterations, safe=False).nash_conv())
        rows["untrained"].append(solve_cut(network_values(leduc_network(0, seed)), iterations).nash_conv())
    return {name: _mean(values) for name, values in rows.items()}


def bench_turn(
    leaf: TurnLeaf, spots: int, seed: int, iterations: int, held: np.ndarray | None, tell: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """Return what the turn loses, in % of the pot, and the CPU seconds of its solution, by what stands for the river.

    The spots are random boards, stacks and, without `held` f64[2, 1326], ranges. "to the end" is the solution with the
    river, to 0.5 % of the pot.
    """
    torch.set_num_threads(1)
    turn, river = Sizes.parse(_TURN), Sizes.parse(leaf.samples.river)
    plain = TurnLeaf(untrained(leaf.encoding, leaf.config), leaf.encoding, leaf.samples, leaf.config, 0, 0.0)
    kinds: dict[str, Sizes | Leaf] = {
        "to the end": river, "network": leaf, "untrained network": plain, "no bets on the river": Sizes((), ()),
    }  # fmt: skip
    lost: dict[str, list[float]] = {name: [] for name in kinds}
    took: dict[str, list[float]] = {name: [] for name in kinds}
    for spot in range(-1, spots):  # the first compiles, and does not count
        tell(f"spot {spot + 1} of {spots}")
        random = np.random.default_rng([seed, 1, max(spot, 0)])
        board = sorted(random.choice(CARDS, 4, replace=False).tolist())
        stack = float(np.exp(random.uniform(np.log(_SHORTEST), np.log(leaf.samples.deepest))))
        ranges = random_ranges(random, board) if held is None else held
        for name, last in kinds.items():
            started = time.process_time()
            endgame = Endgame(board, 1.0, stack, ranges, turn, last)
            if name == "to the end":
                for _ in endgame.solve(_MOST, _TARGET):
                    pass
            else:
                for _ in range(iterations):
                    endgame.iterate()
            seconds = time.process_time() - started
            if spot >= 0:
                took[name].append(seconds)
                lost[name].append(100 * turn_loss(endgame, river, _MOST, _RIVER_TARGET))
    ratio = [whole / short for whole, short in zip(took["to the end"], took["network"], strict=True)]
    return {
        name: {"loss": _mean(lost[name]), "seconds": _mean(took[name])} for name in kinds
    } | {"time": {"to the end / network": _mean(ratio)}}  # fmt: skip
