"""All pictures of some agents' results in one folder: what the paper's Figures 8 and 12 show, and two more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from suphx.evaluation.measures import MEASURE, stable_rank
from suphx.evaluation.plots import plot_ranks, plot_resampling, plot_running, plot_stable_ranks
from suphx.evaluation.statistics import resampled, running
from suphx.evaluation.tally import COLUMN

SAMPLES = 1000
#: Of the deals, in each sample of the box plot (the paper's: 800K of a million games).
SHARE = 0.8
_SIZES = 6


def write_pictures(
    folder: Path, units: Mapping[str, np.ndarray], summaries: Mapping[str, Any], room: str = "phoenix", seed: int = 0
) -> list[Path]:
    """Write `stable-rank.png`, `resampling.png`, `ranks.png` and `running.png` into a folder; return their paths.

    units: name to [deals, columns]. summaries: name to what `summary` returns of them. room: of the stable ranks.
    """
    paths = [folder / f"{name}.png" for name in ("stable-rank", "resampling", "ranks", "running")]
    boxes = {name: stable_rank(resampled(each, SAMPLES, SHARE, seed=seed), room) for name, each in units.items()}
    deals = min(map(len, units.values()))
    plot_stable_ranks(paths[0], boxes, room, f"{SAMPLES:,} samples of {SHARE:.0%} of {deals:,} deals")
    sampled = {
        name: {games: stable_rank(resampled(each, SAMPLES, games=games, seed=seed), room) for games in _sizes(each)}
        for name, each in units.items()
    }
    plot_resampling(paths[1], sampled, room, f"{SAMPLES:,} samples of whole deals")
    words = f"{min(each['games'] for each in summaries.values()):,} games each"
    plot_ranks(paths[2], summaries, words)
    estimates = {name: running(each) for name, each in units.items()}
    plot_running(paths[3], estimates, MEASURE["average_rank"].words, words)
    return paths


def _sizes(units: np.ndarray) -> list[int]:
    """Return numbers of games to draw: half of all, half of that, and so on."""
    games = int(units[:, COLUMN["games"]].sum())
    per_deal = games // len(units)
    return [games // 2**halvings for halvings in range(_SIZES, 0, -1) if games // 2**halvings >= 10 * per_deal]
