"""Benchmark of whether training waits for its data: pairs/s with the loader against pairs/s of the steps alone."""

import os
import statistics
import time
from collections.abc import Iterator

import torch
from torch.nn import functional

from suphx.dataset.loader import Chunk, Loader, Source
from suphx.dataset.prepared import Prepared
from suphx.dataset.selection import select
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.supervised.config import PretrainConfig
from suphx.supervised.optimizer import AveragingOptimizer

_MODEL = "discard"
_CHUNK_PAIRS = 8192
_BATCH = 256
_CHUNKS = 2  # chunks timed per stream


class _Steps:
    """A small training setup whose steps are timed."""

    def __init__(self, size: NetworkSize, precision: Precision) -> None:
        torch.manual_seed(0)
        config = PretrainConfig.model_validate({"models": {_MODEL: {"pairs": 1}}})
        self._network = PolicyNetwork(_MODEL, size).to(precision.device)
        self._optimizer = AveragingOptimizer(self._network, config, config.learning_rate)
        self._precision = precision

    def take(self, chunk: Chunk) -> None:
        """Take a step for every batch of a chunk."""
        precision = self._precision
        for first in range(0, len(chunk.answers), _BATCH):
            logits = self._network.of_packed(chunk.planes[first : first + _BATCH], precision)
            answers = torch.from_numpy(chunk.answers[first : first + _BATCH]).to(precision.device)
            functional.cross_entropy(logits, answers).backward()
            self._optimizer.step_at(0.5)


def _one_core() -> None:
    """Pin this process, including the loader thread, to one core, as when each core trains its own model."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def bench_pretrain(
    prepared: Prepared, sizes: dict[str, NetworkSize], precision: Precision, turns: int
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield for each size the pairs/s of steps on a chunk in memory, of loading alone, and of both at once.

    turns: number of times the three are measured in turn; the medians are reported. On a CPU everything shares one
    core, so that the cost of the loader is visible. `ratio` is the rate of both divided by that of the bare steps.
    """
    if precision.device.type == "cpu":
        _one_core()
    loader = Loader(Source(prepared, select(prepared, _MODEL, None)), seed=0, chunk_pairs=_CHUNK_PAIRS)
    for name, size in sizes.items():
        steps, ready = _Steps(size, precision), loader.chunk(0, 0)
        steps.take(ready)
        bare, alone, both = [], [], []
        for turn in range(turns):
            bare.append(_rate(steps, ready))
            started = time.perf_counter()
            loaded = loader.chunk(0, turn % loader.chunks)
            alone.append(len(loaded.answers) / (time.perf_counter() - started))
            both.append(_rate_of_stream(steps, loader, turn * _CHUNKS))
        found = {"bare_per_s": bare, "loading_per_s": alone, "with_loader_per_s": both}
        found["ratio"] = [one / two for one, two in zip(both, bare, strict=True)]
        yield name, {key: statistics.median(values) for key, values in found.items()}


def _rate_of_stream(steps: _Steps, loader: Loader, first: int) -> float:
    """Return pairs/s over a few chunks, each encoded while the previous one is trained on."""
    stream = loader.run(first)
    next(stream)  # the second chunk is now being encoded
    pairs, started = 0, time.perf_counter()
    for _ in range(_CHUNKS):
        _, chunk = next(stream)
        steps.take(chunk)
        pairs += len(chunk.answers)
    seconds = time.perf_counter() - started
    stream.close()
    return pairs / seconds


def _rate(steps: _Steps, chunk: Chunk) -> float:
    started = time.perf_counter()
    steps.take(chunk)
    return len(chunk.answers) / (time.perf_counter() - started)
