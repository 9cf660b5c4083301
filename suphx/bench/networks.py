"""Benchmarks of the networks: inference from packed planes, training steps, and memory layouts of the convolution.

Rates are in positions per second, from the median time of a batch. The machine should be otherwise idle.
"""

from collections.abc import Iterable, Iterator
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.networks.fused import FusedNetwork
from suphx.networks.inference import CPU_CHUNK, GPU_CHUNK, Evaluator
from suphx.networks.policy import PolicyNetwork, ResidualBlock
from suphx.networks.precision import Precision
from suphx.networks.sizes import size_named
from suphx.networks.timing import made_up_planes, measure

TRAINING_BATCH = 256
_LAYOUT_POSITIONS = 256
_LEARNING_RATE = 1e-4


def bench_inference(size: str, precision: Precision, seconds: float) -> dict[str, float]:
    """Measure inference of one size from packed planes to logits, and the first layer's share of the time."""
    network = PolicyNetwork("discard", size_named(size))
    evaluator = Evaluator(network, precision)
    on_cpu = precision.device.type == "cpu"
    chunk = CPU_CHUNK if on_cpu else GPU_CHUNK
    packed = made_up_planes(chunk * precision.threads if on_cpu else chunk)  # a chunk for each thread
    whole = measure(lambda: evaluator.logits(packed), seconds, precision.device) * (chunk / len(packed))
    if on_cpu:
        fused = FusedNetwork(network, precision.dtype)
        first = measure(lambda: fused.trunk(packed[:chunk], 0), seconds / 4, precision.device) / precision.threads
    else:
        network = network.to(precision.device, precision.dtype).requires_grad_(False)
        first = measure(lambda: network.first_of_packed(packed, precision), seconds / 4, precision.device)
    return {"inference_per_s": chunk / whole, "first_layer_share": first / whole}


def bench_training(size: str, precision: Precision, seconds: float, batch: int = TRAINING_BATCH) -> dict[str, float]:
    """Measure training of one size with float32 weights: logits from packed planes, loss, gradients, AdamW step."""
    network = PolicyNetwork("discard", size_named(size)).to(precision.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_LEARNING_RATE, fused=True)
    packed = made_up_planes(batch)
    kinds = torch.randint(0, KINDS, (batch,), device=precision.device)

    def step() -> None:
        optimizer.zero_grad()
        functional.cross_entropy(network.of_packed(packed, precision), kinds).backward()
        optimizer.step()

    return {"training_per_s": batch / measure(step, seconds, precision.device)}


class _ShiftAndMultiply(nn.Module):
    """A 3x1 convolution as one matrix product over three shifted copies: [n, 34, channels] -> [n, 34, filters]."""

    def __init__(self, channels: int, filters: int) -> None:
        super().__init__()
        self.linear = nn.Linear(3 * channels, filters)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        padded = functional.pad(x, (0, 0, 1, 1))
        return self.linear(torch.cat([padded[:, :-2], x, padded[:, 2:]], dim=-1))


class _Half(nn.Module):
    """As much work as half a residual block: the block processes half of the positions."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.block = ResidualBlock(filters, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(x[: len(x) // 2])


def _with_gradients(layer: nn.Module, x: torch.Tensor) -> None:
    layer(x).sum().backward()


def bench_layouts(filters: int, precision: Precision, seconds: float) -> dict[str, float]:
    """Measure one trunk convolution in each layout that was considered, forward and with gradients."""
    candidates: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
        "ours": (_Half(filters), (_LAYOUT_POSITIONS, KINDS, 1, filters)),
        "channels_last": (nn.Conv2d(filters, filters, (3, 1), padding=(1, 0)), (_LAYOUT_POSITIONS, KINDS, 1, filters)),
        "conv1d": (nn.Conv1d(filters, filters, 3, padding=1), (_LAYOUT_POSITIONS, filters, KINDS)),
        "shift_and_multiply": (_ShiftAndMultiply(filters, filters), (_LAYOUT_POSITIONS, KINDS, filters)),
    }
    found = {}
    for name, (layer, shape) in candidates.items():
        layer.to(precision.device, precision.dtype)
        x = torch.randn(shape, device=precision.device, dtype=precision.dtype)
        if len(shape) == 4:
            x = x.permute(0, 3, 1, 2)
        with torch.inference_mode():
            forward = measure(partial(layer, x), seconds, precision.device)
        x.requires_grad_()
        both = measure(partial(_with_gradients, layer, x), seconds, precision.device)
        found[f"{name}_forward_per_s"] = _LAYOUT_POSITIONS / forward
        found[f"{name}_with_gradients_per_s"] = _LAYOUT_POSITIONS / both
    return found


def bench_networks(
    sizes: Iterable[str], precisions: Iterable[Precision], seconds: float
) -> Iterator[tuple[str, dict[str, float]]]:
    """Measure sizes in several precisions; yields ("small bfloat16", numbers) and ("layouts 64 bfloat16", numbers)."""
    chosen = list(sizes)
    for precision in precisions:
        dtype = str(precision.dtype).removeprefix("torch.")
        for size in chosen:
            rates = bench_inference(size, precision, seconds) | bench_training(size, precision, seconds)
            yield f"{size} {dtype}", rates
        for filters in sorted({size_named(size).filters for size in chosen}):
            yield f"layouts {filters} {dtype}", bench_layouts(filters, precision, seconds / 4)
