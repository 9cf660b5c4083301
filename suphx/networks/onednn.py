"""oneDNN's 3x1 convolutions fused with the following operations, in one pass over memory.

The sum and the ReLU are computed while a convolution's results are still in registers; as separate operations, they
need more passes over memory, which take a third of a residual block's time. The fused operations are those that torch's
own compiler emits; if a build of torch does not have them, or the CPU has no bfloat16 of theirs (it needs AVX512), the
same is computed in steps. All tensors are on a CPU, [n, channels, 34, 1], channels last in memory.

Without AVX512, oneDNN's kernels compute several places of the last dimension at once: with a single one they run at a
third of the speed of the same memory viewed as [n, channels, 1, 34].
"""

import math
from functools import cache
from typing import Any

import torch
from torch.nn import functional

from simulator.tiles import KINDS

_PADDING, _ONES = [1, 0], [1, 1]
_LIES = torch.backends.cpu.get_cpu_capability() == "AVX2"
_FUSED = getattr(torch.ops.mkldnn, "_convolution_pointwise", None) if torch.backends.mkldnn.is_available() else None
#: Whether the operations compute in bfloat16 on this CPU.
BFLOAT16 = _FUSED is not None and torch.ops.mkldnn._is_mkldnn_bf16_supported()
#: Number of positions for which the order of the weights is optimized; any other number works as well.
USUAL_POSITIONS = 64


def _fuses(x: torch.Tensor) -> bool:
    return _FUSED is not None and (BFLOAT16 or x.dtype != torch.bfloat16)


def lying(tensor: torch.Tensor) -> torch.Tensor:
    """Return [n, channels, kinds, 1] as [n, channels, 1, kinds], channels last, in the same memory.

    The strides of a transposed tensor are different, and are not recognized as channels last.
    """
    n, channels, kinds, _ = tensor.shape
    return tensor.permute(0, 2, 3, 1).reshape(n, 1, kinds, channels).permute(0, 3, 1, 2)


def _standing(tensor: torch.Tensor) -> torch.Tensor:
    """Return [n, channels, 1, kinds] as [n, channels, kinds, 1], likewise."""
    n, channels, _, kinds = tensor.shape
    return tensor.permute(0, 2, 3, 1).reshape(n, kinds, 1, channels).permute(0, 3, 1, 2)


def arranged(weight: torch.Tensor) -> torch.Tensor:
    """Return weights [filters, channels, 3, 1] in the fastest order for this module's convolutions."""
    weight = weight.clone(memory_format=torch.channels_last)
    if not _fuses(weight):
        return weight
    arrange: Any = torch._C._nn.mkldnn_reorder_conv2d_weight
    if _LIES:
        shape = [USUAL_POSITIONS, weight.shape[1], 1, KINDS]
        return arrange(lying(weight).to_mkldnn(), _PADDING[::-1], _ONES, _ONES, 1, shape)
    shape = [USUAL_POSITIONS, weight.shape[1], KINDS, 1]
    return arrange(weight.to_mkldnn(), _PADDING, _ONES, _ONES, 1, shape)


def plain(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return the convolution alone, without a bias; weight: as it is learned."""
    if _LIES:
        return _standing(functional.conv2d(lying(x), lying(weight), padding=_PADDING[::-1]))
    return functional.conv2d(x, weight, padding=_PADDING)


def convolve(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Return the convolution after a ReLU."""
    if _FUSED is None or not _fuses(x):
        return functional.relu(functional.conv2d(x, weight, bias, padding=_PADDING), inplace=True)
    if _LIES:
        weight = weight if weight.is_mkldnn else lying(weight)
        return _standing(_FUSED(lying(x), weight, bias, _PADDING[::-1], _ONES, _ONES, 1, "relu", [], ""))
    return _FUSED(x, weight, bias, _PADDING, _ONES, _ONES, 1, "relu", [], "")


def convolve_and_add(
    x: torch.Tensor, other: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, cut: bool = True
) -> torch.Tensor:
    """Return the sum of the convolution and `other`, after a ReLU if `cut` is set."""
    if _FUSED is None or not _fuses(x):
        sums = functional.conv2d(x, weight, bias, padding=_PADDING)
        sums += other
        return functional.relu(sums, inplace=True) if cut else sums
    after = "relu" if cut else None
    if _LIES:
        weight = weight if weight.is_mkldnn else lying(weight)
        sums = _FUSED.binary(
            lying(x), lying(other), weight, bias, _PADDING[::-1], _ONES, _ONES, 1, "add", 1.0, after, [], ""
        )
        return _standing(sums)
    return _FUSED.binary(x, other, weight, bias, _PADDING, _ONES, _ONES, 1, "add", 1.0, after, [], "")


@cache
def sums_alike(channels: int, filters: int, dtype: torch.dtype, positions: int) -> bool:
    """Return whether convolutions give the same results in passes of `positions` as in passes of `USUAL_POSITIONS`.

    No library guarantees it. oneDNN chooses a kernel and its tiles by shape, including the number of positions. A
    different kernel sums in another order and rounds differently, so that a close decision may change. The same kernel
    gives the same bits, whatever the numbers are. Both kinds of convolutions that networks use are tested with random
    numbers, on a common multiple of both sizes, once per process and shape.
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
