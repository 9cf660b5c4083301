"""Split a batch of questions into passes of a size that suits the device, and make a network's input of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from suphx.networks.inference import GPU_CHUNK
from suphx.networks.precision import Precision

#: Positions per learning pass on a CPU: more are no faster, and activations stay in memory until the backward pass.
CPU_LEARNING_CHUNK = 512


def passes(n: int, precision: Precision) -> list[slice]:
    """Return the rows of each pass: no more than the device handles without losing speed or memory."""
    size = CPU_LEARNING_CHUNK if precision.device.type == "cpu" else GPU_CHUNK
    return [slice(a, b) for a, b in pairwise([*range(0, n, size), n])]


def with_hidden(packed: np.ndarray, hidden: np.ndarray, planes: int) -> np.ndarray:
    """Return the packed planes for a network with `planes` input planes: `packed` alone, or followed by `hidden`.

    packed: uint64[n, a]; hidden: uint64[n, b]. Raises ValueError if `planes` is neither a nor a + b.
    """
    if planes == packed.shape[1]:
        return packed
    if planes != packed.shape[1] + hidden.shape[1]:
        raise ValueError(f"a network of {planes} planes cannot see {packed.shape[1]} and {hidden.shape[1]} hidden ones")
    return np.concatenate([packed, hidden], axis=1)
