"""What networks take: made-up positions, the median of repeated runs, and a short probe of answers and gradients."""

import statistics
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from simulator.tiles import KINDS
from suphx.features.layout import CALL_LAYOUT, PLANES
from suphx.features.layout_groups import FLAG
from suphx.networks.inference import CPU_CHUNK, GPU_CHUNK, Evaluator
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import Precision, run_times
from suphx.networks.sizes import NetworkSize

#: Assumed of a GPU that is not here: operations a second (40 % of an H100's peak in bfloat16), and the least seconds
#: for each block of a network in a batch that it answers and in a step that it learns.
GPU_OPERATIONS, BLOCK_ANSWER, BLOCK_STEP = 0.4 * 989e12, 50e-6, 250e-6


class Seconds(NamedTuple):
    """What a network takes on one core or GPU."""

    row: float
    """Seconds for a position of a large batch."""
    batch: float
    """Seconds for a batch besides."""


def made_up_planes(n: int, planes: int = PLANES) -> np.ndarray:
    """Return uint64[n, planes] of random bits, with about as many set as in a position.

    Planes that are all ones or all zeros by the layout are all ones with probability 1/2. Of the others, every fourth
    has bits set: four on average.
    """
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 1 << KINDS, (3, n, planes), dtype=np.uint64)
    packed = np.bitwise_and.reduce(bits) * (generator.random((n, planes)) < 0.25)
    flags = [place for place, plane in enumerate(CALL_LAYOUT[:planes]) if plane.range == FLAG]
    packed[:, flags] = (bits[0][:, flags] & np.uint64(1)) * np.uint64((1 << KINDS) - 1)
    return packed


def measure(work: Callable[[], object], seconds: float, device: torch.device) -> float:
    """Return the median run time of a function in seconds, after one run that is not counted."""
    return statistics.median(run_times(work, seconds, device))


def answering_seconds(network: PolicyNetwork | ValueNetwork, precision: Precision, seconds: float) -> Seconds:
    """Return what answers take, by measurements of some seconds with a large and a small batch."""
    evaluator, many = Evaluator(network, precision), _large(precision)
    few = many // 8
    took = {
        n: measure(partial(evaluator.logits, made_up_planes(n, network.planes)), seconds, precision.device)
        for n in (few, many)
    }
    row = max(took[many] - took[few], 0.0) / (many - few)
    return Seconds(row, max(took[many] - many * row, 0.0))


def learning_seconds(network: PolicyNetwork | ValueNetwork, precision: Precision, seconds: float) -> Seconds:
    """Return what logits and gradients take, by measurements of some seconds with a large batch."""
    network, packed = network.to(precision.device), made_up_planes(_large(precision), network.planes)

    def learn() -> None:
        network.of_packed(packed, precision).logsumexp(1).sum().backward()

    return Seconds(measure(learn, seconds, precision.device) / len(packed), 0.0)


def _large(precision: Precision) -> int:
    return CPU_CHUNK if precision.device.type == "cpu" else GPU_CHUNK


def assumed_seconds(size: NetworkSize, learns: bool) -> Seconds:
    """Return what a network of a size takes on a GPU that is not here; a gradient takes three times an answer."""
    answer = 2 * 3 * KINDS * (PLANES * size.filters + 2 * size.blocks * size.filters**2) / GPU_OPERATIONS
    return Seconds(3 * answer, size.blocks * BLOCK_STEP) if learns else Seconds(answer, size.blocks * BLOCK_ANSWER)
