"""The loop of supervised training: chunks of pairs, steps, validations, early stopping, checkpoints and TensorBoard."""

from __future__ import annotations

import copy
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from pydantic import AliasChoices, Field, model_validator
from torch.utils.tensorboard import SummaryWriter

from suphx.checkpoint import TrainingProgress, load_checkpoint, save_checkpoint, tensors_below
from suphx.config import StrictModel
from suphx.dataset.loader import PairChunk, T
from suphx.learning.optimizer import Optimizer
from suphx.networks.policy import Network
from suphx.networks.precision import Precision
from suphx.networks.weights import save_network
from suphx.supervised.config import Schedule

CHECKPOINT_NAME = "checkpoint.safetensors"
BEST_NAME = "best.safetensors"
WEAK_NAME = "weak.safetensors"
#: The name of the number of pairs in checkpoints, and in those that earlier versions wrote of the outlook network.
_PAIRS = AliasChoices("pairs", "decisions")

N = TypeVar("N", bound=Network)
_AVERAGE_START = 10  # makes the average forget the first steps sooner


def rate_at(config: Schedule, share: float) -> float:
    """Return the factor on the learning rate after a share (0 to 1) of the pairs: it rises, stays at 1, falls to 0."""
    up = 1.0 if config.warmup == 0 else min(1.0, share / config.warmup)
    return up * min(1.0, (1 - share) / config.decay)


class AveragingOptimizer(Optimizer, Generic[N]):
    """Updates a network's weights from their gradients and maintains their moving average."""

    def __init__(self, network: N, config: Schedule, learning_rate: float) -> None:
        """learning_rate: peak rate of convolutions, or of all weights with AdamW alone."""
        muon = config.optimizer == "muon"
        other_rate = config.other_learning_rate if muon else None
        super().__init__(network, learning_rate, config.weight_decay, muon, other_rate)
        self.network = network
        self._config, self._peak = config, learning_rate
        self.average: N = copy.deepcopy(network).requires_grad_(False)
        self._averages: list[torch.Tensor] = list(self.average.parameters())

    def step_at(self, share: float) -> float:
        """Take a step at the rate for this share of the pairs and clear the gradients; return the convolution rate."""
        factor = rate_at(self._config, share)
        self.step(factor)
        decay = min(1 - 1 / self._config.average_steps, self.steps / (self.steps + _AVERAGE_START))
        with torch.no_grad():
            torch._foreach_lerp_(self._averages, self._weights, 1 - decay)
        return self._peak * factor

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return everything needed to resume, by name."""
        return super().tensors() | {f"average.{name}": each for name, each in self.average.state_dict().items()}

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume from what `tensors` returned after `steps` steps; raises KeyError if something is missing."""
        super().load_tensors(tensors, steps)
        self.average.load_state_dict({name: tensors[f"average.{name}"] for name in self.average.state_dict()})


class SupervisedInterrupted(Exception):
    """Raised when a training has been stopped; it can be resumed from its checkpoint."""


class Validation(StrictModel):
    """The averaged weights on validation pairs."""

    pairs: int = Field(validation_alias=_PAIRS)
    """Number of pairs trained on so far."""
    metrics: dict[str, float]
    """Means over the pairs by name; `loss` is what training minimizes."""

    @model_validator(mode="before")
    @classmethod
    def _former(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Translate validations in checkpoints of earlier versions."""
        if "losses" in values:  # of the outlook network
            losses = dict(values["losses"])
            return {"pairs": values["decisions"], "metrics": {"loss": losses.pop("all"), **losses}}
        if "loss" in values:
            return {"pairs": values["pairs"], "metrics": {name: values[name] for name in ("loss", "accuracy")}}
        return values


class SupervisedProgress(TrainingProgress):
    """The progress of a training."""

    chunk: int = 0
    """Number of the next chunk."""
    pairs: int = Field(default=0, validation_alias=_PAIRS)
    """Number of pairs trained on so far."""
    steps: int = 0
    seconds: float = 0
    """Time spent so far, interruptions left out."""
    done: bool = False
    best: Validation | None = None
    validations: list[Validation] = Field(default_factory=list)


@dataclass(frozen=True)
class ChunkReport:
    """The progress of a training after a chunk, for display."""

    model: str
    pairs: int
    share: float
    """How much of the training is done."""
    pairs_per_s: float
    loss: float
    validation: Validation | None


@dataclass(frozen=True)
class LoopPlan:
    """How long a training goes on, and what it does on the way."""

    pairs: int
    """Pairs to train on, counting repeats."""
    batch: int
    """Pairs per step."""
    validations: int
    """How often the averaged weights are evaluated."""
    patience: int | None = None
    """Stop after this many validations without a lower loss, and save the best weights; None: train to the end."""
    weak: float | None = None
    """Share of the pairs after which an under-trained copy is saved."""
    checkpoint_seconds: float = 0
    """Time between checkpoints; 0: after every chunk."""
    seconds: float = math.inf
    """End after this time as if the pairs were used up; where it is short, all that goes by pairs goes by time."""


class SupervisedTraining(ABC, Generic[N, T]):
    """The training of one network, resumed from its folder's checkpoint; subclasses give the pairs and the loss."""

    def __init__(
        self,
        model: str,
        optimizer: AveragingOptimizer[N],
        plan: LoopPlan,
        folder: Path,
        precision: Precision,
        purpose: str,
    ) -> None:
        """purpose: hash of all that determines the training; raises InputError if the checkpoint has another."""
        self.model, self.optimizer, self.plan = model, optimizer, plan
        self.folder, self.precision = folder, precision
        self.network: N = optimizer.network
        self.average: N = optimizer.average
        """The network with the moving average of the weights, which is what is validated and saved."""
        self.progress = SupervisedProgress(purpose=purpose)
        self._since = time.monotonic()
        checkpoint = load_checkpoint(folder / CHECKPOINT_NAME, purpose, SupervisedProgress)
        if checkpoint is not None:
            self.progress, tensors = checkpoint
            self.network.load_state_dict(tensors_below(tensors, "network."))
            optimizer.load_tensors(tensors, self.progress.steps)

    @abstractmethod
    def chunks(self, first: int) -> Generator[tuple[int, PairChunk[T]]]:
        """Yield (number, chunk) without end, from chunk number `first` on."""

    @abstractmethod
    def held_out(self) -> PairChunk[T]:
        """Return the validation pairs."""

    @abstractmethod
    def loss(self, chunk: PairChunk[T]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the mean loss of the network on a batch, and other means over it by name."""

    @abstractmethod
    def validate(self, held_out: PairChunk[T]) -> dict[str, float]:
        """Return means of the averaged weights on the validation pairs by name, among them `loss`."""

    def run(self, watch: Callable[[ChunkReport], None] = lambda report: None, stop: Event | None = None) -> None:
        """Train until the pairs or the time are used up or validation stops it.

        watch: called after every chunk. stop: set it to write a checkpoint early and raise SupervisedInterrupted.
        """
        progress, plan = self.progress, self.plan
        self.folder.mkdir(parents=True, exist_ok=True)
        if progress.done or progress.pairs >= plan.pairs:
            return
        with SummaryWriter(str(self.folder / "tensorboard"), purge_step=progress.pairs) as writer:
            held_out = self.held_out()
            saved = self._since = time.monotonic()
            for number, chunk in self.chunks(progress.chunk):
                watch(self._train_on(number, chunk.take(slice(plan.pairs - progress.pairs)), held_out, writer))
                progress.done = self._done(progress.pairs, progress.seconds) >= plan.pairs or self._out_of_patience()
                stopped = stop is not None and stop.is_set()
                if progress.done or stopped or time.monotonic() - saved >= plan.checkpoint_seconds:
                    self._save()
                    saved = time.monotonic()
                if progress.done:
                    return
                if stopped:
                    raise SupervisedInterrupted

    def _done(self, pairs: int, seconds: float) -> float:
        """Return `pairs`, or as large a share of the plan's as `seconds` are of the plan's time, if that is more."""
        return max(pairs, self.plan.pairs * seconds / self.plan.seconds)

    def _train_on(self, number: int, chunk: PairChunk[T], held_out: PairChunk[T], writer: SummaryWriter) -> ChunkReport:
        progress, plan = self.progress, self.plan
        before, started = self._done(progress.pairs, progress.seconds), time.monotonic()
        metrics, pairs = self._steps(chunk)
        ended = time.monotonic()
        progress.chunk, progress.steps = number + 1, self.optimizer.steps
        progress.pairs += pairs
        progress.seconds += ended - self._since
        self._since = ended
        done = self._done(progress.pairs, progress.seconds)
        metrics["pairs_per_s"] = pairs / (ended - started)
        if plan.weak is not None and before < plan.weak * plan.pairs <= done:
            save_network(self.folder / WEAK_NAME, self.average)
        between = plan.pairs / plan.validations
        validation = None
        if done >= min(plan.pairs, (before // between + 1) * between):
            validation = self._validation(held_out)
            metrics |= {f"validation_{name}": value for name, value in validation.metrics.items()}
        for name, value in metrics.items():
            writer.add_scalar(f"{self.model}/{name}", value, progress.pairs)
        share = min(done / plan.pairs, 1.0)
        return ChunkReport(self.model, progress.pairs, share, metrics["pairs_per_s"], metrics["loss"], validation)

    def _steps(self, chunk: PairChunk[T]) -> tuple[dict[str, float], int]:
        """Take a step for every batch of a chunk; return means over the steps, the last learning rate, and the pairs.

        These are fewer than the chunk's if the time is used up.
        """
        before, n, rate, stop = self.progress.pairs, len(chunk), 0.0, 0
        steps: list[dict[str, torch.Tensor]] = []
        for rows in np.array_split(np.arange(n), max(1, round(n / self.plan.batch))):
            start, stop = int(rows[0]), int(rows[-1]) + 1  # slices: a copy would not lie in pinned memory
            loss, others = self.loss(chunk.take(slice(start, stop)))
            loss.backward()
            done = self._done(before + start, self.progress.seconds + time.monotonic() - self._since)
            rate = self.optimizer.step_at(min(done / self.plan.pairs, 1.0))
            steps.append({"loss": loss.detach()} | {name: each.detach() for name, each in others.items()})
            if done >= self.plan.pairs:
                break
        means = {name: float(torch.stack([each[name] for each in steps]).mean()) for name in steps[0]}
        return means | {"learning_rate": rate}, stop

    def _validation(self, held_out: PairChunk[T]) -> Validation:
        progress = self.progress
        validation = Validation(pairs=progress.pairs, metrics=self.validate(held_out))
        progress.validations.append(validation)
        if self.plan.patience is not None and (
            progress.best is None or validation.metrics["loss"] < progress.best.metrics["loss"]
        ):
            progress.best = validation
            save_network(self.folder / BEST_NAME, self.average)
        return validation

    def _out_of_patience(self) -> bool:
        """Return whether the last `patience` validations all failed to improve on the best one before them."""
        best, patience = self.progress.best, self.plan.patience
        later = [each for each in self.progress.validations if best is not None and each.pairs > best.pairs]
        return patience is not None and len(later) >= patience

    def _save(self) -> None:
        weights = {f"network.{name}": each for name, each in self.network.state_dict().items()}
        save_checkpoint(self.folder / CHECKPOINT_NAME, self.progress, weights | self.optimizer.tensors())
