"""From packed planes to logits: a network made ready for one device and type."""

from __future__ import annotations

import copy

import numpy as np
import torch

from simulator.tiles import KINDS
from suphx.networks.planes import unpack, unpack_into
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision

#: Positions of one pass on a CPU: more are no faster, and their planes would not fit the caches.
CPU_CHUNK = 256
#: ... and on a GPU, where the bound is memory: 2 bytes x 34 x planes each, and as much again for unpacking.
GPU_CHUNK = 4096


class Evaluator:
    """A network that only answers: its own copy of the weights, in the type and on the device it computes with.

    It keeps a buffer between calls: two threads need an evaluator each.
    """

    def __init__(self, network: PolicyNetwork, precision: Precision) -> None:
        self.precision = precision
        self.model = network.model
        self.planes = network.planes
        self._network = copy.deepcopy(network).to(precision.device, precision.dtype)
        self._network.requires_grad_(False).eval()
        on_cpu = precision.device.type == "cpu"
        self._chunk = CPU_CHUNK if on_cpu else GPU_CHUNK
        self._buffer = torch.empty((0, KINDS, self.planes), dtype=precision.dtype)

    def logits(self, packed: np.ndarray) -> np.ndarray:
        """Return logits f32[n, 34 or 2] for packed planes uint64[n, planes]; ValueError for another shape or type."""
        if packed.ndim != 2 or packed.shape[1] != self.planes or packed.dtype != np.uint64:
            raise ValueError(f"{self.model} needs uint64[n, {self.planes}], not {packed.dtype}{list(packed.shape)}")
        with torch.inference_mode():
            if not len(packed):
                return self._network(torch.empty((0, KINDS, self.planes), **self._place())).cpu().numpy()
            chunks = [packed[at : at + self._chunk] for at in range(0, len(packed), self._chunk)]
            return torch.cat([self._network(self.unpack(chunk)) for chunk in chunks]).cpu().numpy()

    def _place(self) -> dict:
        return {"dtype": self.precision.dtype, "device": self.precision.device}

    def unpack(self, packed: np.ndarray) -> torch.Tensor:
        """Return the network's input for packed planes; on a CPU it lies in the buffer, until the next call."""
        if self.precision.device.type != "cpu":
            return unpack(packed, self.precision.dtype, self.precision.device)
        if len(self._buffer) < len(packed):  # fresh memory would cost more than the unpacking
            self._buffer = torch.empty((len(packed), KINDS, self.planes), dtype=self.precision.dtype)
        planes = self._buffer[: len(packed)]
        unpack_into(packed, planes, self.precision.threads)
        return planes
