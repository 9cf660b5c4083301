"""A batch of questions in pieces that a device takes at once, as a network's input."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from suphx.networks.inference import GPU_CHUNK
from suphx.networks.precision import Precision

#: Positions of one pass of learning on a CPU: more are no faster, and activations wait for their gradients in memory.
CPU_LEARNING_CHUNK = 512


def passes(n: int, precision: Precision) -> list[slice]:
    """Return the rows of each pass: no more than a device takes without losing speed or memory."""
    size = CPU_LEARNING_CHUNK if precision.device.type == "cpu" else GPU_CHUNK
    return [slice(a, b) for a, b in pairwise([*range(0, n, size), n])]


def with_hidden(packed: np.ndarray, hidden: np.ndarray, planes: int) -> np.ndarray:
    """Return the packed planes of a network that sees so many: all of those packed, or the hidden ones too.

    packed: uint64[n, a]; hidden: uint64[n, b]. Raises ValueError if `planes` is neither a nor a + b.
    """
    if planes == packed.shape[1]:
        return packed
    if planes != packed.shape[1] + hidden.shape[1]:
        raise ValueError(f"a network of {planes} planes cannot see {packed.shape[1]} and {hidden.shape[1]} hidden ones")
    return np.concatenate([packed, hidden], axis=1)
