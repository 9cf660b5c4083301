"""Runs by roles of tiny networks, for the tests of self-play on Ray."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import psutil
import ray
from selfplay_tables import tiny_networks

from suphx.networks.weights import save_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.run import DistributedTraining, start_ray
from suphx.selfplay.training import SelfPlayInterrupted, TrainingReport

# Ray's processes stand behind all others otherwise, and on a busy machine get nowhere.
os.environ["RAY_worker_niceness"] = "0"

#: Seconds that anything in these tests may take on a machine that is busy with others.
PATIENCE = 240.0


def tiny_start(folder: Path) -> Path:
    """Write tiny networks into a folder."""
    save_agent(folder, tiny_networks(), "tiny")
    return folder


def values(start: Path, **changes: object) -> dict:
    """Return a configuration of a run of seconds."""
    return {
        "name": "tiny",
        "start": str(start),
        "rules": "tenhou_east",
        "reward": {"kind": "round"},
        "games": 1_000_000,
        "side_by_side": 8,
        "learning": {"models": ["discard", "chow"], "batch": 64, "learning_rate": 1e-4},
        "publish_steps": 4,
        "checkpoint_seconds": 1,
        "evaluation": None,
        "sample_games": 1,
        "roles": {"object_store_gib": 0.1},
    } | changes


@contextmanager
def ray_here(config: Mapping[str, object]) -> Iterator[None]:
    """Start Ray for a configuration, on this machine, and end it."""
    start_ray(TrainConfig.model_validate(config), None)
    try:
        yield
    finally:
        ray.shutdown()


def train(
    config: Mapping[str, object], folder: Path, watch: Callable[[TrainingReport], None] = print
) -> DistributedTraining:
    """Train to the end, on the Ray that is there."""
    training = DistributedTraining(TrainConfig.model_validate(config), folder)
    training.run(watch, Event())
    return training


class Background:
    """A run on a thread of its own, for tests that do something to it meanwhile."""

    def __init__(self, config: Mapping[str, object], folder: Path) -> None:
        self.reports: list[TrainingReport] = []
        self.error: BaseException | None = None
        self.training = DistributedTraining(TrainConfig.model_validate(config), folder)
        self._stop = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.training.run(self.reports.append, self._stop)
        except BaseException as error:
            self.error = error

    def wait_for(self, what: Callable[[], bool]) -> None:
        """Wait until something is so; fails after PATIENCE, or if the run ends."""
        until = time.monotonic() + PATIENCE
        while not what():
            assert self.error is None, self.error
            assert self._thread.is_alive(), "the run has ended"
            assert time.monotonic() < until, f"not so after {PATIENCE} s; reports: {self.reports[-1:]}"
            time.sleep(0.1)

    @property
    def version(self) -> int:
        """The last version that was reported."""
        return self.reports[-1].version if self.reports else 0

    def wait_for_versions(self, more: int) -> None:
        """Wait until so many versions more have been reported."""
        until = self.version + more
        self.wait_for(lambda: self.version >= until)

    def stop(self) -> None:
        """Stop it as Ctrl-C does, and wait for its end."""
        self._stop.set()
        self.join()
        assert isinstance(self.error, SelfPlayInterrupted), self.error

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "no end"


def processes(role: str) -> list[psutil.Process]:
    """Return the processes of a role that belong to this test's Ray."""
    mine = {child.pid for child in psutil.Process(os.getpid()).children(recursive=True)}
    return [each for each in psutil.process_iter(["cmdline"]) if each.pid in mine and _is(each, role)]


def _is(process: psutil.Process, role: str) -> bool:
    try:
        return " ".join(process.cmdline()).startswith(f"ray::{role}")
    except psutil.Error:
        return False
