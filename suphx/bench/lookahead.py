"""Benchmark the look-ahead, in microseconds on one core and by shanten, over the discard decisions of games."""

import time
from collections.abc import Callable, Iterable

import numpy as np

from simulator.jit import jit
from simulator.logs.model import GameLog
from simulator.lookup import get_lookup
from simulator.record import PHASE_CALL_DISCARD, PHASE_TURN
from simulator.rules import Rules
from simulator.shanten import shanten
from suphx.bench.features import collect_positions
from suphx.features.encode_lookahead import see
from suphx.features.lookahead import PLANES, VIEW, lookahead

_PASSES = 3
_EMPTY_CALLS = 1000
_FAR = 3  # the shanten from which on the look-ahead searches nothing


@jit
def _see_all(games, seats, views):
    for n in range(len(games)):
        see(games[n], seats[n], views[n])


def discard_views(logs: Iterable[GameLog], least: int) -> np.ndarray:
    """Return VIEW[n]: what the seats see at discard decisions, in games with at least `least` decisions of any kind."""
    games, seats, _ = collect_positions(logs, least)
    discards = (games["phase"] == PHASE_TURN) | (games["phase"] == PHASE_CALL_DISCARD)
    discards &= games["riichi"][np.arange(len(games)), seats] == 0
    views = np.zeros(discards.sum(), VIEW)
    _see_all(games[discards], seats[discards], views)
    return views


@jit
def look_ahead_all(lookup, views, rules, out):
    """Write the planes of many views into the rows of `out` u64[n, PLANES]."""
    for n in range(len(views)):
        lookahead(lookup, views[n], rules, out[n])


def bench_lookahead(views: np.ndarray, rules: Rules | None = None) -> dict[str, float]:
    """Return microseconds per look-ahead over VIEW[n]: mean, 99th percentile, maximum, and means by shanten.

    The overall mean is processor time in the best of three passes over all views. For the other numbers each view is
    timed alone by the clock, without the overhead of the call, and counts with its best time of three passes.
    """
    rules_record = (rules or Rules.tenhou()).to_record()[()]
    lookup, out = get_lookup(), np.zeros((len(views), PLANES), np.uint64)

    def timed(which: slice, clock: Callable[[], float] = time.perf_counter) -> float:
        start = clock()
        look_ahead_all(lookup, views[which], rules_record, out[which])
        return (clock() - start) * 1e6

    timed(slice(1))
    whole = min(timed(slice(None), time.thread_time) for _ in range(_PASSES))
    passes = [[timed(slice(n, n + 1)) for n in range(len(views))] for _ in range(_PASSES)]
    each = np.min(passes, axis=0) - np.median([timed(slice(0)) for _ in range(_EMPTY_CALLS)])
    found = {"mean": whole / len(views), "p99": float(np.percentile(each, 99)), "most": float(each.max())}
    away = np.array([shanten(lookup, view["hand"], np.int64(view["n_melds"])) for view in views])
    for n in np.unique(np.minimum(away, _FAR)):
        which = np.minimum(away, _FAR) == n
        name = f"shanten {n}{' or more' if n == _FAR else ''}"
        found |= {name: float(each[which].mean()), f"{name}, share": float(which.mean())}
    return found
