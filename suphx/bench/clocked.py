"""The roles of a training as benchmarks start them: the same roles, which also report time and counts."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import ray

from suphx.networks.inference import Evaluator
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.play import Counts
from suphx.selfplay.roles.buffer import Buffer
from suphx.selfplay.roles.engine import InferenceEngine
from suphx.selfplay.roles.monitor import MonitorRole
from suphx.selfplay.roles.resources import RoleConfig
from suphx.selfplay.roles.server import ParameterServer
from suphx.selfplay.roles.simulator import Simulator


class Clocked:
    """A role that reports the CPU time it has used."""

    def cpu_seconds(self) -> float:
        """Return the CPU time of this process in seconds."""
        return time.process_time()


class ClockedBuffer(Clocked, Buffer):
    """A buffer that reports its CPU time."""


@dataclass(frozen=True)
class Totals:
    """Totals of a run, as of the end of its last version, but for pairs."""

    seconds: float
    versions: int
    pairs: int
    """Question-answer pairs learned from, or discarded by an `IdleServer`."""
    learning: float
    """Seconds spent on learning."""
    counts: Counts


class CountingServer(Clocked, ParameterServer):
    """A parameter server that counts what it does."""

    def __init__(self, config: TrainConfig) -> None:
        self._totals = Totals(0.0, 0, 0, 0.0, Counts())
        self._pairs = 0
        super().__init__(config)

    def _learn(self, model: str, parts: list[list[Any]]) -> None:
        self._pairs += self.config.learning.batch
        super()._learn(model, parts)

    def _tell(self, counts: Counts, seconds: float, learning: float) -> None:
        before = self._totals
        summed = replace(before.counts)
        summed += counts
        self._totals = Totals(
            before.seconds + seconds, self.progress.version, self._pairs, before.learning + learning, summed
        )
        super()._tell(counts, seconds, learning)

    def totals(self) -> Totals:
        """Return the totals so far, with pairs of the version that is being learned."""
        return replace(self._totals, pairs=self._pairs)


class IdleServer(CountingServer):
    """A server that receives minibatches and publishes weights as often as one that learns, but learns nothing."""

    def _learn(self, model: str, parts: list[list[Any]]) -> None:
        self._pairs += self.config.learning.batch
        for part in parts:
            ray.get(part)


class ListeningMonitor(Clocked, MonitorRole):
    """A monitor that keeps the figures that engines report."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        self._of_engines: list[tuple[float, dict[str, float]]] = []
        super().__init__(config, folder)

    def note(self, group: str, figures: dict[str, float]) -> None:
        """Receive figures of a role."""
        if group == "engine":
            self._of_engines.append((time.time(), figures))
        super().note(group, figures)

    def of_engines(self, since: float) -> list[dict[str, float]]:
        """Return the figures that engines have reported since a wall-clock time."""
        return [figures for at, figures in self._of_engines if at > since]


class _Timed:
    """An evaluator that measures how long its network computes."""

    def __init__(self, evaluator: Evaluator, engine: TimedEngine) -> None:
        self.planes = evaluator.planes
        self._evaluator, self._engine = evaluator, engine

    def logits(self, packed: np.ndarray) -> np.ndarray:
        began = time.thread_time()
        found = self._evaluator.logits(packed)
        self._engine.inside += time.thread_time() - began
        return found


class TimedEngine(Clocked, InferenceEngine):
    """An engine that also reports the time spent in its networks."""

    def __init__(self, role: RoleConfig) -> None:
        self.inside = 0.0
        super().__init__(role)

    def _evaluate(self, evaluator: Any, requests: list[Any]) -> list[np.ndarray]:
        return super()._evaluate(cast(Evaluator, _Timed(evaluator, self)), requests)

    def network_seconds(self) -> float:
        """Return the CPU time spent in networks, in seconds."""
        return self.inside


class ClockedSimulator(Clocked, Simulator):
    """A simulator that reports its CPU time, and what it has played."""

    def played(self) -> dict[str, int]:
        """Return the counters of its collectors, added up."""
        each = [half.play.collector.counters for half in self._halves]
        return {name: sum(counters[name] for counters in each) for name in each[0]}
