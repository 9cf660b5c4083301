"""Counterfactual value networks: what four encodings lose, and how well a network learns with each.

The experiment is that of the seed, Hopner and Loza Mencia. An encoding is which bucket each pair of a board is in.
Ranges are summed over buckets, values averaged; back again, each pair gets its bucket's value. The direct encoding has
a bucket for each pair, and the board's cards as inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from pydantic import Field
from torch import nn

from suphx.config import Config
from suphx.equilibrium.poker.buckets import (
    BINS,
    BoardFeatures,
    NestedBuckets,
    PotentialBuckets,
    features,
    square_buckets,
)
from suphx.equilibrium.poker.cards import CARDS, PAIR_CARDS, PAIRS
from suphx.equilibrium.poker.samples import SolvedEndgames, load_samples
from suphx.equilibrium.poker.value_net import PokerValueNetwork, ValueExamples, train
from suphx.errors import InputError
from suphx.run_folder import JsonLines, settle

_LINES = "networks.jsonl"
#: Buckets are numbers of 16 bits.
MOST_BUCKETS = 30_000

#: The paper's tables, by name: Huber loss and MSE of the encoding; Huber losses of the networks on abstract train, full
#: train, abstract test and full test.
PAPER_ENCODING = {"E[HS2]": (0.0240, 0.0509), "nested": (0.0406, 0.0886), "potential-aware": (0.0258, 0.0544)}
PAPER_NETWORK = {
    "E[HS2]": (0.0254, 0.0387, 0.0330, 0.0434),
    "nested": (0.0080, 0.0436, 0.0161, 0.0478),
    "potential-aware": (0.0052, 0.0267, 0.0102, 0.0297),
    "direct": (0.0102, 0.0102, 0.0143, 0.0143),
}


class AbstractionConfig(Config):
    """The abstractions and the training."""

    seed: int = Field(0, ge=0)
    """Of the abstractions, the division into training and test, and the networks; each network seed adds one."""
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
    """Samples per step."""
    learning_rate: float = Field(0.001, gt=0, le=1)
    """Of Adam, at first; falls to nothing along half a cosine."""


class EncodingsConfig(AbstractionConfig):
    """The comparison of the encodings."""

    seeds: int = Field(3, ge=1)
    """Networks that are trained with each encoding, each on another division."""


class Losses(NamedTuple):
    """Mean errors over all hands or buckets of both players."""

    huber: float
    square: float


@dataclass(frozen=True)
class HandEncoding:
    """Which bucket each pair of a board is in.

    arrays: what was fitted, by name. width: number of buckets.
    """

    name: str
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def fit(cls, name: str, known: BoardFeatures, config: AbstractionConfig) -> HandEncoding:
        """Return one of the four encodings; the abstractions come from the boards alone."""
        fitted: NestedBuckets | PotentialBuckets
        if name == "nested":
            fitted = NestedBuckets.fit(known, config.public, config.private, config.seed)
        elif name == "potential-aware":
            fitted = PotentialBuckets.fit(known, config.buckets, config.seed)
        else:
            return cls(name)
        return cls(name, {key: np.asarray(value) for key, value in fitted._asdict().items()})

    @property
    def direct(self) -> bool:
        """Return whether the buckets are the pairs themselves, so that the network has to see the board."""
        return self.name == "direct"

    @property
    def width(self) -> int:
        """Return the number of buckets."""
        if not self.arrays:
            return PAIRS
        return len(self.arrays["centers"]) * int(self.arrays.get("private", 1))

    def check(self) -> None:
        """Raise InputError if these are not the arrays of one of the four encodings."""
        shapes = {name: (each.dtype.str, *each.shape) for name, each in self.arrays.items()}
        size = len(self.arrays["centers"]) if "centers" in shapes and self.arrays["centers"].ndim else 0
        fits: dict[str, dict[str, tuple]] = {
            "nested": {"mean": ("<f8", 2), "deviation": ("<f8", 2), "centers": ("<f8", size, 2), "private": ("<i8",)},
            "potential-aware": {"centers": ("<f4", size, BINS)},
            "E[HS2]": {},
            "direct": {},
        }
        if shapes != fits.get(self.name) or (shapes and not 0 < self.width <= MOST_BUCKETS):
            raise InputError(f"not the arrays of an encoding: {self.name}, {shapes}")

    def buckets(self, known: BoardFeatures) -> np.ndarray:
        """Return i16[n, 1326], the bucket of each pair; -1 for those with a card of the board."""
        if self.name == "nested":
            mean, deviation, centers, private = (self.arrays[key] for key in NestedBuckets._fields)
            return NestedBuckets(mean, deviation, centers, int(private))(known)
        if self.name == "potential-aware":
            return PotentialBuckets(**self.arrays)(known)
        if self.direct:
            return np.where(np.isnan(known.square), -1, np.arange(PAIRS)).astype(np.int16)
        return square_buckets(known)


def sums(each: torch.Tensor, place: torch.Tensor, width: int) -> torch.Tensor:
    """Return f32[n, k, width], numbers of pairs f32[n, k, m] added up by their buckets i64[n, m]."""
    place = place[:, None].expand(-1, each.shape[1], -1)
    return torch.zeros(len(each), each.shape[1], width).scatter_add_(2, place, each)


def other_inputs(board: np.ndarray, stack: np.ndarray, direct: bool) -> torch.Tensor:
    """Return f32[n, 1], the pot's part of all chips, and for the direct encoding the board's 52 cards before it.

    board: i[n, 4]. stack: f32[n], in pots.
    """
    part = torch.from_numpy(1 / (1 + 2 * stack))[:, None]
    if not direct:
        return part
    cards = torch.zeros(len(board), CARDS).scatter_(1, torch.from_numpy(board.astype(np.int64)), 1.0)
    return torch.cat([cards, part], 1)


def _suit_moves() -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return for each of the 24 orders of suits where each pair, and each card with the pot after them, comes from."""
    moves = []
    for suits in permutations(range(4)):
        card = np.array([4 * (each >> 2) + suits[each & 3] for each in range(CARDS)])
        low, high = np.sort(card[PAIR_CARDS], axis=1).T
        moves.append((torch.from_numpy(high * (high - 1) // 2 + low), torch.from_numpy(np.append(card, CARDS))))
    return moves


class Encoded(ValueExamples):
    """SolvedEndgames in an encoding.

    buckets: i16[n, 1326], -1 where there is no hand; `direct` if they are the pairs themselves. Targets are means.
    Attributes beside those of examples: of the hands themselves values f32[n, 2, 1326] and held bool[n, 1326].
    """

    def __init__(self, samples: SolvedEndgames, buckets: np.ndarray, width: int, direct: bool) -> None:
        self.held = torch.from_numpy(buckets >= 0)
        self.place = torch.from_numpy(np.maximum(buckets, 0).astype(np.int64))
        self.values = torch.from_numpy(samples.values)
        ranges, rest = torch.from_numpy(samples.ranges), other_inputs(samples.board, samples.stack, direct)
        if direct:
            super().__init__(ranges, rest, self.values, self.held, _suit_moves())
            return
        counts = sums(self.held[:, None].float(), self.place, width)
        targets = sums(self.values * self.held[:, None], self.place, width) / counts.clamp(min=1)
        super().__init__(sums(ranges, self.place, width), rest, targets, counts[:, 0] > 0)

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
    encodings = [HandEncoding.fit(name, known, config) for name in PAPER_NETWORK]
    return {each.name: Encoded(samples, each.buckets(known), each.width, each.direct) for each in encodings}


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
