"""From packed planes to logits: a network made ready for one device and type."""

from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import torch
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.networks.fused import FusedNetwork
from suphx.networks.planes import unpack, unpack_flags_into, unpack_into
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.precision import Precision

#: Positions of one pass on a CPU: more are no faster, and their planes would not fit the caches.
CPU_CHUNK = 256
#: Fewer are not worth sharing out among threads.
_SMALLEST_CHUNK = 32
#: Positions of one pass on a GPU, where the bound is memory: 2 bytes x 34 x planes each, a few times over to unpack.
GPU_CHUNK = 4096
#: Positions of every pass of fixed size. On a CPU small passes are a little slower each, but of a model that is seldom
#: asked large ones would be nearly empty.
CPU_PASS_SIZES = {"discard": 64, "riichi": 16, "chow": 32, "pong": 32, "kong": 8}
GPU_PASS_SIZE = 1024


def pass_size(model: str, device: torch.device) -> int:
    """Return the positions of every pass of a model, where passes are of fixed size."""
    return CPU_PASS_SIZES[model] if device.type == "cpu" else GPU_PASS_SIZE


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
        """Take a copy of a network: one of the five, or a critic, whose answers are f32[n].

        fixed_passes: every pass has `pass_size` positions, the last one filled up, not as many as are asked for. A
        position's logits then do not depend on what else is asked with it: kernels are chosen by the shape, and sum
        in another order for another one.
        """
        self.precision = precision
        self.model = network.model if isinstance(network, PolicyNetwork) else "critic"
        self._pass_size = pass_size(self.model, precision.device) if fixed_passes else None
        self.planes = network.planes
        self._on_cpu = precision.device.type == "cpu"
        if self._on_cpu:
            self._fused = FusedNetwork(network, precision.dtype)
        else:
            self._network = copy.deepcopy(network).to(precision.device, precision.dtype)
            self._network.requires_grad_(False).eval()
        self._own = threading.local()  # buffers for each thread

    def logits(self, packed: np.ndarray) -> np.ndarray:
        """Return logits f32[n, 34 or 2] for packed planes uint64[n, planes]; ValueError for another shape or type."""
        if packed.ndim != 2 or packed.shape[1] != self.planes or packed.dtype != np.uint64:
            raise ValueError(f"{self.model} needs uint64[n, {self.planes}], not {packed.dtype}{list(packed.shape)}")
        threads = self.precision.threads if self._on_cpu else 1
        size = self._pass_size or GPU_CHUNK
        if self._on_cpu and not self._pass_size:
            size = min(CPU_CHUNK, max(_SMALLEST_CHUNK, -(-len(packed) // threads)))
        chunks = [packed[at : at + size] for at in range(0, max(len(packed), 1), size)]
        found = map(self._evaluate, chunks) if threads == 1 else _workers(threads).map(self._evaluate, chunks)
        return np.concatenate(list(found))

    def _evaluate(self, packed: np.ndarray) -> np.ndarray:
        rows = self._pass_size or len(packed)
        with torch.inference_mode():
            if self._on_cpu:
                found = self._fused(*self._unpack(packed, rows))
            else:
                planes = unpack(packed, self.precision.dtype, self.precision.device)
                found = self._network(functional.pad(planes, (0, 0, 0, 0, 0, rows - len(packed)))).cpu()
        return found.numpy()[: len(packed)]

    def _unpack(self, packed: np.ndarray, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return so many rows of sets and of flags; beyond `packed`, whatever was there: no row sees another."""
        buffers = getattr(self._own, "buffers", None)
        if buffers is None or len(buffers[0]) < rows:  # fresh memory would cost more than the unpacking
            shapes = (rows, KINDS, len(self._fused.sets)), (rows, len(self._fused.flags))
            buffers = self._own.buffers = tuple(torch.zeros(shape, dtype=self.precision.dtype) for shape in shapes)
        sets, flags = buffers
        unpack_into(packed, sets[: len(packed)], 1, self._fused.sets)
        unpack_flags_into(packed, flags[: len(packed)], self._fused.flags)
        return sets[:rows], flags[:rows]
