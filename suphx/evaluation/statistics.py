"""Uncertainty of measures: intervals over deals, paired differences, resampling, and anytime-valid intervals.

`units` is a numeric array [deals, columns], one row per deal: the columns of `tally.py` summed over the games that an
agent played of the deal. Games of one deal share its luck and are not independent; deals are. In logs of real games
each game is its own deal.
"""

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from suphx.errors import InputError
from suphx.evaluation.measures import Measure, measures
from suphx.evaluation.tally import COLUMN
from suphx.intervals import CONFIDENCE, QUANTILE

SAMPLES = 2000
#: Power: the share of runs in which a true difference of `smallest_difference` would be detected.
POWER = 0.8
#: With fewer deals a bootstrap is too sure of itself, so differences get no p-value.
LEAST_DEALS = 20
_Z_POWER = NormalDist().inv_cdf(POWER)
_PERCENTILES = (50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE))

#: With more deals than this, the bootstrap draws groups of neighbors as if they were one deal: the interval is as
#: valid, and the work is bounded.
_MOST_UNITS = 50_000
#: Most weights in memory at a time: 8 MB.
_BLOCK = 1 << 20
_GROUPS = 200

#: Number of deals from which `anytime_intervals` are finite, and around which they are narrowest.
ANYTIME_FROM = 50
ANYTIME_FOCUS = 1000


def summary(units: np.ndarray, seed: int = 0, prizes: Sequence[float] | None = None) -> dict[str, Any]:
    """Return all measures of an agent, with intervals, as plain values.

    units [deals, columns]. seed: random seed of the bootstrap. prizes: first to fourth, for the mean prize of a game.
    Returns `games`, `deals`, `rounds`, and for each measure `{"value": v, "interval": [low, high]}`: 95 %, by bootstrap
    over deals; None where the denominator is zero. Raises InputError if there is no game.
    """
    units = _checked(units)
    drawn = bootstrap(units, SAMPLES, seed)
    total = units.sum(axis=0)
    result: dict[str, Any] = {
        "games": int(total[COLUMN["games"]]), "deals": len(units), "rounds": int(total[COLUMN["rounds"]]),
    }  # fmt: skip
    for measure in measures(prizes):
        result[measure.name] = _number(measure.of(total), measure.of(drawn))
    return result


def difference(
    first: np.ndarray, second: np.ndarray, seed: int = 0, prizes: Sequence[float] | None = None
) -> dict[str, Any]:
    """Return the difference between two agents on the same deals, as plain values.

    first, second [deals, columns]: row d of both is the same deal. Each bootstrap sample draws the same deals for both,
    so the luck that they share cancels out. Returns `deals`, and for each measure `value` (first minus second),
    `interval` (95 %), `standard_error` (standard deviation over the samples), `p`: the two-sided p-value, twice the
    share of samples on the rarer side of zero (None for fewer deals than LEAST_DEALS), and `smallest_difference`:
    (z.975 + z.8) x standard error, the true difference that a run like this one would detect, at the 95 % level, in
    80 % of all runs.
    """
    first, second = _checked(first), _checked(second)
    if len(first) != len(second):
        raise InputError(f"{len(first)} deals of one agent, {len(second)} of the other; pairing needs the same deals")
    columns = first.shape[1]
    drawn = bootstrap(np.concatenate([first, second], axis=1), SAMPLES, seed)
    result: dict[str, Any] = {"deals": len(first)}
    for measure in measures(prizes):
        with np.errstate(invalid="ignore"):
            value = measure.of(first.sum(axis=0)) - measure.of(second.sum(axis=0))
            values = measure.of(drawn[:, :columns]) - measure.of(drawn[:, columns:])
        result[measure.name] = _number(value, values) | _against_zero(values, len(first))
    return result


def _against_zero(values: np.ndarray, deals: int) -> dict[str, float | None]:
    values = values[np.isfinite(values)]
    if not len(values):
        return {"standard_error": None, "p": None, "smallest_difference": None}
    error = float(values.std())
    p = min(1.0, 2 * float(min((values <= 0).mean(), (values >= 0).mean())))
    known = deals >= LEAST_DEALS
    return {"standard_error": error, "p": p if known else None, "smallest_difference": (QUANTILE + _Z_POWER) * error}


def _checked(units: np.ndarray) -> np.ndarray:
    if not units[:, COLUMN["games"]].any():
        raise InputError("no game was played to its end, so there is nothing to measure")
    return np.asarray(units, np.float64)


def _number(value: np.ndarray, samples: np.ndarray) -> dict[str, Any]:
    known = samples[~np.isnan(samples)]
    # A stable rank is infinite without a fourth place, so take observed values as percentiles instead of interpolating.
    ends = np.percentile(known, _PERCENTILES, method="nearest") if len(known) else (np.nan, np.nan)
    return {"value": _finite(value), "interval": [_finite(end) for end in ends]}


def _finite(value: np.floating | np.ndarray | float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _grouped(units: np.ndarray, most: int) -> np.ndarray:
    """Return the units with neighbors summed in groups, so that at most `most` remain."""
    size = -(-len(units) // most)
    return units if size == 1 else np.add.reduceat(units, np.arange(0, len(units), size), axis=0)


def bootstrap(units: np.ndarray, samples: int, seed: int) -> np.ndarray:
    """Return f64[samples, columns]: sums over deals drawn with replacement; they depend on (seed, number of deals)."""
    units = _grouped(units, _MOST_UNITS)
    n = len(units)
    random = np.random.default_rng(seed)

    def weights(rows: int) -> np.ndarray:
        picked = random.integers(0, n, (rows, n), np.int32) + n * np.arange(rows)[:, None]
        return np.bincount(picked.ravel(), minlength=rows * n).reshape(rows, n)

    return _sums(units, samples, weights)


def _sums(units: np.ndarray, samples: int, weights: Callable[[int], np.ndarray]) -> np.ndarray:
    """Return f64[samples, columns]: sums of deals by weights [rows, deals], for as many rows as fit in memory."""
    most = max(1, _BLOCK // len(units))
    starts = range(0, samples, most)
    return np.concatenate([weights(min(most, samples - start)).astype(np.float64) @ units for start in starts])


def resampled(units: np.ndarray, samples: int, games: float, seed: int = 0) -> np.ndarray:
    """Return f64[samples, columns]: sums over random subsets of the deals, drawn without replacement.

    games: the number of games in a sample, rounded to whole deals, as in the paper's Figures 8 (1,000 samples of 800K
    out of a million games) and 12. The sums are inputs of a measure's `of`. Raises InputError for more than there are.
    """
    units = _checked(units)
    n, most = len(units), units[:, COLUMN["games"]].sum()
    size = round(n * games / most)
    if size < 1 or games > most:
        raise InputError(f"{games:,.0f} games cannot be drawn from {n:,} deals")
    random = np.random.default_rng(seed)

    def weights(rows: int) -> np.ndarray:
        chosen = np.zeros((rows, n))
        for row in chosen:
            row[random.choice(n, size, replace=False, shuffle=False)] = 1
        return chosen

    return _sums(units, samples, weights)


def jackknife(units: np.ndarray, measure: Measure) -> tuple[float, float]:
    """Return a measure of units [deals, columns] and its standard error by the grouped jackknife, or infinity."""
    total = units.sum(axis=0, dtype=np.float64)
    value = float(measure.of(total))
    parts = _grouped(units, _GROUPS)
    if len(parts) < 2:
        return value, float("inf")
    without = measure.of(total - parts)
    if not np.isfinite(without).all():
        return value, float("inf")
    return value, float(np.sqrt((len(parts) - 1) * without.var()))


def running(units: np.ndarray, measure: Measure, points: int = 100) -> dict[str, list[Any]]:
    """Return the running estimate of a measure, after more and more of the deals.

    units [deals, columns] in the order of play. points: most estimates, evenly spaced. Returns lists `deals`, `games`,
    `value`, `low`, `high` (95 %, by `jackknife`: each is valid for one look; to stop early see `anytime_intervals`).
    """
    units = _checked(units)
    n = len(units)
    places = np.unique(np.linspace(min(n, 2), n, min(points, n)).round().astype(int)).tolist()
    games, rows = units[:, COLUMN["games"]].cumsum(), []
    for place in places:
        value, error = jackknife(units[:place], measure)
        ends = value, value - QUANTILE * error, value + QUANTILE * error
        rows.append((place, int(games[place - 1]), *map(_finite, ends)))
    return dict(zip(("deals", "games", "value", "low", "high"), map(list, zip(*rows, strict=True)), strict=True))


def anytime_intervals(values: np.ndarray, alpha: float = 1 - CONFIDENCE) -> np.ndarray:
    """Return f64[n, 2]: after each deal an interval for the mean; all hold at once, so one may stop at any time.

    values f64[n]: one number per deal, such as the difference of two agents on it. alpha: the share of runs in which
    the mean is ever outside. Infinite before ANYTIME_FROM deals, because the guarantee is asymptotic.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit
    theory and asymptotic confidence sequences" (2021), theorem 2.2: mean +- s sqrt(2 (t rho^2 + 1) / (t^2 rho^2)
    log(sqrt(t rho^2 + 1) / alpha)), s the standard deviation so far, with the rho that makes it narrowest at t =
    ANYTIME_FOCUS.
    """
    t = np.arange(1, len(values) + 1)
    mean = values.cumsum() / t
    centred = values - values[0]  # avoids cancellation in the difference of two large sums
    spread = np.sqrt(np.maximum((centred**2).cumsum() / t - (centred.cumsum() / t) ** 2, 0))
    rho2 = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / ANYTIME_FOCUS
    width = spread * np.sqrt(2 * (t * rho2 + 1) / (t**2 * rho2) * np.log(np.sqrt(t * rho2 + 1) / alpha))
    width[: ANYTIME_FROM - 1] = np.inf
    return np.stack([mean - width, mean + width], axis=1)
