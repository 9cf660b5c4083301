"""The part of a network that adapts: all of it, or its last blocks and head; what comes before is computed once."""

import copy
from collections.abc import Iterable

import numpy as np
import torch
from torch import nn

from suphx.errors import InputError
from suphx.learning.experience import microbatches
from suphx.networks.fused import FusedNetwork
from suphx.networks.policy import PolicyNetwork, Trunk
from suphx.networks.precision import Precision


class LearnedPart:
    """A copy of a network, only part of which learns; the rest is that network's own."""

    def __init__(self, network: PolicyNetwork, blocks: int | None, precision: Precision) -> None:
        """blocks: how many of the last residual blocks learn, with the head; None for the whole network."""
        if not isinstance(network, Trunk):
            raise InputError(f"adaptation needs a residual network, not {network.size}")
        if blocks is not None and not 0 <= blocks <= len(network.blocks):
            raise ValueError(f"a network of {len(network.blocks)} blocks has no last {blocks} blocks to learn")
        self.precision = precision
        self._fixed = None if blocks is None else len(network.blocks) - blocks
        fixed = [] if self._fixed is None else [network.first, *network.blocks[: self._fixed]]
        kept = [weight for module in fixed for weight in module.parameters()]
        self.network = copy_but(network.to(precision.device), kept)
        self.network.requires_grad_(self._fixed is None)
        if self._fixed is not None:
            self._last.requires_grad_(True)
            self.network.head.requires_grad_(True)
        self.parameters = [weight for weight in self.network.parameters() if weight.requires_grad]

    @property
    def _last(self) -> nn.ModuleList:
        return self.network.blocks[self._fixed :]

    def inputs(self, packed: np.ndarray) -> np.ndarray | torch.Tensor:
        """Return the input of `logits` for planes uint64[n, planes]: these, or the output of the fixed blocks."""
        if self._fixed is None:
            return packed
        chunks = [packed[rows] for rows in microbatches(len(packed), self.precision)]
        if self.precision.device.type == "cpu":
            fused = FusedNetwork(self.network, self.precision.dtype)
            found = [fused.trunk(chunk, self._fixed) for chunk in chunks]
        else:
            with torch.inference_mode():
                found = [self._stem(chunk) for chunk in chunks]
        return torch.cat(found).clone()

    def _stem(self, packed: np.ndarray) -> torch.Tensor:
        x = self.network.first_of_packed(packed, self.precision)
        for block in self.network.blocks[: self._fixed]:
            x = block(x)
        return x

    def logits(self, inputs: np.ndarray | torch.Tensor) -> torch.Tensor:
        """Return logits f32[n, 34 or 2]; gradients flow to the parameters that learn."""
        if isinstance(inputs, np.ndarray):
            return self.network.of_packed(inputs, self.precision)
        for block in self._last:
            inputs = block(inputs)
        return self.network.head(inputs.squeeze(-1).transpose(1, 2)).float()


def copy_but(network: PolicyNetwork, kept: Iterable[nn.Parameter]) -> PolicyNetwork:
    """Return a copy of a network that shares some of its weights with it."""
    return copy.deepcopy(network, {id(weight): weight for weight in kept})


def blocks_in_common(network: PolicyNetwork, other: PolicyNetwork) -> int | None:
    """Return how many first blocks two networks share; None if not even the first layer."""

    def is_shared(one: nn.Module, two: nn.Module) -> bool:
        return all(a is b for a, b in zip(one.parameters(), two.parameters(), strict=True))

    if not is_shared(network.first, other.first):
        return None
    shared = list(map(is_shared, network.blocks, other.blocks))
    return shared.index(False) if False in shared else len(shared)
