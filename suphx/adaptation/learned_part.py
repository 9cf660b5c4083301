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
    """A copy of a network, only part of which learns; the rest is shared with that network."""

    def __init__(self, network: PolicyNetwork, blocks: int | None, precision: Precision) -> None:
        """blocks: how many of the last residual blocks learn, with the head; None for the whole network."""
        if not isinstance(network, Trunk):
            raise InputError(f"adaptation needs a residual network, not {network.size}")
        if blocks is not None and not 0 <= blocks <= len(network.blocks):
            raise ValueError(f"a network of {len(network.blocks)} blocks has no last {blocks} blocks to learn")
        self.precision = precision
        self._n_fixed = None if blocks is None else len(network.blocks) - blocks
        fixed = [] if self._n_fixed is None else [network.first, *network.blocks[: self._n_fixed]]
        self.network = copy_except(network.to(precision.device), (each for part in fixed for each in part.parameters()))
        self.network.requires_grad_(self._n_fixed is None)
        if self._n_fixed is not None:
            self._last_blocks.requires_grad_(True)
            self.network.head.requires_grad_(True)
        self.parameters = [weight for weight in self.network.parameters() if weight.requires_grad]

    @property
    def _last_blocks(self) -> nn.ModuleList:
        return self.network.blocks[self._n_fixed :]

    def inputs(self, packed: np.ndarray) -> np.ndarray | torch.Tensor:
        """Return the input of `logits` for planes uint64[n, planes]: these, or the output of the fixed blocks."""
        if self._n_fixed is None:
            return packed
        chunks = [packed[rows] for rows in microbatches(len(packed), self.precision)]
        if self.precision.device.type == "cpu":
            fused = FusedNetwork(self.network, self.precision.dtype)
            outputs = [fused.trunk(chunk, self._n_fixed) for chunk in chunks]
        else:
            with torch.inference_mode():
                outputs = [self._fixed(chunk) for chunk in chunks]
        return torch.cat(outputs).clone()

    def _fixed(self, packed: np.ndarray) -> torch.Tensor:
        x = self.network.first_of_packed(packed, self.precision)
        for block in self.network.blocks[: self._n_fixed]:
            x = block(x)
        return x

    def logits(self, inputs: np.ndarray | torch.Tensor) -> torch.Tensor:
        """Return logits f32[n, 34 or 2]; gradients flow to the parameters that learn."""
        if isinstance(inputs, np.ndarray):
            return self.network.of_packed(inputs, self.precision)
        for block in self._last_blocks:
            inputs = block(inputs)
        return self.network.head(inputs.squeeze(-1).transpose(1, 2)).float()


def copy_except(network: PolicyNetwork, shared: Iterable[nn.Parameter]) -> PolicyNetwork:
    """Return a copy of a network that shares some of its weights with it."""
    return copy.deepcopy(network, {id(weight): weight for weight in shared})


def n_shared_blocks(network: PolicyNetwork, other: PolicyNetwork) -> int | None:
    """Return how many first blocks two networks share; None if not even the first layer."""

    def is_shared(one: nn.Module, two: nn.Module) -> bool:
        return all(a is b for a, b in zip(one.parameters(), two.parameters(), strict=True))

    if not is_shared(network.first, other.first):
        return None
    shared = list(map(is_shared, network.blocks, other.blocks))
    return shared.index(False) if False in shared else len(shared)
