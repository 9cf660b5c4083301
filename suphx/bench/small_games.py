"""The learner on small games, over seeds: numbers for `suphx bench learner --games`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from suphx.equilibrium.flat_game import flat
from suphx.equilibrium.games import named
from suphx.equilibrium.probe import VARIANTS, cfr_plus_within, learn
from suphx.intervals import half_width


def bench_small_games(
    games: list[str], seeds: int, updates: int, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Return, by game and variant, NashConv of the last and averaged policy after some updates, over seeds.

    `half` is half the width of a 95 % interval of the mean over seeds.
    """
    torch.set_num_threads(1)  # the networks are tiny: more threads would only wait for each other
    numbers: dict[str, Any] = {}
    for name in games:
        game = flat(named(name))
        found: dict[str, Any] = {}
        seconds = []
        for variant, config in VARIANTS.items():
            curves = [learn(game, config, seed, updates) for seed in range(seeds)]
            seconds += [curve.seconds for curve in curves]
            found[variant] = {
                "updates": curves[0].updates,
                "last": _over_seeds([curve.last for curve in curves]),
                "averaged": _over_seeds([curve.averaged for curve in curves]),
            }
            tell(f"{name}: {variant}")
        iterations, reached = cfr_plus_within(game, float(np.mean(seconds)))
        found["cfr+"] = {"iterations": iterations, "nash_conv": reached, "seconds_of_a_run": float(np.mean(seconds))}
        numbers[name] = found
    return numbers


def _over_seeds(values: list[list[float]]) -> list[dict[str, float]]:
    found = []
    for column in zip(*values, strict=True):
        found.append({"mean": float(np.mean(column)), "half": half_width(np.array(column))})
    return found
