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

from suphx.networks.convolution import Packed, unpack, unpack_masks
from suphx.networks.fused import FusedNetwork
from suphx.networks.policy import Network, SumNetwork, Trunk
from suphx.networks.precision import Precision

#: Positions per pass on a CPU: more are no faster, and their planes would not fit in the caches.
CPU_CHUNK = 256
#: Minimum positions per thread; sharing out fewer is not worthwhile.
_MIN_CHUNK = 32
#: Positions per pass on a GPU, limited by memory: 2 bytes x 34 x planes each, several times over to unpack them.
GPU_CHUNK = 4096
#: Positions per pass with passes of a fixed size.
GPU_PASS_SIZE, CPU_PASS_SIZE = 1024, 32
#: Other passes on a GPU are a multiple of this, larger ones of an eighth of the next power of two: few shapes, for each
#: of which kernels are chosen, a pass is recorded and memory is kept.
_GPU_STEP = 256


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads that each compute on their own.

    Torch's own threads share every operation and wait for each other after it, which takes twenty times as long on a
    busy machine (several processes, other users). These threads share out positions and never wait.
    """
    return ThreadPoolExecutor(threads, thread_name_prefix="inference", initializer=torch.set_num_threads, initargs=(1,))


class _Recording:
    """The passes of a network on a GPU, recorded as CUDA graphs: one launch for each instead of some seventy.

    A network's recording stays when its weights change. Its passes follow one another, on whatever streams, since they
    use the same memory.
    """

    def __init__(self, network: Network, precision: Precision, positions: int) -> None:
        """positions: most of a pass."""
        self._network, self._precision, self._positions = copy.deepcopy(network), precision, positions
        self._weights: Network | None = None  # whose weights it has now
        self._passes: dict[int, tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]] = {}  # by positions
        self._pool = torch.cuda.graph_pool_handle()
        self._done = torch.cuda.Event()
        torch.cuda.current_stream(precision.device).synchronize()

    def outputs(self, masks: torch.Tensor, network: Network) -> torch.Tensor:
        """Return the outputs of a network for masks int64[n, planes] on the GPU."""
        stream = torch.cuda.current_stream(self._precision.device)
        stream.wait_event(self._done)
        if self._weights is not network:
            torch._foreach_copy_(list(self._network.parameters()), list(network.parameters()))
            self._weights = network
        outputs = []
        for part in masks.split(self._positions):
            graph, shown, answers = self._passes.get(len(part)) or self._record(part)
            shown.copy_(part)
            graph.replay()
            outputs.append(answers.clone())
        self._done.record(stream)
        return torch.cat(outputs)

    def _record(self, masks: torch.Tensor) -> tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]:
        graph, masks = torch.cuda.CUDAGraph(), masks.clone()
        now, stream = torch.cuda.current_stream(masks.device), torch.cuda.Stream(masks.device)
        stream.wait_stream(now)
        with torch.cuda.stream(stream):
            self._network(unpack_masks(masks, self._precision.dtype))  # libraries choose their kernels
        # Other threads may use the GPU meanwhile.
        with torch.cuda.graph(graph, pool=self._pool, stream=stream, capture_error_mode="thread_local"):
            outputs = self._network(unpack_masks(masks, self._precision.dtype))
        now.wait_stream(stream)
        self._passes[len(masks)] = graph, masks, outputs
        return self._passes[len(masks)]


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
        self._fused: list[tuple[float, FusedNetwork]] = []
        """On a CPU: residual networks, and what their outputs are multiplied by before they are added."""
        if self._on_cpu and isinstance(network, SumNetwork):
            self._fused = [(factor, FusedNetwork(each, precision.dtype)) for factor, each in network.terms]
        elif self._on_cpu and isinstance(network, Trunk):
            other, blocks = (like[0]._fused[0][1], like[1]) if like else (None, 0)
            self._fused = [(1.0, FusedNetwork(network, precision.dtype, other, blocks))]
        else:
            self._network = copy.deepcopy(network).to(precision.device, precision.dtype)
            self._network.requires_grad_(False).eval()
            if batch_invariant:
                self._pass = CPU_PASS_SIZE if self._on_cpu else GPU_PASS_SIZE
            if precision.device.type == "cuda":  # the weights are there before any stream uses them
                torch.cuda.current_stream(precision.device).synchronize()
        self._recording: _Recording | None = None

    def recorded(self, network: Network | None = None) -> Evaluator:
        """Return one whose passes on a GPU are recorded, for whoever asks again and again, from one thread.

        network: newer weights of this network, by default these. What this evaluator has recorded serves them too. A
        user's architecture, which may do what cannot be recorded, is computed as it is, as on a CPU.
        """
        other = self if network is None else Evaluator(network, self.precision, self._pass is not None)
        if other.precision.device.type == "cuda" and isinstance(other._network, Trunk | SumNetwork):
            is_like = self._recording is not None and self._network.size == other._network.size
            if is_like and self.planes == other.planes:
                other._recording = self._recording
            else:
                other._recording = _Recording(other._network, self.precision, self._pass or GPU_CHUNK)
        return other

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
        n = sum(map(len, parts))
        rows = self._rows(n)
        is_pinned = self.precision.device.type == "cuda"
        packed = torch.empty((rows, self.planes), dtype=torch.int64, pin_memory=is_pinned)
        array = packed.numpy().view(np.uint64)
        np.concatenate([*parts, np.zeros((rows - n, self.planes), np.uint64)], out=array)
        with torch.inference_mode():
            masks = packed.to(self.precision.device, non_blocking=True)
            recording = self._recording
            outputs = self._passes_of(masks) if recording is None else recording.outputs(masks, self._network)
            logits = outputs.to("cpu", torch.float32, non_blocking=True)  # to pinned memory
        done = torch.cuda.Event() if is_pinned else None
        if done is not None:
            done.record()

        def wait() -> np.ndarray:
            if done is not None:
                done.synchronize()
            return logits[:n].numpy()

        return wait

    def logits_there(self, packed: Packed) -> torch.Tensor:
        """Return the network's outputs, f32[n, k], on the device on which it computes."""
        if isinstance(packed, np.ndarray):
            return torch.from_numpy(self.logits(packed)).to(self.precision.device)
        with torch.no_grad():
            return self._passes_of(packed).float()

    def _rows(self, n: int) -> int:
        """Return how many positions are computed for n of them."""
        if self._pass is not None:
            return max(-(-n // self._pass), 1) * self._pass
        left = n % GPU_CHUNK or min(n, GPU_CHUNK)
        step = max(_GPU_STEP, 1 << max((left - 1).bit_length() - 3, 0))
        return n - left + max(-(-left // step), 1) * step

    def _passes_of(self, masks: torch.Tensor) -> torch.Tensor:
        passes = masks.split(self._pass or GPU_CHUNK)
        return torch.cat([self._network(unpack_masks(each, self.precision.dtype)) for each in passes])

    def _on_threads(self, packed: np.ndarray) -> np.ndarray:
        threads = self.precision.threads
        size = self._pass or min(CPU_CHUNK, max(_MIN_CHUNK, -(-len(packed) // threads)))
        chunks = [packed[at : at + size] for at in range(0, max(len(packed), 1), size)]
        outputs = map(self._evaluate, chunks) if threads == 1 else _workers(threads).map(self._evaluate, chunks)
        return np.concatenate(list(outputs))

    def _evaluate(self, packed: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            if self._fused:
                return torch.stack([factor * fused(packed) for factor, fused in self._fused]).sum(0).numpy()
            rows = self._pass or len(packed)
            planes = unpack(packed, self.precision.dtype, self.precision.device)
            outputs = self._network(functional.pad(planes, (0, 0, 0, 0, 0, rows - len(packed))))
            return outputs.float().numpy()[: len(packed)]
