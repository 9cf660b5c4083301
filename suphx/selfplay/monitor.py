"""`Monitor`: all that a training writes into its folder: agents, checkpoints, curves, sample games, measurements."""

import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from threading import Event

from torch.utils.tensorboard import SummaryWriter

from simulator.rules import Rules
from simulator.tables import Ended
from suphx.checkpoint import load_checkpoint, save_checkpoint
from suphx.networks.precision import Precision
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength, StrengthEvaluation, check_opponent, read_strength, write_strength
from suphx.selfplay.folder import RunFolder, load_start
from suphx.selfplay.policy import SelfPlayPolicy
from suphx.selfplay.samples import SampleGames
from suphx.selfplay.training import Checkpoint, SelfPlayProgress, TrainingReport, check_rank, networks_in, purpose

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
