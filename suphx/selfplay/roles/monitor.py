"""The monitor role: writes everything, and measures beside the training. It runs where the run's folder is."""

import shutil
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import ray
import torch

from simulator.files import write_whole
from suphx.errors import InputError
from suphx.networks.precision import choose_precision
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.monitor import Monitor
from suphx.selfplay.policy import SelfPlayPolicy
from suphx.selfplay.roles.role import Role, is_answered
from suphx.selfplay.roles.run_inputs import RunInputs, publish_run_inputs
from suphx.selfplay.training import Collapsed, MetricAverages, SelfPlayProgress, TrainingReport

#: Part of a checkpoint that a parameter server needs.
_OF_SERVER = "learner."


class MonitorRole(Role, Monitor):
    """A Ray actor to which the other roles report. The training's results do not depend on its speed."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        """Raises InputError if there is a checkpoint of another training, or something that cannot be used."""
        super().__init__(config, folder, choose_precision("cpu", None, config.roles.monitor.threads))
        self.open()
        self._counter = folder / "simulators_begun"
        self._averages = MetricAverages()
        self._inputs = publish_run_inputs(config, self.start)
        self._stop = Event()
        self._measuring: Any = None
        self._last_agent: tuple[int, SelfPlayPolicy | None] = (self._games, None)
        """Games of the last saved agent, with its oracle unless another process saved it, which has died."""
        strength = self.strength()
        self._measured = strength.games if strength else 0
        """Games of self-play when the agent that was measured last, or is being measured, was saved."""

    def run_inputs(self) -> RunInputs:
        """Return what the run starts from."""
        return self._inputs

    def begin_simulator(self) -> int:
        """Return a number that no simulator of this run has had before, which determines its walls."""
        restarts = int(self._counter.read_text()) if self._counter.exists() else 0
        write_whole(self._counter, str(restarts + 1).encode())
        return restarts

    def note(self, group: str, metrics: dict[str, float]) -> None:
        """Receive metrics of a role."""
        self._averages.add({group: metrics})

    def tell(self, metrics: dict[str, float], games: int, version: int) -> None:  # type: ignore[override]
        """Receive the learner's progress and metrics, and write the curves."""
        super().tell(metrics | self._averages.take(), games, version)

    def report(self) -> TrainingReport:
        """Return the training's progress; raises the error of a failed measurement."""
        is_answered(self._measuring)
        return super().report()

    def saved_arrays(self) -> tuple[SelfPlayProgress, dict[str, np.ndarray]] | None:
        """Return the last checkpoint, as far as a parameter server needs it, or None if there is none."""
        saved = self.saved()
        if saved is None:
            return None
        progress, tensors = saved
        return progress, {name: each.numpy() for name, each in tensors.items() if name.startswith(_OF_SERVER)}

    def keep_arrays(self, progress: SelfPlayProgress, arrays: dict[str, np.ndarray], measure: bool) -> None:
        """Write the agent, then the checkpoint; measure: measure that agent, unless a measurement is running.

        Raises the error of the last measurement if it failed.
        """
        checkpoint = progress, {name: torch.from_numpy(each.copy()) for name, each in arrays.items()}
        self.keep(checkpoint)
        self._last_agent = progress.games, self.oracle_of(checkpoint)
        if is_answered(self._measuring) and measure:
            self._measure_last()

    def _measure_last(self) -> None:
        """Start measuring a copy of the last saved agent, unless it has already been measured."""
        games, _ = self._last_agent
        if games <= self._measured:
            return
        candidate = self.folder.evaluation / "candidate"
        shutil.rmtree(candidate, ignore_errors=True)
        shutil.copytree(self.folder.agent, candidate)
        me = ray.get_runtime_context().current_actor
        self._candidate = candidate, *self._last_agent
        self._measuring, self._measured = me.measure_candidate.remote(), games

    @ray.method(concurrency_group="measure")
    def measure_candidate(self) -> None:
        """Measure the agent that was copied last, and write the result.

        Raises InputError if that is impossible, and Collapsed if the agent is far worse than the start.
        """
        candidate, games, oracle = self._candidate
        try:
            self.measure(candidate, games, oracle, self._stop)
        except Collapsed:
            raise
        except InputError as error:
            raise InputError(f"measuring the agent after {games:,} games: {error}") from error

    def finish(self) -> None:
        """Measure the last agent, if that has not been done and nothing interrupts it, and close the curves' file."""
        self._wait_for_measurement()
        if self.config.evaluation is not None and not self._stop.is_set():
            self._measure_last()
            self._wait_for_measurement()
        self.close()

    def _wait_for_measurement(self) -> None:
        if self._measuring is not None:
            ray.get(self._measuring)

    @ray.method(concurrency_group="interrupt")
    def interrupt(self) -> None:
        """Abort a running measurement, and begin none."""
        self._stop.set()
