"""The first convolution on a CPU, computed directly from packed planes by adding up the weights of set bits.

Of a position's 28,492 elements about 500 are ones, apart from 180 planes of ones only, which add the same to every kind
except the first and the last. A product with all elements takes four times as long (with the weights' gradient, seven
times) and needs unpacked planes. The result for a position does not depend on the rest of its batch.

Weights are arranged by plane: what a one adds to the kind before its own, to its own kind, and to the kind after it.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numba.cpython.unsafe.numbers import trailing_zeros
from torch.autograd.function import once_differentiable

from simulator.jit import jit
from simulator.tiles import KINDS

_ALL = np.uint64((1 << KINDS) - 1)
_ONE = np.uint64(1)
#: Number of rows below which a second thread costs more than it saves.
_ROWS_FOR_THREADS = 32


def by_plane(weight: torch.Tensor) -> np.ndarray:
    """Return weights [filters, planes, 3, 1] of a 3x1 convolution, arranged by plane as f32[planes, 3 * filters]."""
    arranged = weight.detach().float()[..., 0].flip(2).permute(1, 2, 0)  # a one adds its last weight to the kind before
    return arranged.reshape(weight.shape[1], -1).contiguous().numpy()


def _as_weight(planes: np.ndarray) -> torch.Tensor:
    """Return weights f32[planes, 3 * filters] from `by_plane` as [filters, planes, 3, 1], channels last."""
    arranged = torch.from_numpy(planes).view(len(planes), 3, -1).flip(1).permute(2, 1, 0).contiguous()
    return arranged.permute(0, 2, 1).unsqueeze(-1)


@jit
def _add_up(packed, weights, bias, out):
    """Write the layer's output f32[n, 34, filters]: sums plus bias, after a ReLU."""
    planes, wide = weights.shape
    filters = wide // 3
    sums = np.empty((KINDS + 2) * filters, np.float32)  # with an extra kind at both ends that is never read
    everywhere = np.empty(wide, np.float32)
    for i in range(len(packed)):
        sums[:] = np.float32(0)
        everywhere[:] = np.float32(0)
        for plane in range(planes):
            mask = packed[i, plane] & _ALL
            added = weights[plane]
            if mask == _ALL:
                for f in range(wide):
                    everywhere[f] += added[f]
                continue
            while mask:
                around = sums[trailing_zeros(mask) * filters :]
                mask &= mask - _ONE
                for f in range(wide):
                    around[f] += added[f]
        for kind in range(KINDS):
            own = sums[(kind + 1) * filters :]
            for f in range(filters):
                total = own[f] + bias[f] + everywhere[filters + f]
                if kind < KINDS - 1:  # a one at the next kind adds to the kind before it
                    total += everywhere[f]
                if kind > 0:
                    total += everywhere[2 * filters + f]
                out[i, kind, f] = max(total, np.float32(0))


@jit
def _add_gradients(packed, gradient, to_weights):
    """Add the weights' gradient to f32[planes, 3 * filters], given the gradient of the sums, f32[n, 34, filters]."""
    planes, wide = to_weights.shape
    filters = wide // 3
    padded = np.zeros((KINDS + 2) * filters, np.float32)
    everywhere = np.empty(wide, np.float32)
    for i in range(len(packed)):
        everywhere[:] = np.float32(0)
        for kind in range(KINDS):
            own = padded[(kind + 1) * filters :]
            for f in range(filters):
                own[f] = gradient[i, kind, f]
        for kind in range(KINDS):
            around = padded[kind * filters :]
            for f in range(wide):
                everywhere[f] += around[f]
        for plane in range(planes):
            mask = packed[i, plane] & _ALL
            own_weights = to_weights[plane]
            if mask == _ALL:
                for f in range(wide):
                    own_weights[f] += everywhere[f]
                continue
            while mask:
                around = padded[trailing_zeros(mask) * filters :]
                mask &= mask - _ONE
                for f in range(wide):
                    own_weights[f] += around[f]


def add_up(packed: np.ndarray, weights: np.ndarray, bias: np.ndarray, out: np.ndarray) -> None:
    """Write the layer's output for packed planes uint64[n, planes] into `out`, f32[n, 34, filters].

    weights: f32[planes, 3 * filters] from `by_plane`; bias: f32[filters]. Raises ValueError for other shapes.
    """
    filters = len(bias)
    if weights.shape != (packed.shape[1], 3 * filters) or out.shape != (len(packed), KINDS, filters):
        raise ValueError(f"weights {weights.shape} and {filters} filters do not fit {packed.shape} and {out.shape}")
    _add_up(packed, weights, bias, out)


class _FirstLayer(torch.autograd.Function):
    """The layer, with the gradients of its weight and bias."""

    @staticmethod
    def forward(
        ctx: Any, weight: torch.Tensor, bias: torch.Tensor, packed: np.ndarray, dtype: torch.dtype, threads: int
    ) -> torch.Tensor:
        weights, added = by_plane(weight), bias.detach().float().numpy()
        sums = torch.empty(len(packed), KINDS, len(bias))
        target = sums.numpy()
        _in_threads(lambda rows, _: add_up(packed[rows], weights, added, target[rows]), len(packed), threads)
        out = sums.to(dtype)
        ctx.packed, ctx.threads, ctx.types = packed, threads, (weight.dtype, bias.dtype)
        ctx.save_for_backward(out)
        return out.transpose(1, 2).unsqueeze(-1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (out,) = ctx.saved_tensors
        rows = gradient.squeeze(-1).transpose(1, 2).contiguous()
        rows = torch.ops.aten.threshold_backward(rows, out, 0).float()
        gradients, packed = rows.numpy(), ctx.packed
        sums = np.zeros((ctx.threads, packed.shape[1], 3 * out.shape[2]), np.float32)
        _in_threads(lambda part, n: _add_gradients(packed[part], gradients[part], sums[n]), len(packed), ctx.threads)
        weight_type, bias_type = ctx.types
        to_weight = _as_weight(sums.sum(axis=0) if len(sums) > 1 else sums[0]).to(weight_type)
        return to_weight, rows.sum(dim=(0, 1)).to(bias_type), None, None, None


def first_layer(
    packed: np.ndarray, weight: torch.Tensor, bias: torch.Tensor, dtype: torch.dtype, threads: int
) -> torch.Tensor:
    """Return [n, filters, 34, 1], after a ReLU, for packed planes uint64[n, planes]; gradients flow to the weights.

    weight: [filters, planes, 3, 1]; bias: [filters]. dtype: type of the result; sums are computed in float32. threads:
    number of threads, which also determines the order in which gradients are summed. Raises ValueError for planes of
    another number or type.
    """
    if weight.shape[1] != packed.shape[1] or packed.dtype != np.uint64:
        raise ValueError(f"uint64[n, {weight.shape[1]}] is needed, not {packed.dtype}{list(packed.shape)}")
    return _FirstLayer.apply(weight, bias, np.ascontiguousarray(packed), dtype, threads)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="first-layer")


def _in_threads(work: Callable[[slice, int], None], n: int, threads: int) -> None:
    """Call `work` with parts of n rows and their numbers, on several threads."""
    if threads == 1 or n < _ROWS_FOR_THREADS:
        work(slice(0, n), 0)
        return
    bounds = np.linspace(0, n, threads + 1).astype(int).tolist()
    list(_pool(threads).map(work, [slice(a, b) for a, b in pairwise(bounds)], range(threads)))
