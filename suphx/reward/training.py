"""Train the reward predictor (formula 4) with AdamW, early stopping and a checkpoint after every epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from pydantic import AliasChoices, Field

from suphx.checkpoint import TrainingProgress, joined, load_checkpoint, purpose_of, save_checkpoint, tensors_below
from suphx.config import StrictModel
from suphx.reward.config import RewardConfig
from suphx.reward.games import Games
from suphx.reward.inputs import INPUTS, INPUTS_VERSION, encode
from suphx.reward.predictor import RewardNetwork, RewardShape
from suphx.reward.selection import RewardSelection
from suphx.reward.target import ranks

#: By field: its name, and the one in files of earlier versions.
FORMER = {"epochs": AliasChoices("epochs", "passes"), "best_epoch": AliasChoices("best_epoch", "best_pass")}


class Epoch(StrictModel):
    """The losses of an epoch as in formula 4, in squares of the prizes' standard deviation."""

    training_loss: float
    """Mean over the epoch, with dropout."""
    validation_loss: float


class RewardProgress(TrainingProgress):
    """The progress of a training."""

    epochs: list[Epoch] = Field(default_factory=list, validation_alias=FORMER["epochs"])
    best_epoch: int = Field(default=0, validation_alias=FORMER["best_epoch"])
    """Index of the epoch with the lowest validation loss."""


@dataclass(frozen=True)
class RewardExamples:
    """Encoded games with their rewards, in units of the prizes' standard deviation."""

    inputs: torch.Tensor
    """f32[n, k, 4, INPUTS]"""
    lengths: torch.Tensor
    """i64[n], 1 to k"""
    known: torch.Tensor
    """bool[n, k]"""
    rewards: torch.Tensor
    """f32[n, 4]"""

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, which: torch.Tensor) -> RewardExamples:
        """Return some of the games."""
        width = int(self.lengths[which].max())
        return RewardExamples(
            self.inputs[which, :width], self.lengths[which], self.known[which, :width], self.rewards[which]
        )


def examples_of(games: Games, config: RewardConfig) -> RewardExamples:
    """Return the examples in finished games; games of a single round have nothing to predict and are left out."""
    games = games.take(games.ended & (games.n_starts > 1))
    inputs, known = encode(games, config.games)
    rewards = (config.prizes[ranks(games.final_scores)] / config.scale).astype(np.float32)
    return RewardExamples(*map(torch.from_numpy, (inputs, known.sum(1), known, rewards)))


def loss_of(network: RewardNetwork, examples: RewardExamples) -> torch.Tensor:
    """Return the loss of formula 4: the squared error, averaged over seats, over a game's rounds, then over games.

    The round that ends a game has no term, because the actual reward is used there, not the network's output.
    """
    phi = network(examples.inputs, examples.lengths)
    errors = ((phi - examples.rewards[:, None]) ** 2).mean(-1)
    return ((errors * examples.known).sum(1) / examples.lengths).mean()


class Trainer:
    """One training: call `run`, then `best_network`."""

    def __init__(self, config: RewardConfig, selection: RewardSelection, folder: Path) -> None:
        """Prepare to train on the training split, or to resume from the folder's checkpoint.

        Raises InputError if the folder's checkpoint belongs to another training.
        """
        self._config = config
        self._training = examples_of(selection.part("training"), config)
        self._validation = examples_of(selection.part("validation"), config)
        self._path = folder / "checkpoint.safetensors"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self._network = RewardNetwork(RewardShape(inputs=len(INPUTS), hidden=config.hidden), config.dropout)
        self._optimizer = torch.optim.AdamW(
            self._network.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        self._best = {name: tensor.clone() for name, tensor in self._network.state_dict().items()}
        about_training = config.model_dump(exclude={"name", "bootstrap", "plotted_rounds", "generated"})
        games, split = selection.games, selection.split
        data = (games.starts.tobytes(), games.n_starts.tobytes(), games.final_scores.tobytes(), split.tobytes())
        self.progress = RewardProgress(purpose=purpose_of(about_training, INPUTS_VERSION, *data))
        self._resume()

    @property
    def games(self) -> int:
        """Number of games per epoch."""
        return len(self._training)

    def run(self) -> Iterator[int]:
        """Train to the end, yielding the number of games of each step; a finished training yields nothing."""
        while not self._done():
            yield from self._epoch()

    def best_network(self) -> RewardNetwork:
        """Return a network with the weights of the epoch that had the lowest validation loss."""
        network = RewardNetwork(self._network.shape)
        network.load_state_dict(self._best)
        return network

    def _done(self) -> bool:
        epochs = self.progress.epochs
        since_best = len(epochs) - 1 - self.progress.best_epoch if epochs else 0
        return len(epochs) >= self._config.epochs or since_best >= self._config.patience

    def _epoch(self) -> Iterator[int]:
        number = len(self.progress.epochs)
        steps = math.ceil(self.games / self._config.batch)
        total = 0.0
        with torch.random.fork_rng(devices=[]):  # order and dropout of an epoch depend only on the seed and its number
            torch.manual_seed(self._config.seed * 1_000_003 + number + 1)
            self._network.train()
            order = torch.randperm(self.games)
            for step in range(steps):
                which = order[step * self._config.batch : (step + 1) * self._config.batch]
                total += self._step(self._training.take(which), number + step / steps) * len(which)
                yield len(which)
        self._finish_epoch(total / self.games)

    def _step(self, examples: RewardExamples, passed: float) -> float:
        share = passed / self._config.epochs
        self._optimizer.param_groups[0]["lr"] = self._config.learning_rate * 0.5 * (1 + math.cos(math.pi * share))
        self._optimizer.zero_grad()
        loss = loss_of(self._network, examples)
        loss.backward()
        self._optimizer.step()
        return float(loss.detach())

    def _finish_epoch(self, training_loss: float) -> None:
        self._network.eval()
        with torch.no_grad():
            validation_loss = float(loss_of(self._network, self._validation))
        epochs = self.progress.epochs
        if not epochs or validation_loss < epochs[self.progress.best_epoch].validation_loss:
            self.progress.best_epoch = len(epochs)
            self._best = {name: tensor.clone() for name, tensor in self._network.state_dict().items()}
        epochs.append(Epoch(training_loss=training_loss, validation_loss=validation_loss))
        self._save()

    def _save(self) -> None:
        optimizer = {f"optimizer.{number}": each for number, each in self._optimizer.state_dict()["state"].items()}
        parts = {"network": self._network.state_dict(), "best": self._best} | optimizer
        save_checkpoint(self._path, self.progress, joined(parts))

    def _resume(self) -> None:
        checkpoint = load_checkpoint(self._path, self.progress.purpose, RewardProgress)
        if checkpoint is None:
            return
        self.progress, tensors = checkpoint
        self._network.load_state_dict(tensors_below(tensors, "network."))
        state = {n: tensors_below(tensors, f"optimizer.{n}.") for n, _ in enumerate(self._network.parameters())}
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": state})
        self._best = tensors_below(tensors, "best.")
