"""A network on a CPU that only answers: fewer passes over memory, and planes of all or none taken as numbers.

Convolutions add and cut off in the same pass (`onednn.py`). And half of the planes are all ones or all zeros: what the
first convolution makes of those is the same at every kind but the first and the last, so that one small matrix product
does for all 34.

What is made of a position does not depend on what is asked beside it, to the last bit. Kernels are chosen by the shape,
and may sum in another order for another one. So matrix products always have as many positions; convolutions take a
pass as it comes where it was tried out that they sum alike (`same_sums.py`), and passes of one size where they do not.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import cast

import numpy as np
import torch
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.features.layout import CALL_LAYOUT, LAYOUT
from suphx.features.layout_groups import FLAG
from suphx.networks.convolution import KindConvolution
from suphx.networks.onednn import USUAL_POSITIONS, arranged, convolve, convolve_and_add
from suphx.networks.planes import unpack_flags_into, unpack_into
from suphx.networks.policy import PolicyNetwork, ResidualBlock, ValueNetwork
from suphx.networks.same_sums import sums_alike
from suphx.networks.sizes import MODEL_PLANES

#: A pass has a multiple of so many positions. Every size of a pass is set up once, which takes longer than a pass.
_STEP = 16


def flag_places(network: PolicyNetwork | ValueNetwork) -> np.ndarray:
    """Return int64[k]: which of a network's planes are all ones or all zeros in every position, by the layout.

    An oracle's planes, which come after the layout's, are never among them: dropout takes single elements away.
    """
    seen = MODEL_PLANES[network.model] if isinstance(network, PolicyNetwork) else len(LAYOUT)
    if network.planes < seen:  # a network of something else than positions
        return np.empty(0, np.int64)
    return np.array([place for place, plane in enumerate(CALL_LAYOUT[:seen]) if plane.range == FLAG], np.int64)


def _up_to(n: int, step: int) -> int:
    return -(-n // step) * step


class FusedNetwork:
    """A network's own copy of its weights, arranged for a CPU."""

    def __init__(self, network: PolicyNetwork | ValueNetwork, dtype: torch.dtype) -> None:
        """dtype: of planes, weights and activations, float32 or bfloat16."""
        self.flags = flag_places(network)
        self.sets = np.setdiff1d(np.arange(network.planes), self.flags)
        with torch.no_grad():
            self._first = _FirstLayer(network.first, self.sets, self.flags, dtype)
            self._blocks = [_Block(cast(ResidualBlock, block), dtype) for block in network.blocks]
        self._filters, self._dtype = network.size.filters, dtype
        self._is_value = isinstance(network, ValueNetwork)
        self._head = copy.deepcopy(network.head).to(dtype).requires_grad_(False).eval()
        self._own = threading.local()  # buffers for each thread

    @torch.inference_mode()
    def __call__(self, packed: np.ndarray) -> torch.Tensor:
        """Return what the network does, float32, for packed planes uint64[n, planes]."""
        answers = self._in_passes(packed, self._answers).float()
        return answers.squeeze(-1) if self._is_value else answers

    @torch.inference_mode()
    def trunk(self, packed: np.ndarray, blocks: int) -> torch.Tensor:
        """Return [n, filters, 34, 1] of the first layer and so many blocks, for packed planes uint64[n, planes]."""
        return self._in_passes(packed, lambda part, size: self._trunk(part, size, blocks)[: len(part)])

    def _in_passes(self, packed: np.ndarray, work: Callable[[np.ndarray, int], torch.Tensor]) -> torch.Tensor:
        """Return what work makes of each pass, which is given with its size."""
        size = max(_up_to(len(packed), _STEP), _STEP)
        if not all(sums_alike(each, self._filters, self._dtype, size) for each in (len(self.sets), self._filters)):
            size = USUAL_POSITIONS
        return torch.cat([work(packed[at : at + size], size) for at in range(0, max(len(packed), 1), size)])

    def _answers(self, packed: np.ndarray, size: int) -> torch.Tensor:
        """Return answers for the positions of one pass, which is filled up to its size."""
        x = self._trunk(packed, size, len(self._blocks))
        rows = functional.pad(x.squeeze(-1).transpose(1, 2), (0, 0, 0, 0, 0, _up_to(size, USUAL_POSITIONS) - size))
        return torch.cat([self._head(each) for each in rows.split(USUAL_POSITIONS)])[: len(packed)]

    def _trunk(self, packed: np.ndarray, size: int, blocks: int) -> torch.Tensor:
        x = self._first(*self._unpack(packed, size))
        for layers in self._blocks[:blocks]:
            x = layers(x)
        return x

    def _unpack(self, packed: np.ndarray, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return `size` rows of sets, and of flags whole blocks; more than were packed hold whatever was there."""
        n, rows = len(packed), _up_to(size, USUAL_POSITIONS)
        buffers = getattr(self._own, "buffers", None)
        if buffers is None or len(buffers[0]) < rows:  # fresh memory would cost more than the unpacking
            shapes = (rows, KINDS, len(self.sets)), (rows, len(self.flags))
            buffers = self._own.buffers = tuple(torch.zeros(shape, dtype=self._dtype) for shape in shapes)
        sets, flags = buffers
        unpack_into(packed, sets[:n], 1, self.sets)
        unpack_flags_into(packed, flags[:n], self.flags)
        return sets[:size], flags[:rows]


class _FirstLayer:
    """The first convolution: over the kinds for sets, a matrix product for flags."""

    def __init__(self, layer: KindConvolution, sets: np.ndarray, flags: np.ndarray, dtype: torch.dtype) -> None:
        assert layer.bias is not None
        self._weight = arranged(layer.weight[:, sets].to(dtype))
        before, here, after = layer.weight[:, flags, :, 0].unbind(-1)  # what the kind before it, it, the next one adds
        places = torch.stack([here + after, before + here + after, before + here])  # at the first, others, the last
        self._flag_weight = places.flatten(0, 1).t().to(dtype)  # [flags, 3 * filters]
        self._flag_bias = layer.bias.repeat(3).to(dtype)

    def __call__(self, sets: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1] for sets [n, 34, ...] and flags [m, ...], m whole blocks."""
        products = [torch.addmm(self._flag_bias, block, self._flag_weight) for block in flags.split(USUAL_POSITIONS)]
        first, others, last = torch.cat(products)[: len(sets)].chunk(3, dim=1)
        added = others[:, None].expand(-1, KINDS, -1).contiguous()
        added[:, 0], added[:, -1] = first, last
        return convolve_and_add(_as_images(sets), _as_images(added), self._weight, None)


def _as_images(rows: torch.Tensor) -> torch.Tensor:
    """Return [n, channels, 34, 1] for [n, 34, channels]: the same memory."""
    return rows.transpose(1, 2).unsqueeze(-1)


class _Block:
    """A residual block."""

    def __init__(self, block: ResidualBlock, dtype: torch.dtype) -> None:
        assert block.first.bias is not None and block.second.bias is not None
        self._first, self._first_bias = arranged(block.first.weight.to(dtype)), block.first.bias.to(dtype)
        self._second, self._second_bias = arranged(block.second.weight.to(dtype)), block.second.bias.to(dtype)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1] for the same."""
        return convolve_and_add(convolve(x, self._first, self._first_bias), x, self._second, self._second_bias)
