"""An interval of 95 % holds the truth 95 times of 100."""

import numpy as np
import pytest

from suphx.intervals import half_width, share_interval, student_quantile

REPEATS = 4000


@pytest.mark.parametrize("values", [2, 5, 100])
def test_the_interval_of_a_mean_covers_it_as_often_as_it_says(values: int) -> None:
    drawn = np.random.default_rng(1).normal(3.0, 2.0, (REPEATS, values))
    covered = np.mean([abs(each.mean() - 3.0) <= half_width(each) for each in drawn])
    assert 0.93 < covered < 0.965


def test_quantiles_of_students_t() -> None:
    """Tables of textbooks."""
    for degrees, quantile in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (999, 1.962)):
        assert student_quantile(degrees) == pytest.approx(quantile, rel=0.01)


def test_one_value_says_nothing_of_a_mean() -> None:
    assert half_width(np.ones(1)) == float("inf")


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_the_interval_of_a_share_covers_it_as_often_as_it_says(share: float) -> None:
    counted = np.random.default_rng(2).binomial(60, share, REPEATS)
    covered = np.mean([low <= share <= high for low, high in (share_interval(k / 60, 60) for k in counted)])
    assert 0.93 < covered < 0.98


def test_the_interval_of_a_share_stays_within_0_and_1_and_has_wilsons_ends() -> None:
    assert share_interval(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert share_interval(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
