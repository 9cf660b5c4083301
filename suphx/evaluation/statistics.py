"""What a match says of a challenger: rank rates, average rank, stable rank and points, with intervals over deals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from simulator.record import SEATS
from suphx.evaluation.arena import Match

_SAMPLES = 2000
_PERCENTILES = (2.5, 97.5)
#: First and second prize of a hanchan by room, in units of what a fourth place costs more with each dan (15 points).
_STABLE_PRIZES = {"expert": (5, 2), "phoenix": (6, 3)}


def stable_rank(rates: np.ndarray, room: str) -> np.ndarray:
    """Return the dan at which a player neither rises nor falls (paper, appendix; formula 7 of the notes).

    rates [..., 4]: shares of first to fourth places. room: `expert` (5 n1 + 2 n2) / n4 - 2 or `phoenix`
    (6 n1 + 3 n2) / n4 - 2. Infinite for one that is never fourth.
    """
    first, second = _STABLE_PRIZES[room]
    with np.errstate(divide="ignore"):
        return (first * rates[..., 0] + second * rates[..., 1]) / rates[..., 3] - 2


def summary(match: Match, seed: int = 0) -> dict[str, Any]:
    """Return the numbers of a match as plain values: each with its 95 % interval, by bootstrap over deals.

    seed: of the bootstrap. A stable rank beyond bounds (never fourth) is None.
    """
    deals = len(match.ranks)
    counts = np.stack([(match.ranks == rank).mean(axis=1) for rank in range(SEATS)], axis=1)
    picked = np.random.default_rng(seed).integers(0, deals, (_SAMPLES, deals))
    weights = np.stack([np.bincount(row, minlength=deals) for row in picked]) / deals
    sampled = np.clip(weights @ counts, 0, 1)
    rates = counts.mean(axis=0)

    def number(measure: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
        low, high = np.percentile(measure(sampled), _PERCENTILES, method="nearest")
        return {"value": _finite(measure(rates)), "interval": [_finite(low), _finite(high)]}

    points = match.scores.mean(axis=1)
    low, high = np.percentile(weights @ points, _PERCENTILES)
    return {
        "games": deals * SEATS,
        "deals": deals,
        "rank_rates": [number(partial(np.take, indices=rank, axis=-1)) for rank in range(SEATS)],
        "average_rank": number(lambda shares: 1 + shares @ np.arange(SEATS)),
        "stable_rank_expert": number(lambda shares: stable_rank(shares, "expert")),
        "stable_rank_phoenix": number(lambda shares: stable_rank(shares, "phoenix")),
        "points": {"value": float(points.mean()), "interval": [float(low), float(high)]},
    }


def _finite(value: np.floating | np.ndarray) -> float | None:
    return float(value) if np.isfinite(value) else None
