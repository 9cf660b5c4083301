"""Test whether a CPU's convolutions give equal sums in passes of different sizes, once per process and shape.

No library guarantees it. oneDNN chooses a kernel and its tiles by shape, including the number of positions. A different
kernel sums in another order and rounds differently, so that a close decision may change. The same kernel gives the same
bits, whatever the numbers are.
"""

import math
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

    def in_passes(size: int) -> list[torch.Tensor]:
        alone = [convolve(part, weight, bias) for part in x.split(size)]
        sums = [convolve_and_add(*parts, weight, None) for parts in zip(x.split(size), added.split(size), strict=True)]
        return [torch.cat(alone), torch.cat(sums)]

    with torch.inference_mode():
        return all(map(torch.equal, in_passes(positions), in_passes(USUAL_POSITIONS)))
