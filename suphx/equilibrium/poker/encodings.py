"""Counterfactual value networks: what four encodings lose, and how well a network learns with each.

The experiment is that of the seed, Hopner and Loza Mencia. An encoding is which bucket each pair of a board is in.
Ranges are summed over buckets, values averaged; back again, each pair gets its bucket's value. The direct encoding has
a bucket for each pair, and the board's cards as inputs.
"""

import json
from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from pydantic import Field
from torch import nn

from suphx.config import Config
from suphx.equilibrium.poker.buckets import NestedBuckets, PotentialBuckets, features, square_buckets
from suphx.equilibrium.poker.cards import CARDS, PAIR_CARDS, PAIRS
from suphx.equilibrium.poker.samples import SolvedEndgames, load_samples
from suphx.errors import InputError
from suphx.run_folder import JsonLines, settle

#: All inputs are scaled alike. A range has a few dozen hands of some size: its norm is about 0.13, that of the board 2.
#: Were ranges alone scaled to the board's norm or far above, the network could hardly see on which board they are.
_SCALE = 30.0
_HIDDEN, _LAYERS = 500, 7
_LINES = "networks.jsonl"

#: The paper's tables, by name: Huber loss and MSE of the encoding; Huber losses of the networks on abstract train, full
#: train, abstract test and full test.
PAPER_ENCODING = {"E[HS2]": (0.0240, 0.0509), "nested": (0.0406, 0.0886), "potential-aware": (0.0258, 0.0544)}
PAPER_NETWORK = {
    "E[HS2]": (0.0254, 0.0387, 0.0330, 0.0434),
    "nested": (0.0080, 0.0436, 0.0161, 0.0478),
    "potential-aware": (0.0052, 0.0267, 0.0102, 0.0297),
    "direct": (0.0102, 0.0102, 0.0143, 0.0143),
}


class EncodingsConfig(Config):
    """The abstractions and the training."""

    seed: int = Field(0, ge=0)
    """Of the abstractions, the division into training and test, and the networks; each network seed adds one."""
    seeds: int = Field(3, ge=1)
    """Networks that are trained with each encoding, each on another division."""
    public: int = Field(10, ge=1, le=100)
    """Clusters of boards of the nested abstraction."""
    private: int = Field(100, ge=1, le=300)
    """Classes of hands in each."""
    buckets: int = Field(1000, ge=1, le=5000)
    """Of the potential-aware abstraction."""
    training: float = Field(0.8, gt=0, lt=1)
    """Share of the samples to learn from; the rest are for the test."""
    epochs: int = Field(350, ge=1)
    """Passes over the training samples."""
    batch: int = Field(100, ge=1)
    """SolvedEndgames per step."""
    learning_rate: float = Field(0.001, gt=0, le=1)
    """Of Adam, at first; falls to nothing along half a cosine."""


class Losses(NamedTuple):
    """Mean errors over all hands or buckets of both players."""

    huber: float
    square: float


class Encoded:
    """SolvedEndgames in an encoding.

    buckets: i16[n, 1326], -1 where there is no hand; `direct` if they are the pairs themselves. Attributes, as tensors:
    ranges f32[n, 2, width], targets f32[n, 2, width] (mean values), present bool[n, width], and of the hands
    themselves values f32[n, 2, 1326] and held bool[n, 1326].
    """

    def __init__(self, samples: SolvedEndgames, buckets: np.ndarray, width: int, direct: bool) -> None:
        self.width, self.direct = width, direct
        self.held = torch.from_numpy(buckets >= 0)
        self.place = torch.from_numpy(np.maximum(buckets, 0).astype(np.int64))
        self.values = torch.from_numpy(samples.values)
        board = torch.zeros(len(buckets), CARDS).scatter_(1, torch.from_numpy(samples.board.astype(np.int64)), 1.0)
        rest = torch.from_numpy(1 / (1 + 2 * samples.stack))[:, None]  # the pot's part of all chips
        self.rest = torch.cat([board, rest], 1) if direct else rest
        if direct:
            self.ranges, self.targets, self.present = torch.from_numpy(samples.ranges), self.values, self.held
            return
        counts = self._sums(self.held[:, None].float())
        self.present = counts[:, 0] > 0
        self.ranges = self._sums(torch.from_numpy(samples.ranges))
        self.targets = self._sums(self.values * self.held[:, None]) / counts.clamp(min=1)

    def _sums(self, each: torch.Tensor) -> torch.Tensor:
        place = self.place[:, None].expand(-1, each.shape[1], -1)
        return torch.zeros(len(each), each.shape[1], self.width).scatter_add_(2, place, each)

    def decoded(self, values: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return the value of each pair, f32[k, 2, 1326], from those of the buckets of some samples."""
        return values.gather(2, self.place[rows][:, None].expand(-1, 2, -1))

    def encoding_losses(self) -> Losses:
        """Return what is lost when values are encoded and decoded."""
        every = torch.arange(len(self.values))
        return losses(self.decoded(self.targets, every), self.values, self.held)


def losses(values: torch.Tensor, targets: torch.Tensor, counted: torch.Tensor) -> Losses:
    """Return the errors of f32[n, 2, m] where counted bool[n, m]; the Huber loss has delta 1."""
    at = counted[:, None].expand_as(targets)
    pair = values[at], targets[at]
    return Losses(float(nn.functional.huber_loss(*pair)), float(nn.functional.mse_loss(*pair)))


class PokerValueNetwork(nn.Module):
    """DeepStack's network: seven layers of 500 with PReLU, and an outer layer that makes values zero-sum."""

    def __init__(self, width: int, rest: int) -> None:
        super().__init__()
        sizes = [2 * width + rest] + [_HIDDEN] * _LAYERS
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers += [nn.Linear(before, after), nn.PReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(_HIDDEN, 2 * width))

    def forward(self, ranges: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
        """Return values f32[n, 2, width] for ranges f32[n, 2, width] and the other inputs f32[n, rest].

        Half of what both players together win is taken from each (ranges add up to 1), so that it is nothing.
        """
        values = self.layers(_SCALE * torch.cat([ranges.flatten(1), rest], 1)).unflatten(1, (2, -1))
        return values - (ranges * values).sum((1, 2), keepdim=True) / 2


def _suit_moves() -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return for each of the 24 orders of suits where each pair, and each card with the pot after them, comes from."""
    moves = []
    for suits in permutations(range(4)):
        card = np.array([4 * (each >> 2) + suits[each & 3] for each in range(CARDS)])
        low, high = np.sort(card[PAIR_CARDS], axis=1).T
        moves.append((torch.from_numpy(high * (high - 1) // 2 + low), torch.from_numpy(np.append(card, CARDS))))
    return moves


def train(
    encoded: Encoded, rows: torch.Tensor, epochs: int, batch: int, learning_rate: float, seed: int
) -> Iterator[PokerValueNetwork]:
    """Train a network on some samples, by Adam and the Huber loss; yields it after each epoch.

    The learning rate falls to nothing along a cosine. With the direct encoding, suits are renamed at random for each
    minibatch: the same endgame, of which the other encodings see nothing.
    """
    torch.manual_seed(seed)
    network = PokerValueNetwork(encoded.width, encoded.rest.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * -(-len(rows) // batch))
    moves = _suit_moves() if encoded.direct else []
    for _ in range(epochs):
        for chosen in rows[torch.randperm(len(rows))].split(batch):
            ranges, rest, targets = encoded.ranges[chosen], encoded.rest[chosen], encoded.targets[chosen]
            present = encoded.present[chosen]
            if moves:
                pairs, cards = moves[int(torch.randint(len(moves), ()))]
                ranges, targets, present = ranges[..., pairs], targets[..., pairs], present[:, pairs]
                rest = rest[:, cards]
            error = nn.functional.huber_loss(network(ranges, rest), targets, reduction="none") * present[:, None]
            optimizer.zero_grad(set_to_none=True)
            (error.sum() / (2 * present.sum())).backward()
            optimizer.step()
            schedule.step()
        yield network


@torch.no_grad()
def evaluate(network: PokerValueNetwork, encoded: Encoded, rows: torch.Tensor) -> tuple[Losses, Losses]:
    """Return the errors on some samples: of buckets, and of the hands themselves."""
    values = torch.cat([network(encoded.ranges[part], encoded.rest[part]) for part in rows.split(1000)])
    return (
        losses(values, encoded.targets[rows], encoded.present[rows]),
        losses(encoded.decoded(values, rows), encoded.values[rows], encoded.held[rows]),
    )


class Trained(NamedTuple):
    """A network's errors."""

    encoding: str
    samples: int
    seed: int
    train: tuple[Losses, Losses]
    """On buckets, and on hands."""
    test: tuple[Losses, Losses]


def encode(folder: Path, config: EncodingsConfig, count: int | None) -> dict[str, Encoded]:
    """Read samples and return them in the four encodings; the abstractions come from the boards alone."""
    samples = load_samples(folder, count)
    if len(samples.stack) < 10:
        raise InputError(f"{folder}: {len(samples.stack)} samples are too few to learn from")
    known = features(samples.board)
    nested = NestedBuckets(known, config.public, config.private, config.seed)
    potential = PotentialBuckets(known, config.buckets, config.seed)
    widths = {
        "E[HS2]": (square_buckets(known), PAIRS),
        "nested": (nested(known), config.public * config.private),
        "potential-aware": (potential(known), config.buckets),
        "direct": (np.where(np.isnan(known.square), -1, np.arange(PAIRS)).astype(np.int16), PAIRS),
    }
    return {name: Encoded(samples, *each, name == "direct") for name, each in widths.items()}


class NetworkErrors:
    """The errors of trained networks in a file, one line for each, so that a run can resume."""

    def __init__(self, folder: Path, config: EncodingsConfig) -> None:
        """Open a folder, created if needed; InputError if it is of another configuration, or holds something else."""
        settle(folder, "encodings.json", _LINES, config.model_dump(exclude={"seeds"}), "run")
        self.path, self.trained = folder / _LINES, list[Trained]()
        self._file = JsonLines(self.path, self._read, "trains here", "errors of a network")

    def _read(self, line: bytes) -> None:
        name, samples, seed, *pairs = json.loads(line)
        train, test = (tuple(Losses(float(huber), float(mse)) for huber, mse in pair) for pair in pairs)
        if name not in PAPER_NETWORK or len(train) != 2 or len(test) != 2:
            raise ValueError(name)
        self.trained.append(Trained(name, int(samples), int(seed), train, test))

    def has(self, name: str, samples: int, seed: int) -> bool:
        """Return whether a network has been trained."""
        return any(each[:3] == (name, samples, seed) for each in self.trained)

    def add(self, trained: Trained) -> None:
        """Write a network's errors."""
        self._file.add(json.dumps(trained))
        self.trained.append(trained)


def train_all(
    encoded: dict[str, Encoded], config: EncodingsConfig, sizes: list[int], results: NetworkErrors
) -> Iterator[int]:
    """Train every network that is not among the results, and add it; yields the samples of each epoch.

    sizes: on how many samples (the first of them, divided into training and test by the seed).
    """
    for size in sizes:
        for seed in range(config.seed, config.seed + config.seeds):
            rows = torch.randperm(size, generator=torch.Generator().manual_seed(seed))
            learned, held_out = rows[: int(size * config.training)], rows[int(size * config.training) :]
            for name, each in encoded.items():
                if results.has(name, size, seed):
                    yield len(learned) * config.epochs
                    continue
                networks = train(each, learned, config.epochs, config.batch, config.learning_rate, seed)
                for network in networks:  # noqa: B007 - the last one is the result
                    yield len(learned)
                errors = evaluate(network, each, learned), evaluate(network, each, held_out)
                results.add(Trained(name, size, seed, *errors))
