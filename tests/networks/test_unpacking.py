"""Packed planes to a network's input: equal to the plain definition, whatever the path."""

import numpy as np
import pytest
import torch

from suphx.networks.benchmark import made_up_planes
from suphx.networks.planes import unpack, unpack_into, unpack_there

CPU = torch.device("cpu")


def plainly(packed: np.ndarray) -> np.ndarray:
    return np.array([[[int(mask) >> kind & 1 for mask in row] for kind in range(34)] for row in packed])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 33])
def test_unpacking_is_what_it_says(dtype, threads, n):
    packed = made_up_planes(n, 45)
    if n:
        packed[0, :4] = [0, (1 << 34) - 1, 1, 1 << 33]
    found = unpack(packed, dtype, CPU, threads)
    assert found.shape == (n, 34, 45) and found.dtype == dtype
    assert np.array_equal(found.float().numpy(), plainly(packed).reshape(n, 34, 45))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_torchs_unpacking_is_the_same(dtype):
    packed = made_up_planes(50)
    assert torch.equal(unpack(packed, dtype, CPU, 2), unpack_there(torch.from_numpy(packed.view(np.int64)), dtype))


def test_every_place_is_written():
    out = torch.full((40, 34, 958), float("nan"))
    unpack_into(made_up_planes(40, 958), out, 2)
    assert set(out.unique().tolist()) == {0.0, 1.0}


def test_a_tensor_that_does_not_fit_is_refused():
    packed = made_up_planes(2, 10)
    with pytest.raises(ValueError, match="do not fit"):
        unpack_into(packed, torch.empty(3, 34, 10), 1)
    with pytest.raises(ValueError, match="do not fit"):
        unpack_into(packed, torch.empty(10, 34, 2).transpose(0, 2), 1)
    with pytest.raises(ValueError, match=r"not torch\.float64"):
        unpack_into(packed, torch.empty(2, 34, 10, dtype=torch.float64), 1)
