"""A few games by rule-based players, prepared once for the tests of a process."""

from __future__ import annotations

from functools import cache

from simulator.logs.generate import generate_games
from suphx.dataset.prepare import prepare_games
from suphx.dataset.prepared import Prepared


@cache
def sensible_games() -> Prepared:
    return prepare_games(generate_games(40, seed=5), "made")
