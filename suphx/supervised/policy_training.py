"""The supervised training of one of the agent's networks: the action that the seat in the log took is its target."""

import math
from collections.abc import Callable, Generator
from pathlib import Path
from threading import Event

import numpy as np
import torch
from torch.nn import functional

from suphx.agent.registry import weights_folder
from suphx.checkpoint import purpose_of
from suphx.dataset.loader import Loader, PairChunk, Source, legal_discards
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import select
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS, Model
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import RESIDUAL, build_network
from suphx.networks.weights import load_agent_network, load_network
from suphx.supervised.config import PretrainConfig
from suphx.supervised.training import BEST_NAME, AveragingOptimizer, ChunkReport, LoopPlan, SupervisedTraining


def log_loss(logits: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return f64[n], -log(softmax probability of the action), for logits f32[n, m] and actions i64[n]."""
    scaled = logits.astype(np.float64)
    scaled -= scaled.max(axis=1, keepdims=True)
    return np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(actions)), actions]


class PolicyTraining(SupervisedTraining[PolicyNetwork, np.ndarray]):
    """The training of one model."""

    def __init__(
        self,
        model: Model,
        config: PretrainConfig,
        prepared: Prepared,
        folder: Path,
        precision: Precision,
        seconds: float = math.inf,
    ) -> None:
        """seconds: end after this time, the learning rate at 0, if the pairs are not used up before.

        Raises InputError if the logs have no pairs of the model, or the checkpoint belongs to another training.
        """
        self.config, self.model_plan = config, config.models[model]
        self.source, self.held_out_source = (
            Source(prepared, select(prepared, model, split, config.filters), config.hide)
            for split in ("training", "validation")
        )
        n_pairs = self.source.selection.n_pairs
        if not n_pairs or not self.held_out_source.selection.n_pairs:
            raise InputError(
                f"these logs hold no pairs of the {model} model to train on, or none to validate with: more games are "
                "needed, or other filters, or a configuration without that model"
            )
        network = _first_network(model, config).to(precision.device)
        optimizer = AveragingOptimizer(network, config, self.model_plan.learning_rate or config.learning_rate)
        plan = LoopPlan(
            self.model_plan.pairs, config.batch, config.validations, config.patience, config.weak,
            config.checkpoint_seconds, seconds,
        )  # fmt: skip
        elsewhere = {"name", "models", "test_pairs", "checkpoint_seconds", "generated", "start", "hide"}
        about = config.model_dump(exclude=elsewhere), *filter(None, (config.start, config.hide))
        purpose = purpose_of(model, self.model_plan, *about, n_pairs, VERSION, precision.dtype)
        super().__init__(model, optimizer, plan, folder, precision, purpose)

    def train(self, watch: Callable[[ChunkReport], None], stop: Event) -> PolicyNetwork:
        """Train to the end, as `run` does, and return the best network."""
        self.run(watch, stop)
        return load_network(self.folder / BEST_NAME, self.model)

    def chunks(self, first: int) -> Generator[tuple[int, PairChunk[np.ndarray]]]:
        """Yield the pairs of training games."""
        on_gpu = self.precision.device.type == "cuda"  # steps are quick there, and leave the threads to the loader
        threads = self.precision.threads if on_gpu else 1
        shuffle_suits = self.model_plan.shuffle_suits
        loader = Loader(self.source, self.config.seed, shuffle_suits=shuffle_suits, threads=threads, pinned=on_gpu)
        return loader.run(first)

    def held_out(self) -> PairChunk[np.ndarray]:
        """Return pairs of validation games."""
        return self.held_out_source.some_pairs(self.config.validation_pairs)

    def loss(self, chunk: PairChunk[np.ndarray]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the cross-entropy and the accuracy on a batch."""
        device = self.precision.device
        logits = self.network.of_packed(chunk.planes, self.precision)
        if self.model == "discard":
            legal = torch.from_numpy(legal_discards(chunk.planes)).to(device, non_blocking=True)
            logits = logits.masked_fill(~legal, -torch.inf)
        actions = torch.from_numpy(chunk.targets).to(device, non_blocking=True)
        accuracy = (logits.detach().argmax(dim=1) == actions).float().mean()
        return functional.cross_entropy(logits, actions), {"accuracy": accuracy}

    def validate(self, held_out: PairChunk[np.ndarray]) -> dict[str, float]:
        """Return the loss and the accuracy of the averaged weights, at the precision that they will play with."""
        logits = Evaluator(self.average, self.precision).logits(held_out.planes)
        if self.model == "discard":
            logits = np.where(legal_discards(held_out.planes), logits, -np.inf)
        accuracy = float((logits.argmax(axis=1) == held_out.targets).mean())
        return {"loss": float(log_loss(logits, held_out.targets).mean()), "accuracy": accuracy}


def _first_network(model: Model, config: PretrainConfig) -> PolicyNetwork:
    """Return the network that a training starts from: freshly initialized from the seed, or with given weights."""
    torch.manual_seed(config.seed * len(MODELS) + MODELS.index(model))
    fresh = build_network(model, config.size_of(model))
    if config.start is None:
        return fresh
    start_model = config.models[model].start_model or model
    network = load_agent_network(weights_folder(config.start), start_model)
    if network.size.architecture != RESIDUAL or fresh.size.architecture != RESIDUAL:
        if network.size != fresh.size:
            raise InputError(f"{config.start}: its {start_model} network is {network.size}, not {fresh.size}")
    elif network.size.filters > fresh.size.filters or network.size.blocks > fresh.size.blocks:
        size = f"{network.size.filters} filters x {network.size.blocks} blocks"
        raise InputError(f"{config.start}: its {start_model} network has {size}; the configuration gives fewer")
    grow_into(fresh, network)
    return fresh


@torch.no_grad()
def grow_into(fresh: PolicyNetwork, network: PolicyNetwork) -> None:
    """Give a freshly initialized network the weights of one with as many filters and blocks or fewer.

    Its outputs are then those of the smaller network, but for rounding: no filter of that network sees a new one, the
    head does not either, and a new block is the identity (Net2Net, arXiv:1511.05641). The new filters keep their
    initial weights, so that they can learn. Layers that the smaller network does not have stay as they are.
    """
    smaller = network.state_dict()
    for name, weights in fresh.state_dict().items():
        if name not in smaller:
            continue
        old = smaller[name]
        if old.dim() > 1:
            weights[: len(old)] = 0
        weights[tuple(map(slice, old.shape))] = old
