"""`LocalTraining`: all roles of self-play in one process, one after the other: collect, store, learn, publish.

It proceeds from one version of the weights to the next. Between two versions its whole state is in a few objects, and a
checkpoint contains all of it. A training that was killed therefore resumes as if nothing had happened: bit for bit on
one thread of a CPU.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event

import numpy as np
import torch

from simulator.rules import Rules
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Sampling
from suphx.agent.network_agent import NetworkAgent
from suphx.checkpoint import TrainingProgress, load_checkpoint, purpose_of, save_checkpoint, tensors_below
from suphx.learning.experience import Batch, join
from suphx.learning.learner import Learner, LearnerState
from suphx.learning.replay import ReplayBuffer, ReplayState
from suphx.networks.memory import keep_memory
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import CRITIC
from suphx.networks.weights import load_network
from suphx.reward.rounds import load_predictor, make_rewards
from suphx.selfplay.board import Averages, Board
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.earlier import EarlierState, EarlierVersions
from suphx.selfplay.evaluation import Evaluation, Strength, check_opponent
from suphx.selfplay.folder import RunFolder
from suphx.selfplay.policy import Policy
from suphx.selfplay.samples import Samples
from suphx.selfplay.seating import earlier, earlier_names, opponents, temperature_of_opponents
from suphx.selfplay.sources import fingerprints, load_opponents, load_start
from suphx.selfplay.status import Collapsed, Interrupted, Report, words_of_collapse, words_of_lost_rank


class LocalProgress(TrainingProgress):
    """Progress of a training, besides tensors."""

    version: int = 0
    """Version of the weights that play."""
    steps: int = 0
    """Learning steps taken, over all models together."""
    seconds: float = 0
    evaluated: int = 0
    """Games finished at the last measurement."""
    strength: Strength | None = None
    """Result of the last measurement."""
    learner: LearnerState | None = None
    replay: ReplayState | None = None
    earlier: EarlierState = EarlierState()


class LocalTraining:
    """A training in its own folder: `run` resumes from the checkpoint there, if there is one."""

    def __init__(self, config: TrainConfig, folder: Path, precision: Precision) -> None:
        """Raises InputError for unusable weights, agents or predictors, and for a checkpoint of another training."""
        keep_memory()
        check_opponent(config.evaluation)
        self.config, self.folder, self.precision = config, RunFolder(folder), precision
        self._networks = load_start(config)
        rules = Rules.preset(config.rules)
        learning = config.learning
        learns: dict[str, PolicyNetwork] = {model: self._networks[model] for model in learning.models}
        self.learner = Learner(learns, learning, precision, config.seed, load_teachers(config))
        self.replay = ReplayBuffer(learning.replay, config.seed)
        predictor = load_predictor(config.reward, rules)
        rewards = make_rewards(config.reward, config.side_by_side, predictor)
        against = load_opponents(config.table, opponents(config.table), config.seed, precision)
        self._earlier = EarlierVersions(earlier(config.table), self.learner.networks)
        against += [self._earlier_agent(place) for place in range(len(self._earlier.kept))]
        slots = config.side_by_side
        self.collector = Collector(
            config.table, rules, rewards, slots, config.seed, learning.models, against,
            certain=learning.certain, **config.hidden_planes,
        )  # fmt: skip
        self._samples = Samples(self.folder.games, config.sample_games, rules, config.table)
        self._averages = Averages()
        purpose = purpose_of(config.purpose(), fingerprints(config), precision.device.type, precision.dtype)
        self.progress = LocalProgress(purpose=purpose)
        found = load_checkpoint(self.folder.checkpoint, purpose, LocalProgress)
        if found is not None:
            self._restore(*found)
        self._play_by_current_weights()

    @property
    def games(self) -> int:
        """Number of finished self-play games."""
        return self.collector.counters["games"]

    def run(self, watch: Callable[[Report], None], stop: Event) -> None:
        """Train until the configured number of games has been played.

        watch: called with a report at every version. stop: set it to end the training early, with a checkpoint written
        and Interrupted raised. Raises Collapsed or LearningDiverged, with the last good checkpoint kept.
        """
        self.folder.path.mkdir(parents=True, exist_ok=True)
        board = Board(self.folder.tensorboard, self.games)
        try:
            self._run(board, watch, stop)
        finally:
            board.close()

    def _run(self, board: Board, watch: Callable[[Report], None], stop: Event) -> None:
        saved = time.monotonic()
        while self.games < self.config.games:
            report = self._to_next_version()
            board.write(report.figures, self.games)
            watch(report)
            self._look_for_collapse()
            done, measures = self.games >= self.config.games, self._is_measured_now()
            late = time.monotonic() - saved >= self.config.checkpoint_seconds
            if done or measures or late or stop.is_set():
                self._save()
                saved = time.monotonic()
            if measures and not done:
                self._measure(board, watch, stop)
            if stop.is_set() and not done:
                raise Interrupted
        if self.config.evaluation is not None and self.progress.evaluated < self.games:
            self._measure(board, watch, stop)
            if self.progress.evaluated < self.games:
                raise Interrupted
            self._save()

    def _to_next_version(self) -> Report:
        """Play and learn until it is time for a new version, and use its weights for play from then on."""
        started, before = time.monotonic(), dict(self.collector.counters)
        learning, taken = 0.0, 0
        while taken < self.config.publish_steps:
            batch = self._collect()
            begun = time.monotonic()
            taken += self._learn(batch, self.config.publish_steps - taken)
            learning += time.monotonic() - begun
        self.progress.version += 1
        self.progress.steps += taken
        self.replay.advance(self.progress.version)
        self._play_by_current_weights()
        place = self._earlier.keep_if_due(self.games, self.learner.networks)
        if place is not None:
            self._seat(place)
        seconds = time.monotonic() - started
        self.progress.seconds += seconds
        games, decisions = ((self.collector.counters[name] - before[name]) / seconds for name in ("games", "decisions"))
        self._averages.add("rate", {"games_per_s": games, "decisions_per_s": decisions, "learning": learning / seconds})
        self._averages.add("play", {"version": self.progress.version, "gamma": self.learner.gamma})
        self._averages.add("replay", self.replay.figures())
        total, figures = self.config.games, self._averages.take()
        return Report(self.games, total, self.progress.version, games, decisions, figures)

    def _play_by_current_weights(self) -> None:
        self._networks |= self.learner.networks
        config, version = self.config, self.progress.version
        gamma, learning = self.learner.gamma, config.learning.models
        policy = Policy(version, self._networks, self.precision, config.seed, gamma, learning, config.others)
        self.collector.set_policy(version, policy)

    def _seat(self, place: int) -> None:
        """Let the earlier version that is kept in a place play from now on."""
        self.collector.set_opponent(1 + len(opponents(self.config.table)) + place, self._earlier_agent(place))

    def _earlier_agent(self, place: int) -> NetworkAgent:
        """Return the earlier version that is kept in a place, as it plays at the tables."""
        name, networks = earlier_names(self.config.table)[place], self._networks | self._earlier.kept[place]
        sampling = Sampling(temperature_of_opponents(self.config.table), self.config.seed)
        return NetworkAgent(name, networks, PlaneEncoder(), self.precision, sampling, fixed_passes=True)

    def _collect(self) -> Batch:
        """Play until the finished rounds contain at least a batch of questions, and return them."""
        batches: list[Batch] = []
        questions = 0
        while questions < self.config.learning.batch:
            finished = self.collector.step()
            if finished is None:
                continue
            batches.append(finished.batch)
            questions += sum(map(len, finished.batch.experience.values()))
            self.learner.count_games(int(finished.ended.finished.sum()))
            self._samples.note(finished.ended, self.games, f"{self.config.name} {self.progress.version}")
        batch = join(batches)
        rewards = batch.paths["reward"]
        rounds = len(np.unique(batch.paths[["game", "round"]]))
        figures = {"reward_mean": rewards.mean(), "reward_spread": rewards.std(), "rounds": rounds}
        self._averages.add("play", figures | self.collector.rewards.take_errors().figures())
        return batch

    def _learn(self, batch: Batch, most: int) -> int:
        """Store a batch, take as many steps as there are questions for, at most `most`, and return their number."""
        self.replay.add(batch, self.learner.advantages_of(batch))
        taken = 0
        for model in self.config.learning.models:
            while taken < most:
                lesson = self.replay.sample(model, self.config.learning.batch_for(model))
                if lesson is None:
                    break
                figures = self.learner.step(model, lesson.experience, lesson.advantage)
                staleness = float(self.progress.version - lesson.version.astype(np.int64).mean())
                self._averages.add(model, figures | {"staleness": staleness})
                if self.learner.critic is not None:
                    self._averages.add(CRITIC, self.learner.critic_step(lesson.experience, lesson.rewards))
                taken += 1
        return taken

    def _look_for_collapse(self) -> None:
        alarms = self.learner.alarms()
        if alarms:
            raise Collapsed(f"{words_of_collapse(alarms, self.games)} {self.folder.last_good}")

    def _is_measured_now(self) -> bool:
        evaluation = self.config.evaluation
        return evaluation is not None and self.games - self.progress.evaluated >= evaluation.every

    def _measure(self, board: Board, watch: Callable[[Report], None], stop: Event) -> None:
        """Measure the saved agent; if told to stop, leave the measurement for later. Raises Collapsed."""
        config = self.config
        assert config.evaluation is not None
        evaluation = Evaluation(config.evaluation, config.rules, config.start, self.folder.evaluation, self.precision)
        gamma = self.learner.gamma
        oracle = Policy(self.progress.version, self._networks, self.precision, config.seed, gamma, ())
        strength = evaluation.measure(self.folder.agent, self.games, stop, oracle if gamma else None)
        if strength is not None:
            self.progress.evaluated, self.progress.strength = self.games, strength
            board.write_strength(strength)
            watch(Report(self.games, config.games, self.progress.version, 0, 0, strength=strength))
            self.folder.keep_if_best(self.folder.agent, strength)
            if words := words_of_lost_rank(config, strength):
                raise Collapsed(f"{words} {self.folder.last_good}")

    def _save(self) -> None:
        """Write the agent, then the checkpoint. It leaves out the weights that play, since they are the learner's."""
        self.folder.save_agent(self.config, self._networks, self.games)
        learner, learner_tensors = self.learner.state()
        replay, replay_tensors = self.replay.state()
        self.progress.learner, self.progress.replay, self.progress.earlier = learner, replay, self._earlier.state
        parts = {"learner": learner_tensors, "replay": replay_tensors, "earlier": self._earlier.tensors()}
        parts |= {"collector": _as_tensors(self.collector.state()), "samples": _as_tensors(self._samples.state())}
        tensors = {f"{part}.{name}": each for part, state in parts.items() for name, each in state.items()}
        save_checkpoint(self.folder.checkpoint, self.progress, tensors)

    def _restore(self, progress: LocalProgress, tensors: dict[str, torch.Tensor]) -> None:
        assert progress.learner is not None and progress.replay is not None
        self.progress = progress
        self.learner.load(progress.learner, tensors_below(tensors, "learner."))
        self.replay.load(progress.replay, tensors_below(tensors, "replay."))
        self.collector.restore(_as_arrays(tensors_below(tensors, "collector.")))
        self._samples.restore(_as_arrays(tensors_below(tensors, "samples.")))
        self._earlier.load(progress.earlier, tensors_below(tensors, "earlier."))
        for place in range(len(self._earlier.kept)):
            self._seat(place)


def load_teachers(config: TrainConfig) -> dict[str, PolicyNetwork] | None:
    """Return the oracles to distil from, by model; None if no teacher is configured."""
    if config.teacher is None:
        return None
    return {model: load_network(config.teacher / f"{model}.safetensors", model) for model in config.learning.models}


def _as_tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def _as_arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}
