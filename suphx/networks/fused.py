"""A network on a CPU that only answers: fewer passes over memory, and planes of all or none taken as numbers.

oneDNN adds, and cuts off below zero, while a convolution's results are still in registers; as operations of their own
both take as long as the convolution itself. Where a build of torch has no such operations, the same is computed in
steps. And half of the planes are all ones or all zeros: what the first convolution makes of those is the same at every
kind but the first and the last, so that one small matrix product does for all 34.
"""

from __future__ import annotations

import copy
from typing import Any, cast

import numpy as np
import torch
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.features.layout import CALL_LAYOUT, LAYOUT
from suphx.features.layout_groups import FLAG
from suphx.networks.convolution import KindConvolution
from suphx.networks.policy import PolicyNetwork, ResidualBlock, ValueNetwork
from suphx.networks.sizes import MODEL_PLANES

_PADDING, _ONES = [1, 0], [1, 1]
_FUSED = getattr(torch.ops.mkldnn, "_convolution_pointwise", None) if torch.backends.mkldnn.is_available() else None
#: Positions that the order of the weights is chosen for; any other number may be asked for.
_USUAL_POSITIONS = 64


def flag_places(network: PolicyNetwork | ValueNetwork) -> np.ndarray:
    """Return int64[k]: which of a network's planes are all ones or all zeros in every position, by the layout.

    An oracle's planes, which come after the layout's, are never among them: dropout takes single elements away.
    """
    seen = MODEL_PLANES[network.model] if isinstance(network, PolicyNetwork) else len(LAYOUT)
    if network.planes < seen:  # a network of something else than positions
        return np.empty(0, np.int64)
    return np.array([place for place, plane in enumerate(CALL_LAYOUT[:seen]) if plane.range == FLAG], np.int64)


class FusedNetwork:
    """A network's own copy of its weights, arranged for a CPU."""

    def __init__(self, network: PolicyNetwork | ValueNetwork, dtype: torch.dtype) -> None:
        """dtype: of planes, weights and activations, float32 or bfloat16."""
        self.flags = flag_places(network)
        self.sets = np.setdiff1d(np.arange(network.planes), self.flags)
        with torch.no_grad():
            self._first = _FirstLayer(network.first, self.sets, self.flags, dtype)
            self._blocks = [_Block(cast(ResidualBlock, block), dtype) for block in network.blocks]
        self._is_value = isinstance(network, ValueNetwork)
        self._head = copy.deepcopy(network.head).to(dtype).requires_grad_(False).eval()

    @torch.inference_mode()
    def __call__(self, sets: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        """Return what the network does, float32, for its planes: [n, 34, len(sets)] and [n, len(flags)]."""
        x = self._first(sets.transpose(1, 2).unsqueeze(-1), flags)
        for block in self._blocks:
            x = block(x)
        found = self._head(x.squeeze(-1).transpose(1, 2)).float()
        return found.squeeze(-1) if self._is_value else found


class _FirstLayer:
    """The first convolution: over the kinds for sets, a matrix product for flags."""

    def __init__(self, layer: KindConvolution, sets: np.ndarray, flags: np.ndarray, dtype: torch.dtype) -> None:
        assert layer.bias is not None
        self._weight = _arranged(layer.weight[:, sets].to(dtype))
        before, here, after = layer.weight[:, flags, :, 0].unbind(-1)  # what the kind before it, it, the next one adds
        places = torch.stack([here + after, before + here + after, before + here])  # at the first, others, the last
        self._flag_weight = places.flatten(0, 1).t().to(dtype)  # [flags, 3 * filters]
        self._flag_bias = layer.bias.repeat(3).to(dtype)

    def __call__(self, sets: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1]."""
        first, others, last = torch.addmm(self._flag_bias, flags, self._flag_weight).chunk(3, dim=1)
        added = others[:, None].expand(-1, KINDS, -1).contiguous()
        added[:, 0], added[:, -1] = first, last
        return _add_and_cut(sets, added.transpose(1, 2).unsqueeze(-1), self._weight, None)


class _Block:
    """A residual block."""

    def __init__(self, block: ResidualBlock, dtype: torch.dtype) -> None:
        assert block.first.bias is not None and block.second.bias is not None
        self._first, self._first_bias = _arranged(block.first.weight.to(dtype)), block.first.bias.to(dtype)
        self._second, self._second_bias = _arranged(block.second.weight.to(dtype)), block.second.bias.to(dtype)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1] for the same."""
        return _add_and_cut(_cut(x, self._first, self._first_bias), x, self._second, self._second_bias)


def _arranged(weight: torch.Tensor) -> torch.Tensor:
    """Return weights [filters, channels, 3, 1] in the order that the fused convolutions are fastest with."""
    weight = weight.clone(memory_format=torch.channels_last)
    if _FUSED is None:
        return weight
    shape = [_USUAL_POSITIONS, weight.shape[1], KINDS, 1]
    arrange: Any = torch._C._nn.mkldnn_reorder_conv2d_weight
    return arrange(weight.to_mkldnn(), _PADDING, _ONES, _ONES, 1, shape)


def _cut(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Return the convolution, what is below zero cut off."""
    if _FUSED is None:
        return functional.relu(functional.conv2d(x, weight, bias, padding=_PADDING), inplace=True)
    return _FUSED(x, weight, bias, _PADDING, _ONES, _ONES, 1, "relu", [], "")


def _add_and_cut(x: torch.Tensor, other: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """Return the convolution and `other`, added, what is below zero cut off."""
    if _FUSED is None:
        sums = functional.conv2d(x, weight, bias, padding=_PADDING)
        sums += other
        return functional.relu(sums, inplace=True)
    return _FUSED.binary(x, other, weight, bias, _PADDING, _ONES, _ONES, 1, "add", 1.0, "relu", [], "")
