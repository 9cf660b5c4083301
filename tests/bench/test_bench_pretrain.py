from __future__ import annotations

import json
import subprocess
import sys

import pytest


@pytest.mark.full
def test_the_benchmark_measures_bare_steps_loading_and_both() -> None:
    # Its own process: it keeps to one core.
    command = [sys.executable, "-m", "suphx", "bench", "pretrain", "--sizes", "small", "--turns", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    numbers = json.loads(done.stdout)["small"]
    assert set(numbers) == {"bare_per_s", "loading_per_s", "with_loader_per_s", "ratio"}
    assert numbers["loading_per_s"] > numbers["with_loader_per_s"] > 0
