"""How fast the networks are: inference from packed planes, and supervised training, by the median time of a batch."""

from collections.abc import Iterable, Iterator

import torch
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.bench.timing import made_up_planes, measure
from suphx.networks.fused import FusedNetwork
from suphx.networks.inference import CPU_CHUNK, GPU_CHUNK, Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize

_TRAINING_BATCH = 256
_LEARNING_RATE = 1e-4


def bench_inference(size: NetworkSize, precision: Precision, seconds: float) -> dict[str, float]:
    """Measure inference of one size from packed planes to logits, and the first layer's share of the time."""
    network = PolicyNetwork("discard", size)
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


def bench_training(
    size: NetworkSize, precision: Precision, seconds: float, batch: int = _TRAINING_BATCH
) -> dict[str, float]:
    """Measure training of one size with float32 weights: logits from packed planes, loss, gradients, AdamW step."""
    network = PolicyNetwork("discard", size).to(precision.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_LEARNING_RATE, fused=True)
    packed = made_up_planes(batch)
    kinds = torch.randint(0, KINDS, (batch,), device=precision.device)

    def step() -> None:
        optimizer.zero_grad()
        functional.cross_entropy(network.of_packed(packed, precision), kinds).backward()
        optimizer.step()

    return {"training_per_s": batch / measure(step, seconds, precision.device)}


def bench_networks(
    sizes: Iterable[NetworkSize], precisions: Iterable[Precision], seconds: float
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield ("small bfloat16", metrics) for every size in every precision."""
    chosen = list(sizes)
    for precision in precisions:
        for size in chosen:
            metrics = bench_inference(size, precision, seconds) | bench_training(size, precision, seconds)
            yield f"{size.name} {str(precision.dtype).removeprefix('torch.')}", metrics
