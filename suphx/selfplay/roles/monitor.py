"""The monitor role: curves, sample games, checkpoints on disk, measurements. It runs where the run's folder is."""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import ray
import torch

from simulator.files import write_whole
from simulator.rules import Rules
from simulator.tables import Ended
from suphx.agent.named_networks import UNTRAINED, weights_folder
from suphx.agents import has_networks
from suphx.checkpoint import load_checkpoint, save_checkpoint
from suphx.errors import InputError
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import choose_precision
from suphx.networks.sizes import MODELS
from suphx.networks.weights import load_agent
from suphx.reward.predictor import RewardPredictor
from suphx.reward.rounds import load_predictor
from suphx.selfplay.board import Averages, Board
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Evaluation, Strength, check_opponent, read_strength, write_strength
from suphx.selfplay.folder import STRENGTH_NAME, RunFolder
from suphx.selfplay.local import load_teachers
from suphx.selfplay.policy import Policy
from suphx.selfplay.roles.beginning import Beginning, Networks, program
from suphx.selfplay.roles.parcels import Parcel, Saved, pack_networks, unpack_policy
from suphx.selfplay.roles.requests import is_answered
from suphx.selfplay.roles.server import RolesProgress
from suphx.selfplay.samples import Samples
from suphx.selfplay.seating import earlier_names, opponents
from suphx.selfplay.sources import load_start
from suphx.selfplay.status import Collapsed, Report, words_of_lost_rank

#: Seconds over which the displayed rate is averaged; a version is often shorter than a game.
_LATELY_SECONDS = 60.0


def beginning_of(config: TrainConfig, networks: Mapping[str, PolicyNetwork]) -> tuple[Networks, RewardPredictor | None]:
    """Return what a run starts from, and the predictor of Phi, if that is its reward.

    networks: those of its start, by model. Raises InputError if an opponent (including that of measurements), a teacher
    or the predictor cannot be used.
    """
    check_opponent(config.evaluation)
    against = {}
    for name in dict.fromkeys(opponents(config.table)):
        if name.partition(":")[0] == UNTRAINED:
            raise InputError(f"{name}: fresh networks cannot sit at the tables of a distributed training")
        if has_networks(name):
            against[name] = pack_networks(load_agent(weights_folder(name)))
    teachers = load_teachers(config)
    predictor = load_predictor(config.reward, Rules.preset(config.rules))
    taught = pack_networks(teachers) if teachers else None
    return Networks(pack_networks(networks), against, taught), predictor


@dataclass(frozen=True)
class _Kept:
    """The last saved agent, as far as it is not in the agent's folder."""

    games: int
    """Games of self-play when it was saved."""
    seeing: dict[str, Parcel] | None
    """Its networks with hidden planes, if it is an oracle."""
    gamma: float


class Monitor:
    """A Ray actor to which the other roles report. The training's results do not depend on its speed."""

    def __init__(self, config: TrainConfig, folder: Path, purpose: str) -> None:
        """purpose: identifies the run's checkpoints; raises InputError if there is one of another training."""
        self._config, self._folder, self._purpose = config, RunFolder(folder), purpose
        folder.mkdir(parents=True, exist_ok=True)
        self._begun = folder / "simulators_begun"
        self._strength = folder / STRENGTH_NAME
        self._games, self._version = 0, 0
        self._figures: dict[str, float] = {}
        self._lately: deque[tuple[float, int]] = deque()  # time, games
        saved = self.last()
        if saved is not None:
            progress = RolesProgress.model_validate_json(saved.progress)
            self._games, self._version = progress.games, progress.version
        else:
            self._strength.unlink(missing_ok=True)  # from an earlier run in this folder
        self._board = Board(self._folder.tensorboard, self._games)
        self._averages = Averages()
        self._samples = Samples(self._folder.games, config.sample_games, Rules.preset(config.rules), config.table)
        self._networks = load_start(config)
        found, predictor = beginning_of(config, self._networks)
        versions = len(earlier_names(config.table))
        self._beginning = Beginning(program(), ray.put(found), tuple(found.opponents), predictor, versions)
        self._stop = Event()
        self._measuring: Any = None
        self._kept: _Kept | None = None
        if saved is not None:  # what a monitor that has died would still measure; without an oracle's hidden planes
            self._kept = _Kept(self._games, None, 0.0)
        strength = self.strength()
        self._measured = strength.games if strength else 0
        """Games of self-play when the agent that was measured last, or is being measured, was saved."""

    def ready(self) -> None:
        """Return once the monitor has started."""

    def beginning(self) -> Beginning:
        """Return what the run starts from."""
        return self._beginning

    def begin_simulator(self) -> int:
        """Return a number that no simulator of this run has had before, which determines its walls."""
        found = int(self._begun.read_text()) if self._begun.exists() else 0
        write_whole(self._begun, str(found + 1).encode())
        return found

    def note(self, group: str, figures: dict[str, float]) -> None:
        """Receive figures of a role."""
        self._averages.add(group, figures)

    def tell(self, figures: dict[str, float], games: int, version: int) -> None:
        """Receive the learner's progress and figures, and write the curves."""
        self._games, self._version = games, version
        self._figures = figures | self._averages.take()
        now = time.monotonic()
        self._lately.append((now, games))
        while len(self._lately) > 2 and now - self._lately[0][0] > _LATELY_SECONDS:
            self._lately.popleft()
        self._board.write(self._figures, games)

    def report(self) -> Report:
        """Return the training's progress; raises the error of a failed measurement."""
        is_answered(self._measuring)
        rate, (first, last) = 0.0, (self._lately[0], self._lately[-1]) if self._lately else ((0.0, 0), (0.0, 0))
        if last[0] > first[0]:
            rate = (last[1] - first[1]) / (last[0] - first[0])
        decisions = self._figures.get("rate/decisions_per_s", 0.0)
        return Report(self._games, self._config.games, self._version, rate, decisions, self._figures, self.strength())

    def sample(self, ended: Ended, learner: str) -> None:
        """Receive rounds of the table whose games are kept as samples."""
        self._samples.note(ended, self._games, learner)

    def keep(self, saved: Saved, measure: bool) -> None:
        """Write the agent, then the checkpoint; measure: measure that agent, unless a measurement is running.

        Raises the error of the last measurement if it failed.
        """
        progress = RolesProgress.model_validate_json(saved.progress)
        learning = {model: unpack_policy(parcel) for model, parcel in saved.learner.items()}
        self._folder.save_agent(self._config, self._networks | learning, progress.games)
        tensors = {name: torch.from_numpy(np.ascontiguousarray(each)) for name, each in saved.tensors.items()}
        save_checkpoint(self._folder.checkpoint, progress, tensors)
        seeing = pack_networks(self._networks | learning) if saved.gamma else None
        self._kept = _Kept(progress.games, seeing, saved.gamma)
        if is_answered(self._measuring) and measure:
            self._measure_kept()

    def _measure_kept(self) -> None:
        """Start measuring a copy of the last saved agent, unless it has already been measured."""
        if self._kept is None or self._kept.games <= self._measured:
            return
        candidate = self._folder.evaluation / "candidate"
        shutil.rmtree(candidate, ignore_errors=True)
        shutil.copytree(self._folder.agent, candidate)
        me = ray.get_runtime_context().current_actor
        self._measuring, self._measured = me.measure.remote(candidate, self._kept), self._kept.games

    def last(self) -> Saved | None:
        """Return the last checkpoint, or None if there is none; raises InputError if it is of another training."""
        found = load_checkpoint(self._folder.checkpoint, self._purpose, RolesProgress)
        if found is None:
            return None
        progress, tensors = found
        return Saved(progress.model_dump_json(), {name: each.numpy() for name, each in tensors.items()}, {})

    @ray.method(concurrency_group="measure")
    def measure(self, agent: Path, kept: _Kept) -> None:
        """Measure the agent in a folder, and write the result.

        Raises InputError if that is impossible, and Collapsed if the agent is far worse than the start.
        """
        config = self._config
        assert config.evaluation is not None
        precision = choose_precision("cpu", None, config.roles.monitor.threads)
        evaluation = Evaluation(config.evaluation, config.rules, config.start, self._folder.evaluation, precision)
        oracle = None
        if kept.seeing is not None:
            networks = {model: unpack_policy(kept.seeing[model]) for model in MODELS}
            oracle = Policy(0, networks, precision, config.seed, kept.gamma, ())
        try:
            strength = evaluation.measure(agent, kept.games, self._stop, oracle)
        except InputError as error:
            raise InputError(f"measuring the agent after {kept.games:,} games: {error}") from error
        if strength is not None:
            write_strength(self._strength, strength)
            self._board.write_strength(strength)
            self._folder.keep_if_best(agent, strength)
            if words := words_of_lost_rank(config, strength):
                raise Collapsed(words)

    def finish(self) -> None:
        """Measure the last agent, if that has not been done and nothing interrupts it, and close the curves' file."""
        self._wait_for_measurement()
        if self._config.evaluation is not None and not self._stop.is_set():
            self._measure_kept()
            self._wait_for_measurement()
        self._board.close()

    def _wait_for_measurement(self) -> None:
        if self._measuring is not None:
            ray.get(self._measuring)

    @ray.method(concurrency_group="interrupt")
    def interrupt(self) -> None:
        """Abort a running measurement, and begin none."""
        self._stop.set()

    def strength(self) -> Strength | None:
        """Return the last measurement, or None if there is none."""
        return read_strength(self._strength)
