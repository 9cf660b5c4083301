"""Supervised training of one model: chunks of pairs, steps, validations and checkpoints."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
import torch
from pydantic import Field
from torch.nn import functional
from torch.utils.tensorboard import SummaryWriter

from suphx.agent.named_networks import weights_folder
from suphx.checkpoint import TrainingProgress, load_checkpoint, purpose_of, save_checkpoint, tensors_below
from suphx.config import StrictModel
from suphx.dataset.loader import Chunk, Loader, Source, legal_discards
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import select
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS, Model
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.weights import load_agent_network, load_network, save_network
from suphx.supervised.config import PretrainConfig
from suphx.supervised.optimizer import AveragingOptimizer

CHECKPOINT_NAME = "checkpoint.safetensors"
BEST_NAME = "best.safetensors"
WEAK_NAME = "weak.safetensors"


class Interrupted(Exception):
    """Raised when the training was told to stop; it can be resumed from its checkpoint."""


class Validation(StrictModel):
    """The accuracy and loss of the averaged weights on validation pairs."""

    pairs: int
    """Number of pairs trained on so far."""
    accuracy: float
    loss: float
    """Mean of -log(probability of the answer)."""


class Progress(TrainingProgress):
    """The progress of a training."""

    chunk: int = 0
    """Number of the next chunk."""
    pairs: int = 0
    """Number of pairs trained on so far."""
    steps: int = 0
    seconds: float = 0
    done: bool = False
    best: Validation | None = None
    validations: list[Validation] = Field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """The progress of a training, for display."""

    model: Model
    pairs: int
    total: int
    pairs_per_s: float
    loss: float
    validation: Validation | None


def log_loss(logits: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Return f64[n], -log(softmax probability of the answer), for logits f32[n, m] and answers i64[n]."""
    scaled = logits.astype(np.float64)
    scaled -= scaled.max(axis=1, keepdims=True)
    return np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(answers)), answers]


def validate(network: PolicyNetwork, held_out: Chunk, precision: Precision, pairs: int) -> Validation:
    """Evaluate a network on held-out pairs, at the precision that it will play with; pairs: trained on so far."""
    logits = Evaluator(network, precision).logits(held_out.planes)
    if network.model == "discard":
        logits = np.where(legal_discards(held_out.planes), logits, -np.inf)
    accuracy = float((logits.argmax(axis=1) == held_out.answers).mean())
    return Validation(pairs=pairs, accuracy=accuracy, loss=float(log_loss(logits, held_out.answers).mean()))


class Training:
    """The training of one model in its own folder: `run` resumes from the checkpoint there, if there is one."""

    def __init__(
        self, model: Model, config: PretrainConfig, prepared: Prepared, folder: Path, precision: Precision
    ) -> None:
        """Raises InputError if the logs have no pairs of the model, or the checkpoint belongs to another training."""
        self.model, self.config, self.folder, self.precision = model, config, folder, precision
        self.plan = config.models[model]
        self.source = Source(prepared, select(prepared, model, "training", config.filters), config.hide)
        self.held_out_source = Source(prepared, select(prepared, model, "validation", config.filters), config.hide)
        if not self.source.selection.n_pairs or not self.held_out_source.selection.n_pairs:
            raise InputError(
                f"these logs hold no pairs of the {model} model to train on, or none to validate with: more games are "
                "needed, or other filters, or a configuration without that model"
            )
        self.network = _first_network(model, config).to(precision.device)
        self.optimizer = AveragingOptimizer(self.network, config, self.plan.learning_rate or config.learning_rate)
        purpose = purpose_of(
            model, self.plan, *_purpose(config), self.source.selection.n_pairs, VERSION, precision.dtype
        )
        self.progress = Progress(purpose=purpose)
        found = load_checkpoint(folder / CHECKPOINT_NAME, purpose, Progress)
        if found is not None:
            self.progress, tensors = found
            self.network.load_state_dict(tensors_below(tensors, "network."))
            self.optimizer.load_tensors(tensors, self.progress.steps)

    @property
    def average(self) -> PolicyNetwork:
        """The moving average of the weights, which is what is validated and saved."""
        return self.optimizer.average

    def run(self, watch: Callable[[Report], None], stop: Event) -> PolicyNetwork:
        """Train until the pairs are used up or validation stops it; return the best network.

        watch: called after every chunk. stop: set it to end the training early; it then writes a checkpoint and raises
        Interrupted.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.progress.done:
            with SummaryWriter(self.folder / "tensorboard", purge_step=self.progress.pairs) as board:
                self._train(board, watch, stop)
        return load_network(self.folder / BEST_NAME, self.model)

    def _train(self, board: SummaryWriter, watch: Callable[[Report], None], stop: Event) -> None:
        progress, config, total = self.progress, self.config, self.plan.pairs
        held_out = self.held_out_source.some_pairs(config.validation_pairs)
        on_gpu = self.precision.device.type == "cuda"  # steps are quick there, and leave the threads to the loader
        threads = self.precision.threads if on_gpu else 1
        loader = Loader(self.source, config.seed, shuffle_suits=self.plan.shuffle_suits, threads=threads, pinned=on_gpu)
        step_pairs = total / config.validations
        next_validation = (progress.pairs // step_pairs + 1) * step_pairs
        saved = time.monotonic()
        for number, chunk in loader.run(progress.chunk):
            started = time.monotonic()
            before = progress.pairs
            left = total - progress.pairs
            part = Chunk(chunk.planes[:left], chunk.answers[:left])
            loss, accuracy, rate = self._learn(part, before / total, (before + len(part.answers)) / total)
            seconds = time.monotonic() - started
            progress.chunk = number + 1
            progress.pairs += len(part.answers)
            progress.steps = self.optimizer.steps
            progress.seconds += seconds
            self._keep_weak(before)
            speed = (progress.pairs - before) / seconds
            figures = {"loss": loss, "accuracy": accuracy, "learning_rate": rate, "pairs_per_s": speed}
            for name, value in figures.items():
                board.add_scalar(f"{self.model}/{name}", value, progress.pairs)
            found = None
            if progress.pairs >= min(next_validation, total):
                next_validation += step_pairs
                found = self._validate(held_out, board)
            watch(Report(self.model, progress.pairs, total, speed, loss, found))
            progress.done = progress.pairs >= total or self._is_over()
            if progress.done or stop.is_set() or time.monotonic() - saved > config.checkpoint_seconds:
                self._save()
                saved = time.monotonic()
            if progress.done:
                return
            if stop.is_set():
                raise Interrupted

    def _learn(self, chunk: Chunk, first: float, last: float) -> tuple[float, float, float]:
        """Take a step for every batch of a chunk, while the completed share of the training goes from first to last.

        Return means of loss and accuracy over the steps, and the learning rate of convolutions at the last one.
        """
        losses, right, rate = [], [], 0.0
        n = len(chunk.answers)
        for rows in np.array_split(np.arange(n), max(1, round(n / self.config.batch))):
            start, stop = int(rows[0]), int(rows[-1]) + 1  # slices: a copy would not lie in pinned memory
            loss, good = self._loss(chunk.planes[start:stop], chunk.answers[start:stop])
            loss.backward()
            rate = self.optimizer.step_at(first + (last - first) * start / n)
            losses.append(loss.detach())
            right.append(good)
        return float(torch.stack(losses).mean()), float(torch.stack(right).mean()), rate

    def _loss(self, packed: np.ndarray, wanted: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        device = self.precision.device
        logits = self.network.of_packed(packed, self.precision)
        if self.model == "discard":
            legal = torch.from_numpy(legal_discards(packed)).to(device, non_blocking=True)
            logits = logits.masked_fill(~legal, -torch.inf)
        answers = torch.from_numpy(wanted).to(device, non_blocking=True)
        right = (logits.detach().argmax(dim=1) == answers).float().mean()
        return functional.cross_entropy(logits, answers), right

    def _validate(self, held_out: Chunk, board: SummaryWriter) -> Validation:
        progress = self.progress
        found = validate(self.average, held_out, self.precision, progress.pairs)
        board.add_scalar(f"{self.model}/validation_loss", found.loss, progress.pairs)
        board.add_scalar(f"{self.model}/validation_accuracy", found.accuracy, progress.pairs)
        progress.validations.append(found)
        if progress.best is None or found.loss < progress.best.loss:
            progress.best = found
            save_network(self.folder / BEST_NAME, self.average)
        return found

    def _is_over(self) -> bool:
        """Return whether the last `patience` validations all failed to improve on the best one before them."""
        best = self.progress.best
        later = [each for each in self.progress.validations if best is not None and each.pairs > best.pairs]
        return len(later) >= self.config.patience

    def _keep_weak(self, before: int) -> None:
        """Save the averaged weights as SL-weak if the configured share of the pairs has just been reached."""
        if before < self.config.weak * self.plan.pairs <= self.progress.pairs:
            save_network(self.folder / WEAK_NAME, self.average)

    def _save(self) -> None:
        weights = {f"network.{name}": each for name, each in self.network.state_dict().items()}
        save_checkpoint(self.folder / CHECKPOINT_NAME, self.progress, weights | self.optimizer.tensors())


def _first_network(model: Model, config: PretrainConfig) -> PolicyNetwork:
    """Return the network that a training starts from: freshly initialised from the seed, or with given weights."""
    torch.manual_seed(config.seed * len(MODELS) + MODELS.index(model))
    fresh = PolicyNetwork(model, config.size_of(model))
    if config.start is None:
        return fresh
    start_model = config.models[model].start_model or model
    network = load_agent_network(weights_folder(config.start), start_model)
    if network.size.filters > fresh.size.filters or network.size.blocks > fresh.size.blocks:
        found = f"{network.size.filters} filters x {network.size.blocks} blocks"
        raise InputError(f"{config.start}: its {start_model} network has {found}; the configuration gives fewer")
    grow_into(fresh, network)
    return fresh


@torch.no_grad()
def grow_into(fresh: PolicyNetwork, network: PolicyNetwork) -> None:
    """Give a freshly initialised network the weights of one with as many filters and blocks or fewer.

    Its answers are then those of the given network, but for rounding: no filter of the given network sees a new one,
    the head does not either, and a new block is the identity (Net2Net, arXiv:1511.05641). The new filters keep their
    initial weights, so that they can learn. Layers that the given network does not have stay as they are.
    """
    given = network.state_dict()
    for name, weights in fresh.state_dict().items():
        if name not in given:
            continue
        old = given[name]
        if old.dim() > 1:
            weights[: len(old)] = 0
        weights[tuple(map(slice, old.shape))] = old


def _purpose(config: PretrainConfig) -> tuple:
    """Return the parts of a configuration, besides the model's own plan, that determine its training."""
    elsewhere = {"name", "models", "test_pairs", "checkpoint_seconds", "generated", "start", "hide"}
    return (config.model_dump(exclude=elsewhere), *filter(None, (config.start, config.hide)))
