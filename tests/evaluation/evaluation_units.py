"""Made-up counts of play, by deal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suphx.evaluation.measures import RANKS
from suphx.evaluation.tally import COLUMN, COLUMNS


def units_of(ranks: np.ndarray) -> np.ndarray:
    """Return i64[deals, columns] of ranks 0 to 3 in games [deals, games]; each game has ten rounds, two of them won."""
    units = np.zeros((len(ranks), len(COLUMNS)), np.int64)
    units[:, COLUMN["games"]] = ranks.shape[1]
    units[:, COLUMN["rank_sum"]] = (ranks + 1).sum(axis=1)
    for rank, name in enumerate(RANKS):
        units[:, COLUMN[name]] = (ranks == rank).sum(axis=1)
    units[:, COLUMN["rounds"]] = 10 * ranks.shape[1]
    units[:, COLUMN["wins"]] = 2 * ranks.shape[1]
    units[:, COLUMN["win_points"]] = 10_000 * ranks.shape[1]
    return units


def random_units(rates: Sequence[float], deals: int, seed: int, games: int = 4) -> np.ndarray:
    """Return the counts of a player who comes first to fourth at these rates, every game by itself."""
    return units_of(np.random.default_rng(seed).choice(4, (deals, games), p=rates).astype(np.uint8))
