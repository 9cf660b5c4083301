"""The learner on small games, over seeds: numbers for `suphx bench solvers learner`."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from suphx.adaptation.steps import StepsConfig
from suphx.equilibrium.flat_game import FlatGame, flat
from suphx.equilibrium.games import named
from suphx.equilibrium.probe.adaptation import Adapting, hands_of, posteriors
from suphx.equilibrium.probe.learning import GAMES, VARIANTS, cfr_plus_within, hidden_of, learn, oracle_variants
from suphx.intervals import half_width
from suphx.learning.config import LearningConfig

#: What run-time adaptation is tried with: deals, and KL in nats; a long way is gone in several steps.
DEALS = (64, 512, 4096)
STEPS = {0.01: 1, 0.1: 1, 1.0: 8}

_Tell = Callable[[str], None]


def bench_small_games(games: list[str], probe: str, seeds: int, updates: int, tell: _Tell) -> dict[str, Any]:
    """Return, by game, the numbers of a probe over seeds; `half` is half the width of a 95 % interval of the mean.

    probe: `learner`: NashConv of the last and the averaged policy after some updates, by variant, and of CFR+ in equal
    time; `oracle`: the same with oracle guiding and without; `adaptation`: what copies of a blueprint gain, which has
    learned for `updates` updates.
    """
    torch.set_num_threads(1)  # the networks are tiny: more threads would only wait for each other
    numbers: dict[str, Any] = {}
    for name in games:
        game = flat(named(name))
        tell(name)
        if probe == "adaptation":
            numbers[name] = _adaptation(game, seeds, updates, tell)
        else:
            variants = oracle_variants(updates * GAMES) if probe == "oracle" else VARIANTS
            numbers[name] = _learning(game, variants, seeds, updates, tell)
    return numbers


def _learning(
    game: FlatGame, variants: Mapping[str, LearningConfig], seeds: int, updates: int, tell: _Tell
) -> dict[str, Any]:
    results: dict[str, Any] = {}
    seconds = []
    for variant, config in variants.items():
        curves = [learn(game, config, seed, updates)[0] for seed in range(seeds)]
        seconds += [curve.seconds for curve in curves]
        results[variant] = {
            "updates": curves[0].updates,
            "last": _over_seeds([curve.last for curve in curves]),
            "averaged": _over_seeds([curve.averaged for curve in curves]),
        }
        tell(f"{variant}: {results[variant]['last'][-1]}")
    iterations, reached = cfr_plus_within(game, float(np.mean(seconds)))
    results["cfr+"] = {"iterations": iterations, "nash_conv": reached, "seconds_of_a_run": float(np.mean(seconds))}
    return results


def _adaptation(game: FlatGame, seeds: int, updates: int, tell: _Tell) -> dict[str, Any]:
    """Return by deals and distance the share of what best responses gain within hands, and of hands that gain.

    The blueprint is one for all seeds; a seed is that of the deals. Hands are weighed by their probability.
    """
    hidden = hidden_of(game)
    curve, blueprint = learn(game, VARIANTS["reference"], 0, updates, looks=1)
    adapting, hands = Adapting(game, blueprint), hands_of(game)
    best, chance = np.array([adapting.best(hand) for hand in hands]), np.array([hand.chance for hand in hands])
    result: dict[str, Any] = {"nash_conv": curve.last[-1]}
    result["best"] = {
        f"player {hand.player}, {hand.tiles}": float(gain) for hand, gain in zip(hands, best, strict=True)
    }
    names = ("discards", "distance", "above 0.1")
    result["posterior"] = [dict(zip(names, row, strict=True)) for row in posteriors(game, adapting.policy, hidden)]
    copies = result["copies"] = {}
    for deals in DEALS:
        for distance, steps in STEPS.items():
            config = StepsConfig(blocks=None, steps=steps, distance=distance)
            pairs = itertools.product(range(seeds), hands)
            gains = np.array([adapting.gain(hand, adapting.copy(hand, deals, config, seed)) for seed, hand in pairs])
            gains = gains.reshape(seeds, len(hands))
            shares, better = gains @ chance / (best @ chance), (gains > 0) @ chance / chance.sum()
            share, gaining = _over_seeds(np.stack([shares, better], axis=1).tolist())
            copies[f"{deals} deals, KL {distance}"] = {"share": share, "hands": gaining}
            tell(f"{deals} deals, KL {distance}: {share}")
    return result


def _over_seeds(values: list[list[float]]) -> list[dict[str, float]]:
    return [{"mean": float(column.mean()), "half": half_width(column)} for column in np.array(values).T]
