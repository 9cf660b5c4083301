"""`SelfPlayTraining`: one training, whoever plays: versions of the weights, checkpoints, and how it ends.

`local.py` drives it in one process, in order. The parameter server (`roles/server.py`) drives it with the experience
that other processes send. Both write the same checkpoints, so that a training begun with one goes on with the other.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeAlias

import numpy as np
import torch
from pydantic import model_validator

from suphx.agent.registry import fingerprint
from suphx.checkpoint import TrainingProgress, joined, purpose_of, tensors_below
from suphx.errors import InputError
from suphx.learning.learner import Learner, LearnerState
from suphx.learning.optimizer import ANOTHER_RUN
from suphx.learning.replay import ReplayState
from suphx.networks.policy import PolicyNetwork
from suphx.networks.sizes import build_network
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.play import PlayCounts


class SelfPlayInterrupted(Exception):
    """The training was stopped; it can be resumed from its checkpoint."""


class Collapsed(InputError):
    """The policy lost its entropy, diverged from the policies that played, or plays worse than the start."""


@dataclass(frozen=True)
class TrainingReport:
    """Progress of a training, reported at every version and measurement."""

    games: int
    total: int
    version: int
    games_per_s: float
    decisions_per_s: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    """As written to TensorBoard (`monitor.MetricWriter`)."""
    strength: Strength | None = None
    """Result of a measurement, if this report is about one."""
    warning: str = ""
    """What is wrong, if this report is about that."""


def check_rank(config: TrainConfig, strength: Strength) -> None:
    """Raise Collapsed if the agent's average rank is too far above the start's."""
    bound, (low, high) = config.learning.collapse.rank, strength.less_start_interval
    if low > bound:
        alarm = f"average rank {strength.less_start:+.3f} ({low:+.3f} to {high:+.3f}) to the start is above {bound:g}"
        raise collapsed([alarm], strength.games)


def collapsed(alarms: Sequence[str], games: int) -> Collapsed:
    """Return the error of a collapse after `games` games; to its message belongs where the last good agent is."""
    return Collapsed(
        f"after {games:,} games: {'; '.join(alarms)}. The policy has collapsed. {ANOTHER_RUN}, with a lower "
        "learning rate or a higher entropy target."
    )


class SelfPlayProgress(TrainingProgress):
    """Progress of a training, besides tensors."""

    version: int = 0
    """Version of the weights that play."""
    steps: int = 0
    """Learning steps taken, over all models together."""
    games: int = 0
    """Finished games of self-play."""
    seconds: float = 0
    learner: LearnerState | None = None
    replay: ReplayState | None = None
    """Of a training in one process: its buffer's, in whose checkpoints are also the games in progress."""
    dealt_from: int = 0
    """Of a training in one process: the version with which it dealt its first walls; these decide all others."""

    @model_validator(mode="before")
    @classmethod
    def _without_removed(cls, values: Any) -> Any:
        """Checkpoints of earlier versions also counted the versions among the opponents."""
        return (
            {name: each for name, each in values.items() if name != "earlier"} if isinstance(values, dict) else values
        )


#: What a checkpoint contains.
Checkpoint: TypeAlias = tuple[SelfPlayProgress, dict[str, torch.Tensor]]


def purpose(config: TrainConfig) -> str:
    """Return what identifies the checkpoints of a training; raises InputError if one of its files cannot be read."""
    files = {"start": fingerprint(config.start)}
    files |= {f"opponent {name}": fingerprint(name) for name in config.table.opponents}
    return purpose_of("self-play", config.purpose(), files | config.reward.fingerprints())


def networks_in(checkpoint: Checkpoint, start: Mapping[str, PolicyNetwork]) -> dict[str, PolicyNetwork]:
    """Return the networks of a checkpoint by model; start: those the training started from, which others still are."""
    _, tensors = checkpoint
    networks = dict(start)
    for model, network in start.items():
        if weights := tensors_below(tensors, f"learner.{model}.network."):
            planes = weights["first.weight"].shape[1] if "first.weight" in weights else network.planes
            networks[model] = build_network(model, network.size, planes)
            networks[model].load_state_dict(weights)
    return networks


class MetricAverages:
    """Collects metrics by name and averages them."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}

    def add(self, groups: Mapping[str, Mapping[str, float]]) -> None:
        """Add metrics, by group and name."""
        for group, metrics in groups.items():
            for name, value in metrics.items():
                self._values.setdefault(f"{group}/{name}", []).append(value)

    def take(self) -> dict[str, float]:
        """Return the mean of each metric since the last call."""
        means = {name: float(np.mean(values)) for name, values in self._values.items()}
        self._values = {}
        return means


class SelfPlayTraining:
    """What is done at every version of the weights. Subclasses play, learn, and know how files are written."""

    def __init__(self, config: TrainConfig, learner: Learner, progress: SelfPlayProgress) -> None:
        """progress: from which to go on; the learner has been loaded, or will be."""
        self.config, self.learner, self.progress = config, learner, progress
        self.averages = MetricAverages()

    @property
    def is_done(self) -> bool:
        """Whether the configured number of games has been played."""
        return self.progress.games >= self.config.games

    def learn(self, strength: Strength | None, stop: Event) -> bool:
        """Learn until the configured number of games has been played; return False if `stop` was set before.

        strength: the last measurement. Raises Collapsed or LearningDiverged, with the last good checkpoint kept.
        """
        if strength:
            check_rank(self.config, strength)
        evaluation, measured = self.config.evaluation, strength.games if strength else 0
        saved = time.monotonic()
        while not self.is_done and not stop.is_set():
            self._to_next_version(stop)
            if alarms := self.learner.alarms():
                raise collapsed(alarms, self.progress.games)
            if self.is_done or stop.is_set():
                break
            due = evaluation is not None and self.progress.games - measured >= evaluation.every
            if due or time.monotonic() - saved >= self.config.checkpoint_seconds:
                self._save(measure=due)
                saved, measured = time.monotonic(), self.progress.games if due else measured
        self._save(measure=self.is_done and evaluation is not None, last=True)
        return self.is_done

    def _to_next_version(self, stop: Event) -> None:
        began = time.monotonic()
        counts, steps, learning = self._take_steps(stop)
        progress = self.progress
        progress.version += 1
        progress.steps += steps
        self._publish()
        seconds = time.monotonic() - began
        progress.seconds += seconds
        self._report(counts, seconds, learning)

    def _take_steps(self, stop: Event) -> tuple[PlayCounts, int, float]:
        """Take a version's learning steps; return counts of play, the number of steps, and the seconds they took."""
        raise NotImplementedError

    def _publish(self) -> None:
        """Let the current weights play from now on."""
        raise NotImplementedError

    def _report(self, counts: PlayCounts, seconds: float, learning: float) -> None:
        """Add the metrics of a version, and hand all of them on."""
        rate = {"games_per_s": counts.games / seconds, "decisions_per_s": counts.decisions / seconds}
        rate["learning"] = learning / seconds
        play: dict[str, float] = {"version": self.progress.version, "gamma": self.learner.gamma}
        if counts.trajectories:
            mean = counts.reward / counts.trajectories
            play["reward_mean"] = mean
            play["reward_std"] = max(counts.reward_square / counts.trajectories - mean**2, 0.0) ** 0.5
            play["rounds"] = counts.rounds
        if counts.phi_count:
            play["phi_error"] = (counts.phi_square / counts.phi_count) ** 0.5
        self.averages.add({"rate": rate, "play": play})

    def _save(self, measure: bool, last: bool = False) -> None:
        """Write a checkpoint. measure: measure the agent then. last: the training ends with it."""
        raise NotImplementedError

    def checkpoint(self) -> Checkpoint:
        """Return all of it, not copied."""
        state, tensors = self.learner.state()
        self.progress.learner = state
        return self.progress, joined({"learner": tensors})
