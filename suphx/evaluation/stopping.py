"""Rules for stopping a match early.

Rules are checked after fixed numbers of deals, in order, so a match stops at the same deal however it is played.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from suphx.errors import InputError
from suphx.evaluation.results import MatchResults
from suphx.evaluation.statistics import anytime_intervals
from suphx.evaluation.tally import COLUMN
from suphx.intervals import half_width

#: Number of deals before the first check of a rule, and between checks.
FIRST_CHECK, CHECK_EVERY = 30, 10
_EVEN = 2.5


@dataclass(frozen=True)
class StopRule:
    """A rule that ends a match early."""

    kind: Literal["ci", "decided"]
    """`ci`: every side's average rank is known to within `value`; `decided`: it is clear which side is better."""
    value: float
    """For `ci` half the width of the 95 % interval; for `decided` the allowed share of matches between equals that are
    wrongly decided."""

    def is_met(self, results: MatchResults, deals: int) -> bool:
        """Return whether the first `deals` deals satisfy the rule."""
        ranks = [average_ranks(results, side, deals) for side in range(len(results.plan.sides))]
        if self.kind == "ci":
            return all(half_width(each) <= self.value for each in ranks)
        # with mean 0 between equals: differences of two sides, or of a single side from the middle rank
        compared = [ranks[a] - ranks[b] for a, b in results.plan.pairs()] or [ranks[0] - _EVEN]
        differences = [anytime_intervals(each, self.value)[-1] for each in compared]
        return all(low > 0 or high < 0 for low, high in differences)


def read_rule(text: str) -> StopRule:
    """Parse a rule such as `ci=0.05`, `decided` or `decided=0.01`; raises InputError for anything else."""
    kind, _, number = text.partition("=")
    try:
        value = float(number) if number else 0.05
    except ValueError:
        value = 0.0
    if kind not in ("ci", "decided") or not 0 < value < 1 or (kind == "ci" and not number):
        raise InputError(
            f"no stopping rule {text!r}; use `ci=0.05` for intervals of +-0.05 of the average rank, `decided` or "
            "`decided=0.01` for a sequential test of which side is better"
        )
    return StopRule("ci" if kind == "ci" else "decided", value)


def average_ranks(results: MatchResults, side: int, deals: int) -> np.ndarray:
    """Return f64[deals]: a side's average rank, 1 to 4, on each deal."""
    units = results.units(side, deals)
    return units[:, COLUMN["rank_sum"]] / units[:, COLUMN["games"]]
