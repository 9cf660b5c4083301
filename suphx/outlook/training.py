"""Train the outlook network on prepared logs."""

from collections.abc import Generator
from pathlib import Path

import numpy as np
import torch

from suphx.checkpoint import purpose_of
from suphx.dataset.loader import Loader, PairChunk, prefetch
from suphx.dataset.prepared import Prepared
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.memory import keep_memory
from suphx.networks.models import OUTLOOK
from suphx.networks.policy import OutlookNetwork
from suphx.networks.precision import Precision
from suphx.outlook.config import OutlookConfig
from suphx.outlook.examples import DiscardSource, Targets
from suphx.outlook.outputs import fresh_network, loss_of
from suphx.supervised.optimizer import AveragingOptimizer
from suphx.supervised.training import LoopPlan, SupervisedTraining

WEIGHTS_NAME = "outlook.safetensors"
_VALIDATION_BATCH = 1024


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
        source, random, n = (
            self._held_out_source,
            np.random.default_rng(self.config.seed),
            self.config.validation_decisions,
        )
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
