"""A network on a CPU that only answers: fewer passes over memory, and planes of all or none taken as numbers.

Convolutions add and cut off in the same pass (`onednn.py`). And half of the planes are all ones or all zeros: what the
first convolution makes of those is the same at every kind but the first and the last, so that one small matrix product
does for all 34.
"""

from __future__ import annotations

import copy
from typing import cast

import numpy as np
import torch

from simulator.tiles import KINDS
from suphx.features.layout import CALL_LAYOUT, LAYOUT
from suphx.features.layout_groups import FLAG
from suphx.networks.convolution import KindConvolution
from suphx.networks.onednn import arranged, convolve, convolve_and_add
from suphx.networks.policy import PolicyNetwork, ResidualBlock, ValueNetwork
from suphx.networks.sizes import MODEL_PLANES


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
        self._weight = arranged(layer.weight[:, sets].to(dtype))
        before, here, after = layer.weight[:, flags, :, 0].unbind(-1)  # what the kind before it, it, the next one adds
        places = torch.stack([here + after, before + here + after, before + here])  # at the first, others, the last
        self._flag_weight = places.flatten(0, 1).t().to(dtype)  # [flags, 3 * filters]
        self._flag_bias = layer.bias.repeat(3).to(dtype)

    def __call__(self, sets: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1]."""
        first, others, last = torch.addmm(self._flag_bias, flags, self._flag_weight).chunk(3, dim=1)
        added = others[:, None].expand(-1, KINDS, -1).contiguous()
        added[:, 0], added[:, -1] = first, last
        return convolve_and_add(sets, added.transpose(1, 2).unsqueeze(-1), self._weight, None)


class _Block:
    """A residual block."""

    def __init__(self, block: ResidualBlock, dtype: torch.dtype) -> None:
        assert block.first.bias is not None and block.second.bias is not None
        self._first, self._first_bias = arranged(block.first.weight.to(dtype)), block.first.bias.to(dtype)
        self._second, self._second_bias = arranged(block.second.weight.to(dtype)), block.second.bias.to(dtype)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1] for the same."""
        return convolve_and_add(convolve(x, self._first, self._first_bias), x, self._second, self._second_bias)
