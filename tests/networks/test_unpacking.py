"""Packed planes to a network's input: equal to the plain definition."""

import numpy as np
import pytest
import torch

from suphx.bench.timing import made_up_planes
from suphx.networks.convolution import unpack


def plainly(packed: np.ndarray) -> np.ndarray:
    return np.array([[[int(mask) >> kind & 1 for mask in row] for kind in range(34)] for row in packed])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("n", [0, 1, 33])
def test_unpacking_is_what_it_says(dtype, n):
    packed = made_up_planes(n, 45)
    if n:
        packed[0, :4] = [0, (1 << 34) - 1, 1, 1 << 33]
    found = unpack(packed, dtype, torch.device("cpu"))
    assert found.shape == (n, 34, 45) and found.dtype == dtype
    assert np.array_equal(found.float().numpy(), plainly(packed).reshape(n, 34, 45))
