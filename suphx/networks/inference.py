"""From packed planes to logits: a network made ready for one device and type."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import torch
from torch.nn import functional

from suphx.networks.fused import FusedNetwork
from suphx.networks.planes import unpack
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import Precision

#: Positions of one pass on a CPU: more are no faster, and their planes would not fit the caches.
CPU_CHUNK = 256
#: Fewer are not worth sharing out among threads.
_SMALLEST_CHUNK = 32
#: Positions of one pass on a GPU, where the bound is memory: 2 bytes x 34 x planes each, a few times over to unpack.
GPU_CHUNK = 4096
#: Positions of every pass of fixed size on a GPU.
GPU_PASS_SIZE = 1024


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    """Return threads that each compute alone.

    Torch's own threads share every operation and wait for each other after it, which on a busy machine (several
    processes, other users) takes twenty times as long; these share out positions and never wait.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix="inference", initializer=torch.set_num_threads, initargs=(1,))


class Evaluator:
    """A network that only answers: its own copy of the weights, in the type and on the device it computes with."""

    def __init__(self, network: PolicyNetwork | ValueNetwork, precision: Precision, fixed_passes: bool = False) -> None:
        """Take a copy of a network: one of the five, or a critic, whose answers are f32[n, 4].

        fixed_passes: on a GPU every pass has `GPU_PASS_SIZE` positions, the last one filled up, not as many as are
        asked for. A position's logits then do not depend on what else is asked with it: kernels are chosen by the
        shape, and sum in another order for another one. On a CPU they never do (`fused.py`).
        """
        self.precision = precision
        self.model = network.model
        self._gpu_pass = GPU_PASS_SIZE if fixed_passes else None
        self.planes = network.planes
        self._on_cpu = precision.device.type == "cpu"
        if self._on_cpu:
            self._fused = FusedNetwork(network, precision.dtype)
        else:
            self._network = copy.deepcopy(network).to(precision.device, precision.dtype)
            self._network.requires_grad_(False).eval()

    def logits(self, packed: np.ndarray) -> np.ndarray:
        """Return logits f32[n, 34, 2 or 4] for packed planes uint64[n, planes]; ValueError for another shape."""
        if packed.ndim != 2 or packed.shape[1] != self.planes or packed.dtype != np.uint64:
            raise ValueError(f"{self.model} needs uint64[n, {self.planes}], not {packed.dtype}{list(packed.shape)}")
        threads = self.precision.threads if self._on_cpu else 1
        if self._on_cpu:
            size = min(CPU_CHUNK, max(_SMALLEST_CHUNK, -(-len(packed) // threads)))
        else:
            size = self._gpu_pass or GPU_CHUNK
        chunks = [packed[at : at + size] for at in range(0, max(len(packed), 1), size)]
        found = map(self._evaluate, chunks) if threads == 1 else _workers(threads).map(self._evaluate, chunks)
        return np.concatenate(list(found))

    def _evaluate(self, packed: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            if self._on_cpu:
                return self._fused(packed).numpy()
            rows = self._gpu_pass or len(packed)
            planes = unpack(packed, self.precision.dtype, self.precision.device)
            found = self._network(functional.pad(planes, (0, 0, 0, 0, 0, rows - len(packed))))
            return found.cpu().numpy()[: len(packed)]
