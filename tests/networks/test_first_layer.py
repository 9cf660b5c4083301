"""The first layer from packed planes: what torch's convolution makes of all zeros and ones, and its gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from suphx.bench.timing import made_up_planes
from suphx.networks.convolution import KindConvolution, unpack
from suphx.networks.first_layer import first_layer

ALL = (1 << 34) - 1
PLANES, FILTERS = 60, 5


def layer() -> KindConvolution:
    torch.manual_seed(0)
    return KindConvolution(PLANES, FILTERS)


def planes(n: int) -> np.ndarray:
    packed = made_up_planes(n, PLANES)
    packed[: n // 2] |= made_up_planes(n, PLANES)[::-1][: n // 2]
    if n:
        packed[-1, :6] = [0, ALL, 1, 1 << 33, ALL - 1, ALL >> 1]
    return packed


def by_torch(packed: np.ndarray, own: KindConvolution) -> torch.Tensor:
    x = unpack(packed, torch.float32, torch.device("cpu")).transpose(1, 2).unsqueeze(-1)
    return functional.relu(functional.conv2d(x, own.weight, own.bias, padding=(1, 0)))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 40])
def test_it_is_torchs_convolution_and_so_are_its_gradients(n: int, threads: int) -> None:
    own, packed = layer(), planes(n)
    ours, theirs = first_layer(packed, own.weight, own.bias, torch.float32, threads), by_torch(packed, own)
    assert ours.shape == (n, FILTERS, 34, 1) and torch.allclose(ours, theirs, atol=1e-5)
    assert n < 2 or ((ours == 0).any() and (ours > 0).any())
    gradient = torch.randn(ours.shape)
    found = torch.autograd.grad(ours, (own.weight, own.bias), gradient)
    for each, expected in zip(found, torch.autograd.grad(theirs, (own.weight, own.bias), gradient), strict=True):
        assert each.shape == expected.shape and torch.allclose(each, expected, atol=1e-4)


def test_in_bfloat16_only_what_comes_out_is_rounded() -> None:
    own, packed = layer(), planes(40)
    exact = first_layer(packed, own.weight, own.bias, torch.float32, 1)
    rounded = first_layer(packed, own.weight, own.bias, torch.bfloat16, 1)
    assert rounded.dtype == torch.bfloat16 and torch.equal(rounded, exact.bfloat16())
    gradient = torch.randn(exact.shape).bfloat16()
    (found,) = torch.autograd.grad(rounded, own.weight, gradient)
    (expected,) = torch.autograd.grad(exact, own.weight, gradient.float())
    assert found.dtype == torch.float32 and torch.allclose(found, expected, atol=1e-5)


def test_a_position_is_what_it_is_alone() -> None:
    own, packed = layer(), planes(40)
    whole = first_layer(packed, own.weight, own.bias, torch.float32, 2)
    for n in range(40):
        assert torch.equal(first_layer(packed[n : n + 1], own.weight, own.bias, torch.float32, 1), whole[n : n + 1])


def test_bits_that_are_no_kind_are_left_out() -> None:
    own, packed = layer(), planes(3)
    wide = packed | np.uint64(1 << 34 | 1 << 63)
    assert torch.equal(*(first_layer(each, own.weight, own.bias, torch.float32, 1) for each in (packed, wide)))


def test_planes_that_do_not_fit_are_refused() -> None:
    own = layer()
    for wrong in (made_up_planes(2, PLANES + 1), planes(2).astype(np.int64)):
        with pytest.raises(ValueError, match=rf"uint64\[n, {PLANES}\] is needed"):
            first_layer(wrong, own.weight, own.bias, torch.float32, 1)
