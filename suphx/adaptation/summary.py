"""What an experiment came to over all its hands: how many improve, by how much, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from suphx.adaptation.notebook import HandResult, Trial
from suphx.intervals import half_width, share_interval


def summarise(hands: Sequence[HandResult], unit: float, units: str) -> dict[str, Any]:
    """Return the numbers of an experiment as JSON values.

    unit: what a reward of 1 is, in `units`; gains are given in these. By way to adapt: of all hands, by kind and by
    situation; the hand is the unit of every interval (95 %).
    """
    ways = list(hands[0].trials) if hands else []
    return {
        "hands": len(hands),
        "units": units,
        "rollouts": sorted({hand.rollouts for hand in hands}),
        "rollout_seconds": _mean([hand.rollout_seconds for hand in hands]),
        "ways": {way: _of_way(hands, way, unit) for way in ways},
    }


def _of_way(hands: Sequence[HandResult], way: str, unit: float) -> dict[str, Any]:
    def part(name: str, of: Callable[[HandResult], str]) -> dict[str, Any]:
        values = dict.fromkeys(of(hand) for hand in hands)
        return {value: _numbers([hand.trials[way] for hand in hands if of(hand) == value], unit) for value in values}

    return {
        **_numbers([hand.trials[way] for hand in hands], unit),
        "by_kind": part("kind", lambda hand: hand.kind),
        "by_situation": part("situation", lambda hand: hand.situation),
    }


def _numbers(trials: Sequence[Trial], unit: float) -> dict[str, Any]:
    gains = np.array([trial.gain for trial in trials]) * unit
    errors = np.array([trial.error for trial in trials]) * unit
    kept = np.array([trial.kept for trial in trials])
    return {
        "hands": len(trials),
        **_shares(gains),
        "gain": _with_interval(gains),
        "true_spread": float(max(gains.var(ddof=1) - (errors**2).mean(), 0) ** 0.5) if len(gains) > 1 else None,
        "error_of_a_hand": _mean(errors),
        "kept": _mean(kept),
        "kept_only": {**_shares(gains[kept]), "gain": _with_interval(gains[kept])},
        "gain_with_check": _with_interval(np.where(kept, gains, 0.0)),
        "differing": _mean([trial.differing for trial in trials]),
        "distance": _mean([trial.distance for trial in trials]),
        "steps_seconds": _mean([trial.steps_seconds for trial in trials]),
        "check_seconds": _mean([trial.check_seconds for trial in trials]),
    }


def _shares(gains: np.ndarray) -> dict[str, Any]:
    """Return which share of hands improved, with Wilson's interval; hands with no change at all count for neither."""
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    n = better + worse
    found: dict[str, Any] = {"better": better, "worse": worse, "same": len(gains) - n}
    if not n:
        return found | {"share": None, "share_interval": None}
    share = better / n
    return found | {"share": share, "share_interval": list(share_interval(share, n))}


def _with_interval(values: np.ndarray) -> dict[str, Any]:
    if len(values) < 2:
        return {"value": _mean(values), "interval": None}
    mean, half = float(values.mean()), half_width(values)
    return {"value": mean, "interval": [mean - half, mean + half]}


def _mean(values: Sequence[float] | np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None
