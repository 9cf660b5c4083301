"""Fixtures of all tests."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
import typer.main
import typer.testing

# Before torch is imported, here and in processes that tests start: with more threads than cores, those of one operation
# wait for each other most of the time. Tests of threads say how many they want.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Once: to make all commands takes a fifth of a second, and tests call one of them hundreds of times.
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """The folder of real games: `SUPHX_LOGS`, or `shared/logs` beside the checkout; skips where there is none."""
    named = os.environ.get("SUPHX_LOGS")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "logs"
    if not folder.is_dir():
        pytest.skip(f"no real games: there is no folder {folder}; set SUPHX_LOGS to one")
    return folder
