"""Benchmark verified logs per second, with as many processes as there are cores."""

import os
from pathlib import Path

from simulator.logs.verify_paths import Summary, verify_paths


def bench_verifying(paths: list[Path], workers: int | None = None) -> dict[str, float]:
    """Verify everything under `paths`; return games per second over the whole run, including the processes' start.

    Raises ValueError if a game fails verification, since the rate would then be meaningless.
    """
    workers = workers or os.cpu_count() or 1
    summary = Summary()
    for so_far, _ in verify_paths(list(paths), workers):
        summary = so_far
    if not summary.good:
        raise ValueError(f"{summary.mismatches} mismatches and {summary.errors} errors in the logs of the benchmark")
    return {
        "verified_games": summary.games,
        "verified_games_per_second": summary.games / summary.seconds,
        "verify_workers": workers,
    }
