"""A network as TorchScript: one file that libtorch runs without this package.

Its input is float32 [n, planes, 34] as in the paper's Table 2, zeros and ones; its output the logits.
"""

from __future__ import annotations

import copy
import os
from pathlib import Path

import torch
from torch import nn

from simulator.tiles import KINDS
from suphx.networks.policy import PolicyNetwork


class _PaperShape(nn.Module):
    """Takes planes in the paper's shape."""

    def __init__(self, network: PolicyNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        return self.network(planes.transpose(1, 2).contiguous())


def export_torchscript(network: PolicyNetwork, path: Path) -> None:
    """Write a network as TorchScript, float32, for any batch size; the file appears whole or not at all."""
    plain = copy.deepcopy(network).to("cpu", torch.float32).requires_grad_(False).eval()
    example = torch.zeros(2, network.planes, KINDS)
    with torch.inference_mode():
        traced = torch.jit.trace(_PaperShape(plain), example, check_trace=False)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        traced.save(str(temporary))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
