"""A network for inference on a CPU, with fewer passes over memory.

Planes are used in packed form (`first_layer.py`), and convolutions include the sum and the ReLU (`convolution.py`).

The result for a position does not depend on the other positions in a call, to the last bit. Kernels are chosen by
shape, and may sum in another order for another shape. Matrix products therefore always have the same number of
positions. Convolutions accept passes of any size that a test has shown to give equal sums (`sums_alike`), and passes
of one fixed size otherwise.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
import torch
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.networks.convolution import USUAL_POSITIONS, KindConvolution, arranged, convolve, sums_alike
from suphx.networks.first_layer import add_up, by_plane
from suphx.networks.policy import ResidualBlock, Trunk

#: The size of a pass is one of these or a multiple of the last, since setting up a new size takes longer than a pass.
_SIZES = (1, 2, 4, 8, 16)


def _up_to(n: int, step: int) -> int:
    return -(-n // step) * step


class FusedNetwork:
    """A network's own copy of its weights, arranged for a CPU."""

    def __init__(
        self,
        network: Trunk,
        dtype: torch.dtype,
        like: FusedNetwork | None = None,
        blocks: int = 0,
    ) -> None:
        """dtype: type of planes, weights and activations, float32 or bfloat16.

        like: of a network that has the same first layer and first `blocks` blocks, in the same type, to share them.
        """
        assert network.first.bias is not None
        with torch.no_grad():
            if like is None:
                self._weights, self._bias = by_plane(network.first.weight), network.first.bias.float().clone().numpy()
            else:
                self._weights, self._bias = like._weights, like._bias
            self._blocks: list[tuple[torch.Tensor, ...]] = [] if like is None else like._blocks[:blocks]
            """Of each residual block: the weights and biases of its two convolutions."""
            for block in network.blocks[len(self._blocks) :]:
                layers = cast(ResidualBlock, block)
                self._blocks.append((*_own(layers.first, dtype), *_own(layers.second, dtype)))
        self._filters, self._dtype = network.size.filters, dtype
        self._head = copy.deepcopy(network.head).to(dtype).requires_grad_(False).eval()
        self._own = threading.local()  # a buffer for each thread

    @torch.inference_mode()
    def __call__(self, packed: np.ndarray) -> torch.Tensor:
        """Return the network's outputs, float32, for packed planes uint64[n, planes]."""
        return self._in_passes(packed, self._answers).float()

    @torch.inference_mode()
    def trunk(self, packed: np.ndarray, blocks: int) -> torch.Tensor:
        """Return [n, filters, 34, 1] after the first layer and `blocks` blocks, for packed planes uint64[n, planes]."""
        return self._in_passes(packed, lambda part, size: self._trunk(part, size, blocks)[: len(part)])

    def _in_passes(self, packed: np.ndarray, work: Callable[[np.ndarray, int], torch.Tensor]) -> torch.Tensor:
        """Return the joined results of `work`, which is called with each pass's planes and size."""
        sizes = [size for size in _SIZES if size >= len(packed)] or [_up_to(len(packed), _SIZES[-1])]
        is_alike = partial(sums_alike, self._filters, self._filters, self._dtype)
        size = next(filter(is_alike, sizes), USUAL_POSITIONS)
        return torch.cat([work(packed[at : at + size], size) for at in range(0, max(len(packed), 1), size)])

    def _answers(self, packed: np.ndarray, size: int) -> torch.Tensor:
        """Return the outputs for the positions of one pass, which is padded to its size."""
        x = self._trunk(packed, size, len(self._blocks))
        rows = functional.pad(x.squeeze(-1).transpose(1, 2), (0, 0, 0, 0, 0, _up_to(size, USUAL_POSITIONS) - size))
        return torch.cat([self._head(each) for each in rows.split(USUAL_POSITIONS)])[: len(packed)]

    def _trunk(self, packed: np.ndarray, size: int, blocks: int) -> torch.Tensor:
        x = self._first(packed, size).transpose(1, 2).unsqueeze(-1)  # [n, filters, 34, 1], in the same memory
        for first, first_bias, second, second_bias in self._blocks[:blocks]:
            x = convolve(convolve(x, first, first_bias), second, second_bias, x)
        return x

    def _first(self, packed: np.ndarray, size: int) -> torch.Tensor:
        """Return the first layer's output [size, 34, filters]; rows beyond those of `packed` are arbitrary."""
        sums = getattr(self._own, "sums", None)
        if sums is None or len(sums) < size:  # reused, since the system provides new memory page by page
            sums = self._own.sums = torch.zeros(size, KINDS, self._filters)
        add_up(packed, self._weights, self._bias, sums[: len(packed)].numpy())
        return sums[:size].to(self._dtype, copy=True)


def _own(layer: KindConvolution, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return copies of weight and bias; `to` without a copy returns the live parameter where the type is the same."""
    assert layer.bias is not None
    return arranged(layer.weight.to(dtype)), layer.bias.to(dtype, copy=True)
