"""The monitor of a run by roles, in the process that started it: it writes everything, and measures meanwhile."""

import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import torch

from suphx.errors import InputError
from suphx.networks.precision import choose_precision
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.monitor import Monitor
from suphx.selfplay.policy import SelfPlayPolicy
from suphx.selfplay.training import Collapsed, MetricAverages, SelfPlayProgress, TrainingReport


class RunMonitor(Monitor):
    """Receives what the roles tell. The training's results do not depend on its speed."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        """Raises InputError if there is a checkpoint of another training, or something that cannot be used."""
        super().__init__(config, folder, choose_precision("cpu", None, config.roles.monitor_threads))
        self._averages = MetricAverages()
        self._stop = Event()
        self._thread = ThreadPoolExecutor(1)
        self._measuring: Future[object] | None = None
        self._last_agent: tuple[int, SelfPlayPolicy | None] = (self._games, None)
        """Games of the last saved agent, with its oracle unless an earlier run saved it."""

    def open(self) -> None:
        """Make the folder and the curves' file."""
        super().open()
        strength = self.strength()
        self._measured = strength.games if strength else 0
        """Games of self-play when the agent that was measured last, or is being measured, was saved."""

    def note(self, group: str, metrics: dict[str, float]) -> None:
        """Receive metrics of a role."""
        self._averages.add({group: metrics})

    def tell(self, metrics: dict[str, float], games: int, version: int) -> None:  # type: ignore[override]
        """Receive the learner's progress and metrics, and write the curves."""
        super().tell(metrics | self._averages.take(), games, version)

    def report(self) -> TrainingReport:
        """Return the training's progress; raises the error of a failed measurement."""
        self._is_measuring()
        return super().report()

    def _is_measuring(self) -> bool:
        if self._measuring is None:
            return False
        if self._measuring.done():
            self._measuring.result()
        return not self._measuring.done()

    def keep_arrays(self, progress: SelfPlayProgress, arrays: dict[str, np.ndarray], measure: bool) -> None:
        """Write the agent, then the checkpoint; measure: measure that agent, unless a measurement is running.

        Raises the error of the last measurement if it failed.
        """
        checkpoint = progress, {name: torch.from_numpy(each.copy()) for name, each in arrays.items()}
        self.keep(checkpoint)
        self._last_agent = progress.games, self.oracle_of(checkpoint)
        if measure and not self._is_measuring():
            self._measure_last()

    def _measure_last(self) -> None:
        """Start measuring a copy of the last saved agent, unless it has already been measured."""
        games, oracle = self._last_agent
        if games <= self._measured:
            return
        candidate = self.folder.evaluation / "candidate"
        shutil.rmtree(candidate, ignore_errors=True)
        shutil.copytree(self.folder.agent, candidate)
        self._measuring, self._measured = self._thread.submit(self._measure, candidate, games, oracle), games

    def _measure(self, candidate: Path, games: int, oracle: SelfPlayPolicy | None) -> None:
        try:
            self.measure(candidate, games, oracle, self._stop)
        except Collapsed:
            raise
        except InputError as error:
            raise InputError(f"measuring the agent after {games:,} games: {error}") from error

    def has_measured(self) -> bool:
        """Return whether the last agent has been measured, which begins otherwise; call it again once all is over."""
        if self._is_measuring():
            return False
        if self.config.evaluation is not None and not self._stop.is_set():
            self._measure_last()
        return not self._is_measuring()

    def interrupt(self) -> None:
        """Abort a running measurement, and begin none."""
        self._stop.set()

    def close(self) -> None:
        """Abort a running measurement, and close the curves' file."""
        self._stop.set()
        self._thread.shutdown()
        super().close()
