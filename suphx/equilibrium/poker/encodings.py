"""The seed's experiment: what four encodings lose, and how well a network learns with each (Hopner and Loza Mencia)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from pydantic import Field

from suphx.config import Config
from suphx.equilibrium.poker.buckets import NestedBuckets, PotentialBuckets, features, square_buckets
from suphx.equilibrium.poker.cards import PAIRS
from suphx.equilibrium.poker.samples import load_samples
from suphx.equilibrium.poker.value_net import Encoded, Losses, direct_buckets, evaluate, train
from suphx.errors import InputError
from suphx.run_folder import JsonLines, settle

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
        "direct": (direct_buckets(~np.isnan(known.square)), PAIRS),
    }
    return {name: Encoded(samples, *each, name == "direct") for name, each in widths.items()}


class NetworkErrors:
    """The errors of trained networks in a file, one line for each, so that a run can resume."""

    def __init__(self, folder: Path, config: EncodingsConfig) -> None:
        """Open a folder, created if needed; InputError if it is of another configuration, or holds something else."""
        settle(folder, "encodings.json", _LINES, config.model_dump(exclude={"seeds"}), "run")
        self.path, self.trained = folder / _LINES, list[Trained]()
        self._file = JsonLines(self.path, self._read, "trains here")

    def _read(self, number: int, line: bytes) -> None:
        try:
            name, samples, seed, *pairs = json.loads(line)
            train, test = (tuple(Losses(float(huber), float(mse)) for huber, mse in pair) for pair in pairs)
            if name not in PAPER_NETWORK or len(train) != 2 or len(test) != 2:
                raise ValueError(name)
        except (ValueError, TypeError) as error:
            raise InputError(f"{self.path}:{number}: not the errors of a network") from error
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
