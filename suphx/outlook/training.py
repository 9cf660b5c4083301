"""Train the outlook network on prepared logs."""

from collections.abc import Generator
from pathlib import Path

import numpy as np
import torch
from pydantic import Field

from suphx.checkpoint import purpose_of
from suphx.dataset.loader import Loader, PairChunk, prefetch
from suphx.dataset.logs import GeneratedGames
from suphx.dataset.prepared import Prepared
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.models import OUTLOOK
from suphx.networks.policy import OutlookNetwork
from suphx.networks.precision import Precision, keep_memory
from suphx.networks.sizes import NetworkSize
from suphx.outlook.examples import DiscardSource, Targets
from suphx.outlook.predictor import fresh_network, loss_of
from suphx.supervised.config import Schedule
from suphx.supervised.training import AveragingOptimizer, LoopPlan, SupervisedTraining

WEIGHTS_NAME = "outlook.safetensors"
_VALIDATION_BATCH = 1024


class OutlookConfig(Schedule):
    """Configuration of a training of the outlook network."""

    name: str = Field(default="outlook", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its folder."""
    seed: int = Field(default=0, ge=0)
    """Random seed of fresh weights, the order of decisions and the ura indicators."""
    size: NetworkSize = NetworkSize(name="outlook", filters=48, blocks=3)
    """Size of the network."""
    decisions: int = Field(default=500_000, ge=1)
    """Discard decisions to train on, counting repeats."""
    batch: int = Field(default=512, ge=1)
    """Decisions per step."""
    average_steps: int = Field(default=300, ge=1)
    """The weights that are kept are a moving average over about this many steps."""
    validations: int = Field(default=5, ge=1)
    """How often the averaged weights are evaluated on validation decisions."""
    validation_decisions: int = Field(default=5_000, ge=1)
    """Decisions per validation."""
    generated: GeneratedGames = GeneratedGames()
    """The games to learn from if no logs are given."""


class OutlookTraining(SupervisedTraining[OutlookNetwork, Targets]):
    """The training of an outlook network; its pairs are decisions. A checkpoint is written after every chunk."""

    def __init__(self, config: OutlookConfig, prepared: Prepared, folder: Path, precision: Precision) -> None:
        """Raises InputError if the games have no decisions to learn from, or the checkpoint is another training's."""
        keep_memory()
        self.config = config
        self._source, self._held_out_source = (DiscardSource(prepared, split) for split in ("training", "validation"))
        n = self._source.selection.n_pairs
        if not n or not self._held_out_source.selection.n_pairs:
            raise InputError(f"none of {len(prepared.games):,} games is for training or validation; more are needed")
        network = fresh_network(config.size, config.seed).to(precision.device)
        optimizer = AveragingOptimizer(network, config, config.learning_rate)
        purpose = purpose_of(config.model_dump(exclude={"name", "generated"}), n, VERSION, precision.dtype)
        plan = LoopPlan(config.decisions, config.batch, config.validations)
        super().__init__(OUTLOOK, optimizer, plan, folder, precision, purpose)

    def chunks(self, first: int) -> Generator[tuple[int, PairChunk[Targets]]]:
        """Yield the discard decisions of training games, half of them after the discard."""
        order = Loader(self._source.source, self.config.seed)

        def chunk(number: int) -> PairChunk[Targets]:
            place = divmod(number, order.chunks)
            random = order.random(*place)
            examples = self._source.collect(order.places(*place), random).half_after(random)
            shuffled = random.permutation(len(examples.seats))
            return PairChunk(examples.planes()[shuffled], examples.targets[shuffled])

        return prefetch(chunk, first)

    def held_out(self) -> PairChunk[Targets]:
        """Return discard decisions of validation games, half of them after the discard."""
        source, n = self._held_out_source, self.config.validation_decisions
        random = np.random.default_rng(self.config.seed)
        examples = source.collect(source.selection.sample(random, n), random).half_after(random)
        return PairChunk(examples.planes(), examples.targets).take(slice(n))

    def loss(self, chunk: PairChunk[Targets]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss on a batch, and its parts as in `outputs.loss_of`."""
        return loss_of(self.network.of_packed(chunk.planes, self.precision), chunk.targets)

    @torch.inference_mode()
    def validate(self, held_out: PairChunk[Targets]) -> dict[str, float]:
        """Return the loss of the averaged weights and its parts."""
        sums: dict[str, float] = {}
        for start in range(0, len(held_out), _VALIDATION_BATCH):
            chunk = held_out.take(slice(start, start + _VALIDATION_BATCH))
            loss, parts = loss_of(self.average.of_packed(chunk.planes, self.precision), chunk.targets)
            for name, each in {"loss": loss, **parts}.items():
                sums[name] = sums.get(name, 0.0) + float(each) * len(chunk) / len(held_out)
        return sums
