"""Measuring networks: made-up positions, and the median of repeated runs."""

import statistics
from collections.abc import Callable

import numpy as np
import torch

from simulator.tiles import KINDS
from suphx.features.layout import CALL_LAYOUT, PLANES
from suphx.features.layout_groups import FLAG
from suphx.networks.precision import run_times


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
