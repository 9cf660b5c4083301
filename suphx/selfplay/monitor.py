"""`Monitor`: all that a training writes into its folder: agents, checkpoints, curves, sample games, measurements."""

import shutil
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from simulator.files import write_whole
from simulator.logs.from_record import game_log
from simulator.logs.mjlog_writer import write_mjlog
from simulator.record import GAME
from simulator.rules import Rules
from simulator.tables import Ended
from suphx.checkpoint import load_checkpoint, save_checkpoint
from suphx.errors import InputError
from suphx.networks.precision import Precision, choose_precision
from suphx.selfplay.collect import SAMPLED_TABLE, as_bytes, from_bytes
from suphx.selfplay.config import TableConfig, TrainConfig, seated
from suphx.selfplay.evaluation import Strength, StrengthEvaluation, check_opponent, read_strength, write_strength
from suphx.selfplay.folder import RunFolder, load_start
from suphx.selfplay.policy import SelfPlayPolicy
from suphx.selfplay.training import (
    Checkpoint,
    Collapsed,
    MetricAverages,
    SelfPlayProgress,
    TrainingReport,
    check_rank,
    networks_in,
    purpose,
)

#: Seconds over which the displayed rate is averaged; a version is often shorter than a game.
_LATELY_SECONDS = 60.0


class MetricWriter:
    """The TensorBoard folder of a run: metrics under stable names, as means over the time between two versions.

    - `rate/games_per_s`, `rate/decisions_per_s`, `rate/learning` (share of the time spent on learning)
    - `play/reward_mean`, `play/reward_std`, `play/rounds`, `play/version`, `play/gamma`
    - with Phi, `play/phi_error`: root mean square error of Phi at the start of rounds against the game's result, in the
      predictor's units
    - `MODEL/...`: metrics of every step (`Learner.step`): loss, importance weights (`weight_mean`, `weight_max`,
      `rejected`), `entropy`, `entropy_target`, `alpha`, divergences (`kl_...`), `grad_norm`, `gradient_signal`,
      `staleness`
    - `critic/...`, `replay/...` (`ReplayBuffer.metrics`)
    - `evaluation/average_rank`, `evaluation/less_start`, for an oracle `evaluation/oracle_less_start`, and the bounds
      of their intervals (`..._low`, `..._high`)
    - in a distributed run, `simulator/waiting`, `simulator/held` (shares of its time) and `engine/...`

    The step of every curve is the number of self-play games.
    """

    def __init__(self, folder: Path, games: int) -> None:
        """games: number at which the run resumes; metrics written for later games before it was killed are hidden."""
        self._writer = SummaryWriter(folder, purge_step=games)

    def write(self, metrics: Mapping[str, float], games: int) -> None:
        """Write metrics by name, at step `games`."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, games)

    def write_strength(self, strength: Strength) -> None:
        """Write a measurement."""
        for name, value, ends in (
            ("average_rank", strength.average_rank, strength.interval),
            ("less_start", strength.less_start, strength.less_start_interval),
            ("oracle_less_start", strength.oracle_less_start, strength.oracle_less_start_interval),
        ):
            if value is not None and ends is not None:
                bounds = {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}
                self.write({f"evaluation/{each}": bound for each, bound in bounds.items()}, strength.games)

    def close(self) -> None:
        """Write buffered metrics and close the file."""
        self._writer.close()


class SampleGames:
    """Keeps the rounds of the game at the first table, and writes the finished game if a sample is due."""

    def __init__(self, folder: Path, every: int, rules: Rules, table: TableConfig) -> None:
        """every: number of games of the whole training between samples; 0 for no samples."""
        self._folder, self._every, self._rules, self._seating = folder, every, rules, table
        self._rounds = np.zeros(0, GAME)
        self._due = 0

    def note(self, ended: Ended, games: int, learner: str) -> None:
        """Process the rounds that ended. games: finished games of the training. learner: the learning player's name."""
        rows = np.flatnonzero(ended.game == SAMPLED_TABLE)
        if not self._every or not len(rows):
            return
        self._rounds = np.concatenate([self._rounds, ended.records[rows]])
        played = self._rounds["deals"]
        if int(played[-1]) != len(played):  # a different game from the one kept: its simulator was lost
            self._rounds = self._rounds[-1:] if played[-1] == 1 else self._rounds[:0]
        if not len(self._rounds) or not ended.finished[rows].any():
            return
        if games >= self._due:
            number = int(self._rounds[-1]["number"])
            self._folder.mkdir(parents=True, exist_ok=True)
            players = (learner, *self._seating.opponents)
            names = [players[player] for player in seated(self._seating, np.array([number]))[0]]
            log = game_log(self._rounds, self._rules, names, f"game {number}")
            write_whole(self._folder / f"{games:08d}-{number:08d}.mjlog", write_mjlog(log))
            self._due = games + self._every
        self._rounds = np.zeros(0, GAME)

    def state(self) -> dict[str, np.ndarray]:
        """Return the rounds of the game in progress, and when the next sample is due."""
        return {"rounds": as_bytes(self._rounds), "due": np.array([self._due], np.int64)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from what `state` returned."""
        self._rounds = from_bytes(state["rounds"])
        self._due = int(state["due"][0])


class Monitor:
    """The files of a training. Its results do not depend on them."""

    def __init__(self, config: TrainConfig, folder: Path, precision: Precision) -> None:
        """precision: of measurements. Raises InputError for unusable weights, and for another training's folder."""
        check_opponent(config.evaluation)
        self.config, self.folder, self._precision = config, RunFolder(folder), precision
        self._purpose = purpose(config)
        self.start = load_start(config)
        """The networks that the training started from, by model."""
        progress, _ = self.saved()
        self._games, self._version, self._is_fresh = progress.games, progress.version, progress.learner is None
        self._metrics: Mapping[str, float] = {}
        self._lately = deque([(time.monotonic(), self._games)])  # times and games
        self.samples = SampleGames(self.folder.games, config.sample_games, Rules.preset(config.rules), config.table)

    def open(self) -> None:
        """Make the folder and the curves' file; nothing has been written before."""
        self.folder.path.mkdir(parents=True, exist_ok=True)
        if self._is_fresh:
            self.folder.strength.unlink(missing_ok=True)  # from an earlier run in this folder
        self._writer = MetricWriter(self.folder.tensorboard, self._games)

    def saved(self) -> Checkpoint:
        """Return the last checkpoint, or that of a training that has not begun, without tensors.

        Raises InputError if it is of another training.
        """
        saved = load_checkpoint(self.folder.checkpoint, self._purpose, SelfPlayProgress)
        return saved or (SelfPlayProgress(purpose=self._purpose), {})

    def tell(self, metrics: Mapping[str, float], games: int, version: int) -> None:
        """Receive the progress and the metrics of a version, and write the curves."""
        self._games, self._version, self._metrics = games, version, metrics
        now = time.monotonic()
        self._lately.append((now, games))
        while len(self._lately) > 2 and now - self._lately[0][0] > _LATELY_SECONDS:
            self._lately.popleft()
        self._writer.write(metrics, games)

    def report(self) -> TrainingReport:
        """Return the training's progress, with the last measurement."""
        first, last = self._lately[0], self._lately[-1]
        rate = (last[1] - first[1]) / (last[0] - first[0]) if last[0] > first[0] else 0.0
        decisions = self._metrics.get("rate/decisions_per_s", 0.0)
        return TrainingReport(
            self._games, self.config.games, self._version, rate, decisions, self._metrics, self.strength()
        )

    def sample(self, ended: Ended, learner: str) -> None:
        """Receive rounds that ended, of which those of the table whose games are kept as samples count."""
        self.samples.note(ended, self._games, learner)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write the agent, then the checkpoint."""
        progress, tensors = checkpoint
        self.folder.save_agent(self.config, networks_in(checkpoint, self.start), progress.games)
        save_checkpoint(self.folder.checkpoint, progress, tensors)

    def oracle_of(self, checkpoint: Checkpoint) -> SelfPlayPolicy | None:
        """Return the policy of a checkpoint that sees what is hidden; None if it sees nothing of that."""
        progress, _ = checkpoint
        gamma = self.config.learning.gamma_at(progress.learner.games) if progress.learner else 0.0
        if not gamma:
            return None
        return SelfPlayPolicy(0, networks_in(checkpoint, self.start), self._precision, self.config.seed, gamma, ())

    def measure(self, agent: Path, games: int, oracle: SelfPlayPolicy | None, stop: Event) -> Strength | None:
        """Measure the agent in a folder, and write the result; return None, with nothing written, if it was stopped.

        games: that the agent has learned from. oracle: measured as well, if there is one. Raises InputError if that is
        impossible, and Collapsed if the agent is far worse than the start.
        """
        config = self.config
        assert config.evaluation is not None
        evaluation = StrengthEvaluation(
            config.evaluation, config.rules, config.start, self.folder.evaluation, self._precision
        )
        strength = evaluation.measure(agent, games, stop, oracle)
        if strength is None:
            return None
        write_strength(self.folder.strength, strength)
        self._writer.write_strength(strength)
        self.folder.keep_if_best(agent, strength)
        check_rank(config, strength)
        return strength

    def strength(self) -> Strength | None:
        """Return the last measurement, or None if there is none."""
        return read_strength(self.folder.strength)

    def close(self) -> None:
        """Close the curves' file."""
        self._writer.close()


class RunMonitor(Monitor):
    """The monitor of a run by roles, in the process that starts it: receives what they tell, and measures meanwhile."""

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

    def tell(self, metrics: Mapping[str, float], games: int, version: int) -> None:
        """Receive the learner's progress and metrics, and write the curves."""
        super().tell({**metrics, **self._averages.take()}, games, version)

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
