"""Configure and train the reward predictor (formula 4): its games, AdamW, early stopping and checkpoints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from pydantic import AliasChoices, Field

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.checkpoint import TrainingProgress, joined, load_checkpoint, purpose_of, save_checkpoint, tensors_below
from suphx.config import Config, StrictModel
from suphx.dataset.logs import GeneratedGames
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.errors import InputError
from suphx.reward.games import INPUTS, INPUTS_VERSION, RULES_OF_REWARD, START, Games, encode
from suphx.reward.predictor import RewardNetwork, RewardShape
from suphx.reward.target import Length, RankingPoints, Target, centered, ranks


class RewardConfig(Config):
    """Configuration of a training of the global reward predictor."""

    name: str = Field(default="reward", pattern=r"^[\w-][\w.-]*$")
    """Name of the run and of its folder."""
    seed: int = Field(default=0, ge=0)
    """Random seed of fresh weights, the order of games, dropout and the bootstrap."""
    games: Length = "east_south"
    """Games to learn from: East-South or East-only."""
    target: Target = RankingPoints()
    """The reward of a finished game by rank, and its units."""
    hidden: int = Field(default=32, ge=1, le=1024)
    """Width of both layers of the GRU and of the first fully connected layer."""
    dropout: float = Field(default=0.1, ge=0, lt=1)
    """Dropout rate between the layers during training."""
    batch: int = Field(default=64, ge=1)
    """Games per step, four sequences each."""
    learning_rate: float = Field(default=1e-3, gt=0)
    """Initial learning rate of AdamW; decays to 0 along a half cosine over `epochs`."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Weight decay of AdamW."""
    epochs: int = Field(default=30, ge=1)
    """Maximum number of epochs: of passes over the training games."""
    patience: int = Field(default=6, ge=1)
    """Stop after this many epochs without a lower validation loss; the weights of the best epoch are kept."""
    bootstrap: int = Field(default=1000, ge=20)
    """Number of bootstrap samples of the test games for the intervals of the evaluation."""
    plotted_rounds: int = Field(default=10, ge=1)
    """The plot of a game shows the first test game with at least this many rounds."""
    generated: GeneratedGames = GeneratedGames()
    """The games to learn from if no logs are given."""

    @property
    def prizes(self) -> np.ndarray:
        """The reward of each rank: f64[4], with the mean subtracted, in units of the target."""
        return centered(self.target.by_rank(self.games))

    @property
    def scale(self) -> float:
        """The standard deviation of the prizes, or 1 if all are equal."""
        return float(np.sqrt((self.prizes**2).mean())) or 1.0


#: By field: its name, and the one in files of earlier versions.
FORMER = {"epochs": AliasChoices("epochs", "passes"), "best_epoch": AliasChoices("best_epoch", "best_pass")}


@dataclass(frozen=True)
class RewardSelection:
    """Finished games for training, validation and test."""

    games: Games
    split: np.ndarray
    """u8[n]: index in SPLITS of each game."""
    rules: Rules

    def part(self, name: str) -> Games:
        """Return the games of the split with a name."""
        return self.games.take(self.split == list(SPLITS).index(name))


def select_games(prepared: Prepared, length: Length) -> RewardSelection:
    """Select the prepared games of one length.

    Raises InputError if there are none, if their rules differ in RULES_OF_REWARD, or if seats with equal points share
    their prizes (`Rules.ties`).
    """
    kinds = [number for number, rules in enumerate(prepared.rules) if rules.length == length]
    chosen = np.isin(prepared.games["rules"], kinds)
    if not chosen.any():
        raise InputError(f"no {length} games among {len(prepared.games):,}; `games` in the configuration sets the kind")
    rules = [prepared.rules[number] for number in np.unique(prepared.games["rules"][chosen])]
    for other in rules[1:]:
        different = [name for name in RULES_OF_REWARD if getattr(other, name) != getattr(rules[0], name)]
        if different:
            raise InputError(f"the games differ in rules that affect ranks: {', '.join(different)}; train separately")
    if rules[0].ties != "seat":
        raise InputError(f"rules: ties is {rules[0].ties!r}; the predictor ranks equal points by seat")
    return RewardSelection(_padded(prepared, np.flatnonzero(chosen)), prepared.split()[chosen], rules[0])


def _padded(prepared: Prepared, which: np.ndarray) -> Games:
    games = prepared.games[which]
    n_starts = games["n_rounds"].astype(np.int64)
    places = np.arange(n_starts.max())
    real = places < n_starts[:, None]
    rows = np.where(real, games["first_round"].astype(np.int64)[:, None] + places, 0)
    starts = np.zeros(rows.shape, START)
    for name in START.names or ():
        starts[name] = prepared.rounds[name][rows]
    starts[~real] = np.zeros((), START)
    if (prepared.rounds["dealer"][rows] != prepared.rounds["round"][rows] % SEATS)[real].any():
        raise InputError("the reward predictor does not support games whose first dealer is not seat 0")
    return Games(starts, n_starts, np.ones(len(games), bool), games["final_scores"].astype(np.int32))


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
    rewards: torch.Tensor
    """f32[n, 4]"""

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, which: torch.Tensor) -> RewardExamples:
        """Return some of the games."""
        width = int(self.lengths[which].max())
        return RewardExamples(self.inputs[which, :width], self.lengths[which], self.rewards[which])


def examples_of(games: Games, config: RewardConfig) -> RewardExamples:
    """Return the examples in finished games; games of a single round have nothing to predict and are left out."""
    games = games.take(games.ended & (games.n_starts > 1))
    inputs, known = encode(games, config.games)
    rewards = (config.prizes[ranks(games.final_scores)] / config.scale).astype(np.float32)
    return RewardExamples(*map(torch.from_numpy, (inputs, known.sum(1), rewards)))


def loss_of(network: RewardNetwork, examples: RewardExamples) -> torch.Tensor:
    """Return the loss of formula 4: the squared error, averaged over seats, over a game's rounds, then over games.

    The round that ends a game has no term, because the actual reward is used there, not the network's output.
    """
    phi = network(examples.inputs, examples.lengths)
    errors = ((phi - examples.rewards[:, None]) ** 2).mean(-1)
    known = torch.arange(errors.shape[1]) < examples.lengths[:, None]
    return ((errors * known).sum(1) / examples.lengths).mean()


class Trainer:
    """One training: call `run`, then `best_network`."""

    def __init__(self, config: RewardConfig, selection: RewardSelection, folder: Path) -> None:
        """Prepare to train, or to resume; raises InputError if the folder's checkpoint belongs to another training."""
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
        if checkpoint := load_checkpoint(self._path, self.progress.purpose, RewardProgress):
            self.progress, tensors = checkpoint
            self._network.load_state_dict(tensors_below(tensors, "network."))
            state = {n: tensors_below(tensors, f"optimizer.{n}.") for n, _ in enumerate(self._network.parameters())}
            self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": state})
            self._best = tensors_below(tensors, "best.")

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
        optimizer = {f"optimizer.{number}": each for number, each in self._optimizer.state_dict()["state"].items()}
        parts = {"network": self._network.state_dict(), "best": self._best} | optimizer
        save_checkpoint(self._path, self.progress, joined(parts))
