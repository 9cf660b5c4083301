"""Summarise an experiment over all its hands: how many improve, by how much, and at what cost."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from suphx.adaptation.notebook import HandResult, Trial
from suphx.intervals import mean_interval, share_interval


def summarise(hands: Sequence[HandResult], unit: float, units: str, controls: Mapping[str, str]) -> dict[str, Any]:
    """Return the numbers of an experiment as JSON values.

    unit: the value of a reward of 1 in `units`, in which gains are given. controls: for each way of adapting, the one
    with shuffled rewards to compare it with, hand by hand, as both are measured on the same deals. The result has, by
    way of adapting, numbers of all hands, by kind, by situation and by number of test deals; the hand is the
    statistical unit of every 95 % interval.
    """
    ways = list(hands[0].trials) if hands else []
    return {
        "hands": len(hands),
        "units": units,
        "deals": sorted({hand.deals for hand in hands}),
        "rollouts": sorted({hand.rollouts for hand in hands}),
        "rollout_seconds": _mean([hand.rollout_seconds for hand in hands]),
        "ways": {way: _of_way(hands, way, controls.get(way), unit) for way in ways},
    }


def _of_way(hands: Sequence[HandResult], way: str, control: str | None, unit: float) -> dict[str, Any]:
    def numbers(chosen: Sequence[HandResult]) -> dict[str, Any]:
        found = _numbers([hand.trials[way] for hand in chosen], unit)
        found["rollout_seconds"] = _mean([hand.rollout_seconds for hand in chosen])
        if control is not None:
            less = np.array([hand.trials[way].gain - hand.trials[control].gain for hand in chosen]) * unit
            found["less_shuffled"] = {"control": control, **_shares(less), "gain": _with_interval(less)}
        return found

    def part(of: Callable[[HandResult], str]) -> dict[str, Any]:
        return {
            value: numbers([hand for hand in hands if of(hand) == value]) for value in dict.fromkeys(map(of, hands))
        }

    return {
        **numbers(hands),
        "by_kind": part(lambda hand: hand.kind),
        "by_situation": part(lambda hand: hand.situation),
        "by_deals": part(lambda hand: f"{hand.deals:,} deals"),
    }


def _numbers(trials: Sequence[Trial], unit: float) -> dict[str, Any]:
    gains = np.array([trial.gain for trial in trials]) * unit
    errors = np.array([trial.error for trial in trials]) * unit
    kept = np.array([trial.kept for trial in trials])
    return {
        "hands": len(trials),
        **_shares(gains),
        "gain": _with_interval(gains),
        "error_of_a_hand": _mean(errors),
        "kept": _mean(kept),
        "gain_with_check": _with_interval(np.where(kept, gains, 0.0)),
        "differing": _mean([trial.differing for trial in trials]),
        "distance": _mean([trial.distance for trial in trials]),
        "steps_seconds": _mean([trial.steps_seconds for trial in trials]),
        "check_seconds": _mean([trial.check_seconds for trial in trials]),
    }


def _shares(gains: np.ndarray) -> dict[str, Any]:
    """Return the share of hands that improved, with Wilson's interval; hands without any change are left out."""
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    n = better + worse
    found: dict[str, Any] = {"better": better, "worse": worse, "same": len(gains) - n}
    if not n:
        return found | {"share": None, "share_interval": None}
    share = better / n
    return found | {"share": share, "share_interval": list(share_interval(share, n))}


def _with_interval(values: np.ndarray) -> dict[str, Any]:
    value, interval = mean_interval(values)
    return {"value": value, "interval": interval}


def _mean(values: Sequence[float] | np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None
