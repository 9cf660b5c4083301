"""Train the outlook network on prepared logs; a training that was stopped goes on from its checkpoint."""

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from pydantic import Field
from torch.utils.tensorboard import SummaryWriter

from suphx.checkpoint import TrainingProgress, load_checkpoint, purpose_of, save_checkpoint, tensors_below
from suphx.config import StrictModel
from suphx.dataset.prepared import Prepared
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.memory import keep_memory
from suphx.networks.policy import OutlookNetwork
from suphx.networks.precision import Precision
from suphx.outlook.config import OutlookConfig
from suphx.outlook.examples import DiscardSource, Targets, chunks, some_examples
from suphx.outlook.outputs import fresh_network, loss_of
from suphx.supervised.optimizer import AveragingOptimizer

WEIGHTS_NAME = "outlook.safetensors"
_VALIDATION_BATCH = 1024


class Validation(StrictModel):
    """The losses of the averaged weights on validation decisions."""

    decisions: int
    """Number of decisions trained on so far."""
    losses: dict[str, float]
    """By part, as in `outputs.loss_of`, and `all`."""


class Progress(TrainingProgress):
    """The progress of a training."""

    chunk: int = 0
    """Number of the next chunk."""
    decisions: int = 0
    """Number of decisions trained on so far."""
    steps: int = 0
    validations: list[Validation] = Field(default_factory=list)


class OutlookTraining:
    """One training: `run` goes on from the checkpoint in its folder, if there is one."""

    def __init__(self, config: OutlookConfig, prepared: Prepared, folder: Path, precision: Precision) -> None:
        """Raises InputError if the games have no decisions to learn from, or the checkpoint is another training's."""
        self.config, self._path, self._precision = config, folder / "checkpoint.safetensors", precision
        self.source = DiscardSource(prepared, "training")
        self._held_out = DiscardSource(prepared, "validation")
        n = self.source.selection.n_pairs
        if not n or not self._held_out.selection.n_pairs:
            raise InputError(f"none of {len(prepared.games):,} games is for training or validation; more are needed")
        self.network = fresh_network(config.size, config.seed).to(precision.device)
        self._optimizer = AveragingOptimizer(self.network, config, config.learning_rate)
        about = config.model_dump(exclude={"name", "generated"})
        self.progress = Progress(purpose=purpose_of(about, n, VERSION, precision.dtype))
        found = load_checkpoint(self._path, self.progress.purpose, Progress)
        if found is not None:
            self.progress, tensors = found
            self.network.load_state_dict(tensors_below(tensors, "network."))
            self._optimizer.load_tensors(tensors, self.progress.steps)

    @property
    def average(self) -> OutlookNetwork:
        """The moving average of the weights, which is what is validated and kept."""
        return self._optimizer.average

    def run(self, watch: Callable[[int, float, float], None]) -> None:
        """Train to the end; watch: called after every chunk with decisions done, decisions a second, and the loss.

        A checkpoint is written after every chunk.
        """
        keep_memory()
        with SummaryWriter(str(self._path.parent / "tensorboard"), purge_step=self.progress.decisions) as board:
            self._run(board, watch)

    def _run(self, board: SummaryWriter, watch: Callable[[int, float, float], None]) -> None:
        progress, total = self.progress, self.config.decisions
        if progress.decisions >= total:
            return
        held_out = some_examples(self._held_out, self.config.validation_decisions, self.config.seed)
        between = total / self.config.validations
        for number, (planes, targets) in chunks(self.source, self.config.seed, progress.chunk):
            started, before = time.monotonic(), progress.decisions
            left = total - before
            parts = self._learn(planes[:left], targets.take(slice(left)), before)
            progress.chunk, progress.decisions = number + 1, before + min(left, len(targets))
            progress.steps = self._optimizer.steps
            rate = (progress.decisions - before) / (time.monotonic() - started)
            for name, value in parts.items():
                board.add_scalar(f"training/{name}", value, progress.decisions)
            if progress.decisions >= min(total, (before // between + 1) * between):
                self._validate(held_out, board)
            self._save()
            watch(progress.decisions, rate, parts["all"])
            if progress.decisions >= total:
                return

    def _learn(self, planes: np.ndarray, targets: Targets, before: int) -> dict[str, float]:
        """Take a step for every batch of a chunk, and return the mean losses."""
        n = len(targets)
        sums: dict[str, float] = {}
        bounds = np.linspace(0, n, max(1, round(n / self.config.batch)) + 1).astype(int)
        for start, stop in pairwise(bounds):
            loss, parts = loss_of(
                self.network.of_packed(planes[start:stop], self._precision), targets.take(slice(start, stop))
            )
            loss.backward()
            self._optimizer.step_at((before + start) / self.config.decisions)
            for name, each in (parts | {"all": loss}).items():
                sums[name] = sums.get(name, 0.0) + float(each.detach()) * (stop - start) / n
        return sums

    def _validate(self, held_out: tuple[np.ndarray, Targets], board: SummaryWriter) -> None:
        losses = losses_of(self.average, *held_out, self._precision)
        for name, value in losses.items():
            board.add_scalar(f"validation/{name}", value, self.progress.decisions)
        self.progress.validations.append(Validation(decisions=self.progress.decisions, losses=losses))

    def _save(self) -> None:
        weights = {f"network.{name}": each for name, each in self.network.state_dict().items()}
        save_checkpoint(self._path, self.progress, weights | self._optimizer.tensors())


def losses_of(network: OutlookNetwork, planes: np.ndarray, targets: Targets, precision: Precision) -> dict[str, float]:
    """Return the mean losses of a network on positions, by part and `all`."""
    sums: dict[str, float] = {}
    with torch.inference_mode():
        for start in range(0, len(targets), _VALIDATION_BATCH):
            part = slice(start, start + _VALIDATION_BATCH)
            loss, parts = loss_of(network.of_packed(planes[part], precision), targets.take(part))
            share = len(planes[part]) / len(targets)
            for name, each in (parts | {"all": loss}).items():
                sums[name] = sums.get(name, 0.0) + float(each) * share
    return sums
