"""Test whether a CPU's convolutions give equal sums in passes of different sizes, once per process and shape.

No library guarantees it. oneDNN chooses a kernel and its tiles by shape, including the number of positions. A different
kernel sums in another order and rounds differently, so that a close decision may change. The same kernel gives the same
bits, whatever the numbers are.
"""

import math
from collections.abc import Callable
from functools import cache

import torch

from simulator.tiles import KINDS
from suphx.networks.onednn import USUAL_POSITIONS, arranged, convolve, convolve_and_add


@cache
def sums_alike(channels: int, filters: int, dtype: torch.dtype, positions: int) -> bool:
    """Return whether convolutions give the same results in passes of `positions` as in passes of `USUAL_POSITIONS`.

    Both kinds of convolutions that networks use are tested with random numbers, on a common multiple of both sizes.
    """
    if positions == USUAL_POSITIONS:
        return True
    generator = torch.Generator().manual_seed(0)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator).to(dtype)

    def over_and_over(block: torch.Tensor) -> torch.Tensor:
        times = math.lcm(positions, USUAL_POSITIONS) // USUAL_POSITIONS
        return block.repeat(times, 1, 1, 1).contiguous(memory_format=torch.channels_last)

    x = over_and_over(random(USUAL_POSITIONS, channels, KINDS, 1))
    added = over_and_over(random(USUAL_POSITIONS, filters, KINDS, 1))
    weight, bias = arranged(random(filters, channels, 3, 1) * channels**-0.5), random(filters)

    def plain(rows: slice) -> torch.Tensor:
        return convolve(x[rows], weight, bias)

    def with_sum(rows: slice) -> torch.Tensor:
        return convolve_and_add(x[rows], added[rows], weight, None)

    with torch.inference_mode():
        return all(
            torch.equal(_in_passes(work, len(x), positions), _in_passes(work, len(x), USUAL_POSITIONS))
            for work in (plain, with_sum)
        )


def _in_passes(work: Callable[[slice], torch.Tensor], n: int, size: int) -> torch.Tensor:
    return torch.cat([work(slice(at, at + size)) for at in range(0, n, size)])
