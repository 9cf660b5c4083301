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
from suphx.dataset.selection import Selection
from suphx.errors import InputError
from suphx.features.layout import VERSION
from suphx.networks.models import OUTLOOK
from suphx.networks.policy import OutlookNetwork
from suphx.networks.precision import Precision, keep_memory
from suphx.networks.sizes import NetworkSize
from suphx.outlook.examples import ChoiceSource, DiscardSource, Targets
from suphx.outlook.predictor import fresh_network, loss_of
from suphx.supervised.config import Schedule
from suphx.supervised.training import AveragingOptimizer, LoopPlan, SupervisedTraining

WEIGHTS_NAME = "outlook.safetensors"
_VALIDATION_BATCH = 1024
#: Kongs and riichi are rare: positions after them also come from so many times the rounds of the other positions.
_MORE_ROUNDS = 5


class OutlookConfig(Schedule):
    """Configuration of a training of the outlook network."""

    name: str = Field(default="outlook", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its folder."""
    seed: int = Field(default=0, ge=0)
    """Random seed of fresh weights, the order of positions and the ura indicators."""
    size: NetworkSize = NetworkSize(name="outlook", filters=48, blocks=3)
    """Size of the network."""
    decisions: int = Field(default=1_200_000, ge=1)
    """Positions to train on, counting repeats."""
    passes: float = Field(default=0.2, ge=0)
    """Positions after a pass for each discard decision; positions after kongs are all shown."""
    batch: int = Field(default=512, ge=1)
    """Positions per step."""
    average_steps: int = Field(default=300, ge=1)
    """The weights that are kept are a moving average over about this many steps."""
    validations: int = Field(default=5, ge=1)
    """How often the averaged weights are evaluated on validation positions."""
    validation_decisions: int = Field(default=5_000, ge=1)
    """Positions per validation."""
    generated: GeneratedGames = GeneratedGames()
    """The games to learn from if no logs are given."""


class PositionSource:
    """Collects the positions that the network learns from, of a split of prepared logs."""

    def __init__(self, prepared: Prepared, split: str) -> None:
        """split: one of SPLITS."""
        self.discards, self._choices = DiscardSource(prepared, split), ChoiceSource(prepared, split)

    @property
    def selection(self) -> Selection:
        """The rounds with discard decisions."""
        return self.discards.selection

    def collect(self, places: np.ndarray, passes: float, random: np.random.Generator) -> PairChunk[Targets]:
        """Return the positions of the selected rounds at `places`, with kongs of others, shuffled.

        passes: as in `OutlookConfig`.
        """
        discards = self.discards.collect(places, random).half_after(random)
        most = int(passes * len(discards.seats))
        of_rounds = self.selection.rounds[places]
        every = self._choices.rounds
        more = random.choice(every, _MORE_ROUNDS * len(places) if len(every) else 0)
        later = [
            self._choices.after_choices(of_rounds, most, random),
            self._choices.after_choices(more, 0, random),
            self._choices.after_riichi(more, random),
        ]
        planes = np.concatenate([discards.planes(), *(each.planes() for each in later)])
        targets = Targets.join([discards.targets, *(each.targets for each in later)])
        order = random.permutation(len(planes))
        return PairChunk(planes[order], targets[order])


class OutlookTraining(SupervisedTraining[OutlookNetwork, Targets]):
    """The training of an outlook network; its pairs are positions. A checkpoint is written after every chunk."""

    def __init__(self, config: OutlookConfig, prepared: Prepared, folder: Path, precision: Precision) -> None:
        """Raises InputError if the games have no decisions to learn from, or the checkpoint is another training's."""
        keep_memory()
        self.config = config
        self._source, self._held_out_source = (PositionSource(prepared, split) for split in ("training", "validation"))
        n = self._source.selection.n_pairs
        if not n or not self._held_out_source.selection.n_pairs:
            raise InputError(f"none of {len(prepared.games):,} games is for training or validation; more are needed")
        network = fresh_network(config.size, config.seed).to(precision.device)
        optimizer = AveragingOptimizer(network, config, config.learning_rate)
        purpose = purpose_of(config.model_dump(exclude={"name", "generated"}), n, VERSION, precision.dtype)
        plan = LoopPlan(config.decisions, config.batch, config.validations)
        super().__init__(OUTLOOK, optimizer, plan, folder, precision, purpose)

    def chunks(self, first: int) -> Generator[tuple[int, PairChunk[Targets]]]:
        """Yield positions of training games: discard decisions, half of them after the discard, passes and kongs."""
        order = Loader(self._source.discards.source, self.config.seed)

        def chunk(number: int) -> PairChunk[Targets]:
            place = divmod(number, order.chunks)
            return self._source.collect(order.places(*place), self.config.passes, order.random(*place))

        return prefetch(chunk, first)

    def held_out(self) -> PairChunk[Targets]:
        """Return such positions of validation games."""
        n, random = self.config.validation_decisions, np.random.default_rng(self.config.seed)
        places = self._held_out_source.selection.sample(random, n)
        return self._held_out_source.collect(places, self.config.passes, random).take(slice(n))

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
