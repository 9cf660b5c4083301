"""95 % intervals of means and shares; `evaluation/statistics.py` has those by resampling."""

import math
from statistics import NormalDist

import numpy as np

CONFIDENCE = 0.95
#: Half-width, in standard errors, of the central interval that holds this share of a normal distribution.
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def student_quantile(degrees: int) -> float:
    """Return the half-width, in standard errors, of the central interval of Student's t with 1 degree or more.

    Exact for 1 and 2 degrees; for others by the expansion about the normal distribution (Abramowitz and Stegun 1964,
    26.7.5), within one percent.
    """
    if degrees == 1:
        return math.tan(math.pi / 2 * CONFIDENCE)
    if degrees == 2:
        return CONFIDENCE * (2 / (1 - CONFIDENCE**2)) ** 0.5
    z = QUANTILE
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3


def half_width(values: np.ndarray) -> float:
    """Return half the width of the interval for the mean of independent values f64[n]; infinite for fewer than two.

    By Student's t, since there may be as few as five.
    """
    if len(values) < 2:
        return float("inf")
    return float(student_quantile(len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5)


def mean_interval(values: np.ndarray) -> tuple[float, list[float] | None]:
    """Return the mean of independent values f64[n] and the ends of its interval; None for fewer than two."""
    mean, half = float(values.mean()), half_width(values)
    return mean, [mean - half, mean + half] if len(values) > 1 else None


def share_interval(share: float, n: float) -> tuple[float, float]:
    """Return the Wilson score interval (1927) for a share, 0 to 1, of n > 0 independent observations."""
    z2 = QUANTILE**2
    middle = share + z2 / (2 * n)
    spread = QUANTILE * (share * (1 - share) / n + z2 / (4 * n * n)) ** 0.5
    low, high = (middle - spread) / (1 + z2 / n), (middle + spread) / (1 + z2 / n)
    return max(0.0, float(low)), min(1.0, float(high))
