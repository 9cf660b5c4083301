"""The part of a network that adapts: all of it, or its last blocks and its head; what comes before is computed once."""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import nn

from simulator.tiles import KINDS
from suphx.networks.fused import FusedNetwork
from suphx.networks.policy import KindHead, PolicyNetwork
from suphx.networks.precision import Precision
from suphx.selfplay.passes import passes


class OffsetHead(KindHead):
    """The discard network's head with an offset of each kind's logit.

    The head itself judges all kinds by the same weights, so it cannot learn that with this hand bamboo is to be kept.
    """

    def __init__(self, head: KindHead) -> None:
        """Take over a head's weights; offsets begin with 0, or where they are."""
        nn.Module.__init__(self)
        self.score = head.score
        known: nn.Parameter | None = head.offset if isinstance(head, OffsetHead) else None
        self.offset: nn.Parameter = nn.Parameter(torch.zeros(KINDS)) if known is None else known

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return [n, 34] for rows [n, 34, filters]."""
        return super().forward(rows) + self.offset


def with_offsets(network: PolicyNetwork) -> PolicyNetwork:
    """Return a discard network, changed in place, whose head has offsets; the same function where it had none."""
    assert isinstance(network.head, KindHead), "only discards have a logit for each kind"
    network.head = OffsetHead(network.head)
    return network


class LearnedPart:
    """A copy of a network of which only a part learns."""

    def __init__(self, network: PolicyNetwork, blocks: int | None, precision: Precision, offsets: bool = False) -> None:
        """blocks: how many of the last residual blocks learn, with the head; None for the whole network.

        offsets: add offsets of the kinds' logits, which learn too.
        """
        if blocks is not None and not 0 <= blocks <= len(network.blocks):
            raise ValueError(f"a network of {len(network.blocks)} blocks cannot learn in the last {blocks}")
        self.network = copy.deepcopy(network)
        if offsets:
            with_offsets(self.network)
        self.network.to(precision.device)
        self.blocks = blocks
        self.precision = precision
        self._fixed = None if blocks is None else len(network.blocks) - blocks
        self.network.requires_grad_(self._fixed is None)
        if self._fixed is not None:
            self._last.requires_grad_(True)
            self.network.head.requires_grad_(True)
        self.parameters = [weight for weight in self.network.parameters() if weight.requires_grad]

    @property
    def _last(self) -> nn.ModuleList:
        return self.network.blocks[self._fixed :]

    def inputs(self, packed: np.ndarray) -> np.ndarray | torch.Tensor:
        """Return what `logits` takes for planes uint64[n, planes]: these, or what the fixed blocks make of them."""
        if self._fixed is None:
            return packed
        chunks = [packed[rows] for rows in passes(len(packed), self.precision)]
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
        """Return logits f32[n, 34 or 2]; gradients flow to what learns."""
        if isinstance(inputs, np.ndarray):
            return self.network.of_packed(inputs, self.precision)
        for block in self._last:
            inputs = block(inputs)
        return self.network.head(inputs.squeeze(-1).transpose(1, 2)).float()


class Stems:
    """What the fixed blocks of a network make of questions, kept for the next way to learn that fixes as many."""

    def __init__(self) -> None:
        self._of: tuple[int | None, np.ndarray | torch.Tensor] | None = None

    def inputs(self, part: LearnedPart, packed: np.ndarray) -> np.ndarray | torch.Tensor:
        """Return `part.inputs` of the same questions, always of parts of one network."""
        if self._of is None or self._of[0] != part.blocks:
            self._of = None  # before the next is made: each may be gigabytes
            self._of = part.blocks, part.inputs(packed)
        return self._of[1]
