"""`LocalTraining`: a training in one process: collect, store, learn, publish, one after the other.

It proceeds from one version of the weights to the next. Between two versions its whole state is in a few objects, and a
checkpoint contains all of it. A training that was killed therefore resumes as if nothing had happened: bit for bit on
one thread of a CPU.
"""

import copy
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import torch

from simulator.rules import Rules
from suphx.checkpoint import joined, tensors_below
from suphx.learning.experience import Batch
from suphx.learning.learner import Learner
from suphx.learning.replay import ReplayBuffer, ReplayState
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, keep_memory
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.monitor import Monitor
from suphx.selfplay.play import CollectedRounds, PlayCounts, load_opponents
from suphx.selfplay.policy import SelfPlayPolicy
from suphx.selfplay.training import Checkpoint, Collapsed, SelfPlayInterrupted, SelfPlayTraining, TrainingReport


class LocalTraining(SelfPlayTraining):
    """A training in its own folder: `run` resumes from the checkpoint there, if there is one."""

    def __init__(self, config: TrainConfig, folder: Path, precision: Precision) -> None:
        """Raises InputError for unusable weights, agents or predictors, and for a checkpoint of another training."""
        keep_memory()
        self._precision = precision
        self._monitor = Monitor(config, folder, precision)
        self.folder = self._monitor.folder
        self._networks = dict(self._monitor.start)
        learns: dict[str, PolicyNetwork] = {
            model: copy.deepcopy(self._networks[model]) for model in config.learning.models
        }
        learner = Learner(learns, config.learning, precision, config.seed)
        progress, tensors = self._monitor.saved()
        super().__init__(config, learner, progress)
        if progress.learner is not None:
            learner.load(progress.learner, tensors_below(tensors, "learner."))
        self.replay = ReplayBuffer(config.learning.replay, config.seed)
        opponents = load_opponents(config.table.opponents, config.seed, precision)
        if self.progress.replay is None:
            self.progress.dealt_from = self.progress.version
        rewards = config.reward.load(Rules.preset(config.rules))
        seed, version = config.seed, self.progress.dealt_from
        if version:  # not the walls that other processes have dealt before
            seed = int(np.random.SeedSequence([seed, version]).generate_state(1, np.uint64)[0])
        self._play = CollectedRounds(config, config.side_by_side, seed, rewards, opponents)
        self.collector = self._play.collector
        if progress.replay is not None:
            self._restore(progress.replay, tensors)
        self.replay.advance(self.progress.version)
        self._play_by_current_weights()

    @property
    def strength(self) -> Strength | None:
        """The last measurement, or None if there is none."""
        return self._monitor.strength()

    def run(self, watch: Callable[[TrainingReport], None], stop: Event) -> None:
        """Train until the configured number of games has been played.

        watch: called with a report at every version. stop: set it to end the training early, with a checkpoint written
        and SelfPlayInterrupted raised. Raises Collapsed or LearningDiverged, with the last good checkpoint kept.
        """
        self._watch, self._stop = watch, stop
        self._monitor.open()
        try:
            done = self.learn(self.strength, stop)
        except Collapsed as error:
            raise Collapsed(f"{error} {self.folder.last_good}") from error
        finally:
            self._monitor.close()
        if not done or self._lacks_measurement():
            raise SelfPlayInterrupted

    def _lacks_measurement(self) -> bool:
        """Whether the present agent should be measured, but has not been."""
        last = self.strength
        return self.config.evaluation is not None and (last is None or last.games < self.progress.games)

    def _take_steps(self, stop: Event) -> tuple[PlayCounts, int, float]:
        counts, steps, learning, wanted = PlayCounts(), 0, 0.0, self.config.publish_steps
        while steps < wanted:
            batch, played = self._collect()
            counts += played
            began = time.monotonic()
            steps += self._learn(batch, wanted - steps)
            learning += time.monotonic() - began
        return counts, steps, learning

    def _collect(self) -> tuple[Batch, PlayCounts]:
        """Play until the finished rounds contain at least a batch of decisions, and return them."""
        while self.collector.learnable < self.config.learning.batch:
            ended = self.collector.step()
            if ended is not None:
                finished = int(ended.finished.sum())
                self.learner.count_games(finished)
                self.progress.games += finished
                self._monitor.samples.note(ended, self.progress.games, f"{self.config.name} {self.progress.version}")
        return self._play.take()

    def _learn(self, batch: Batch, most: int) -> int:
        """Store a batch, take as many steps as there are decisions for, at most `most`, and return their number."""
        self.replay.add(batch, self.learner.advantages_of(batch))
        taken = 0
        for model in self.config.learning.models:
            while taken < most:
                minibatch = self.replay.sample(model, self.config.learning.batch_for(model))
                if minibatch is None:
                    break
                self.averages.add(self.learner.learn(model, minibatch, self.progress.version))
                taken += 1
        return taken

    def _publish(self) -> None:
        self.replay.advance(self.progress.version)
        self._play_by_current_weights()

    def _play_by_current_weights(self) -> None:
        self._networks |= self.learner.networks
        version, gamma, learning = self.progress.version, self.learner.gamma, self.config.learning.models
        policy = SelfPlayPolicy(version, self._networks, self._precision, self.config.seed, gamma, learning)
        self.collector.set_policy(version, policy)

    def _report(self, counts: PlayCounts, seconds: float, learning: float) -> None:
        super()._report(counts, seconds, learning)
        self.averages.add({"replay": self.replay.metrics()})
        self._monitor.tell(self.averages.take(), self.progress.games, self.progress.version)
        self._watch(replace(self._monitor.report(), strength=None))

    def _save(self, measure: bool, last: bool = False) -> None:
        checkpoint = self.checkpoint()
        self._monitor.keep(checkpoint)
        if not measure or not self._lacks_measurement():
            return
        before, oracle = self.strength, self._monitor.oracle_of(checkpoint)
        try:
            self._monitor.measure(self.folder.agent, self.progress.games, oracle, self._stop)
        finally:  # a result is reported even if it ends the training
            if self.strength != before:
                self._watch(self._monitor.report())

    def checkpoint(self) -> Checkpoint:
        """Return all of it, with the buffer's contents and the games in progress, not copied.

        It leaves out the weights that play, since they are the learner's.
        """
        progress, tensors = super().checkpoint()
        progress.replay, replay = self.replay.state()
        played = joined({"collector": self.collector.state(), "samples": self._monitor.samples.state()})
        arrays = {name: torch.from_numpy(np.ascontiguousarray(each)) for name, each in played.items()}
        return progress, tensors | joined({"replay": replay}) | arrays

    def _restore(self, replay: ReplayState, tensors: dict[str, torch.Tensor]) -> None:
        self.replay.load(replay, tensors_below(tensors, "replay."))
        arrays = {name: each.numpy() for name, each in tensors.items() if name.startswith(("collector.", "samples."))}
        self._play.restore(tensors_below(arrays, "collector."))
        self._monitor.samples.restore(tensors_below(arrays, "samples."))
