"""Inference from packed planes to logits, with a network prepared for one device and type.

On a GPU, planes go through pinned memory, and nothing waits before the logits are asked for: calls that follow one
another (`start`) are in flight together, and on different streams the copies of one overlap with the networks of
another.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import torch
from torch.nn import functional

from suphx.networks.convolution import unpack, unpack_masks
from suphx.networks.fused import FusedNetwork
from suphx.networks.policy import Network, Trunk
from suphx.networks.precision import Precision

#: Positions per pass on a CPU: more are no faster, and their planes would not fit in the caches.
CPU_CHUNK = 256
#: Minimum positions per thread; sharing out fewer is not worthwhile.
_MIN_CHUNK = 32
#: Positions per pass on a GPU, limited by memory: 2 bytes x 34 x planes each, several times over to unpack them.
GPU_CHUNK = 4096
#: Positions per pass with passes of a fixed size.
GPU_PASS_SIZE, CPU_PASS_SIZE = 1024, 32
#: Other passes on a GPU are a multiple of this, so that kernels are chosen and memory is kept for few shapes.
_GPU_STEP = 256


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads that each compute on their own.

    Torch's own threads share every operation and wait for each other after it, which takes twenty times as long on a
    busy machine (several processes, other users). These threads share out positions and never wait.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix="inference", initializer=torch.set_num_threads, initargs=(1,))


class Evaluator:
    """A network for inference, with its own copy of the weights in the type and on the device of the computation."""

    def __init__(
        self,
        network: Network,
        precision: Precision,
        batch_invariant: bool = False,
        like: tuple[Evaluator, int] | None = None,
    ) -> None:
        """Take a copy of a network: that of a model, a critic or an outlook.

        batch_invariant: a position's logits do not depend on the others in the call. Kernels are chosen by shape, and
        different kernels sum in different orders, so every pass then has `GPU_PASS_SIZE` or `CPU_PASS_SIZE` positions,
        with the last one padded, instead of as many as are needed. For residual networks on a CPU it always holds
        (`fused.py`).
        like: one of the same precision whose residual network has the same first layer and that many first blocks. On
        a CPU they are shared.
        """
        self.precision = precision
        self.model = network.model
        self.planes = network.planes
        self._on_cpu = precision.device.type == "cpu"
        self._pass: int | None = None
        self._fused: FusedNetwork | None = None
        if self._on_cpu and isinstance(network, Trunk):
            other, blocks = (like[0]._fused, like[1]) if like else (None, 0)
            self._fused = FusedNetwork(network, precision.dtype, other, blocks)
        else:
            self._network = copy.deepcopy(network).to(precision.device, precision.dtype)
            self._network.requires_grad_(False).eval()
            if batch_invariant:
                self._pass = CPU_PASS_SIZE if self._on_cpu else GPU_PASS_SIZE
            if precision.device.type == "cuda":  # the weights are there before any stream uses them
                torch.cuda.current_stream(precision.device).synchronize()

    def logits(self, packed: np.ndarray) -> np.ndarray:
        """Return the network's outputs, f32[n, k], for packed planes uint64[n, planes].

        Raises ValueError for another shape or type.
        """
        if packed.ndim != 2 or packed.shape[1] != self.planes or packed.dtype != np.uint64:
            raise ValueError(f"{self.model} needs uint64[n, {self.planes}], not {packed.dtype}{list(packed.shape)}")
        return self.start([packed])()

    def start(self, parts: Sequence[np.ndarray]) -> Callable[[], np.ndarray]:
        """Start computing the logits of several arrays of packed planes uint64[n, planes], which are of this network.

        Returns a function that waits for them, f32[n, k] in the order of `parts`. A CPU has computed them by then.
        """
        if self._on_cpu:
            here = self._on_threads(np.concatenate(parts) if len(parts) > 1 else parts[0])
            return lambda: here
        n, step = sum(map(len, parts)), self._pass or _GPU_STEP
        rows = max(-(-n // step), 1) * step
        is_pinned = self.precision.device.type == "cuda"
        packed = torch.empty((rows, self.planes), dtype=torch.int64, pin_memory=is_pinned)
        array = packed.numpy().view(np.uint64)
        np.concatenate([*parts, np.zeros((rows - n, self.planes), np.uint64)], out=array)
        with torch.inference_mode():
            there = packed.to(self.precision.device, non_blocking=True)
            passes = there.split(self._pass or GPU_CHUNK)
            outputs = torch.cat([self._network(unpack_masks(each, self.precision.dtype)) for each in passes])
            logits = outputs.to("cpu", torch.float32, non_blocking=True)  # to pinned memory
        done = torch.cuda.Event() if is_pinned else None
        if done is not None:
            done.record()

        def wait() -> np.ndarray:
            if done is not None:
                done.synchronize()
            return logits[:n].numpy()

        return wait

    def _on_threads(self, packed: np.ndarray) -> np.ndarray:
        threads = self.precision.threads
        size = self._pass or min(CPU_CHUNK, max(_MIN_CHUNK, -(-len(packed) // threads)))
        chunks = [packed[at : at + size] for at in range(0, max(len(packed), 1), size)]
        outputs = map(self._evaluate, chunks) if threads == 1 else _workers(threads).map(self._evaluate, chunks)
        return np.concatenate(list(outputs))

    def _evaluate(self, packed: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            if self._fused is not None:
                return self._fused(packed).numpy()
            rows = self._pass or len(packed)
            planes = unpack(packed, self.precision.dtype, self.precision.device)
            outputs = self._network(functional.pad(planes, (0, 0, 0, 0, 0, rows - len(packed))))
            return outputs.float().numpy()[: len(packed)]
