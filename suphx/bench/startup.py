"""Benchmark the waiting time at startup: the very first compilation, and later the time from import to first step."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from simulator.jit import CACHE_VARIABLE

_FIRST_STEP = """
import json, time
start = time.perf_counter()
import numpy as np
from simulator.players.simple import choose_random
from simulator.tables import Tables
imported = time.perf_counter()
tables = Tables(1, seed=1)
asked = tables.decisions()
actions = np.empty(len(asked), np.int64)
choose_random(tables.games, asked.game, asked.seat, asked.legal, 0, actions)
tables.step(actions)
print(json.dumps([imported - start, time.perf_counter() - start]))
"""


def _first_step(cache: str) -> tuple[float, float]:
    """Return the seconds in a fresh process from the start of our code to the end of imports and of the first step."""
    environment = os.environ | {CACHE_VARIABLE: cache}
    command = [sys.executable, "-c", _FIRST_STEP]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    imported, stepped = json.loads(done.stdout)
    return imported, stepped


def bench_startup(repeats: int = 5) -> dict[str, float]:
    """Measure in fresh processes: once with an empty cache, then with the cache filled by that (median)."""
    with tempfile.TemporaryDirectory(prefix="suphx-bench-") as cache:
        _, first = _first_step(cache)
        again = [_first_step(cache) for _ in range(repeats)]
    return {
        "first_compile_s": first,
        "import_s": statistics.median(imported for imported, _ in again),
        "import_to_first_step_s": statistics.median(stepped for _, stepped in again),
    }
