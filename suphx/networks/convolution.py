"""The 3x1 convolution along the 34 kinds of tiles, fast on a CPU, and its input.

Activations are 4-D, [n, channels, 34, 1], and are stored as [n, 34, channels] (channels last). On a CPU oneDNN computes
the sum and the ReLU that follow a convolution while its results are still in registers; as separate operations, they
need more passes over memory, which take a third of a residual block's time. These fused operations are those that
torch's own compiler emits; if a build of torch does not have them, or the CPU has no bfloat16 of theirs (it needs
AVX512), the same is computed in steps.

Without AVX512, oneDNN's kernels compute several places of the last dimension at once: with a single one they run at a
third of the speed of the same memory viewed as [n, channels, 1, 34]. For the gradient of the weights, oneDNN takes six
times as long without that view, with AVX512 too.
"""

import math
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from simulator.tiles import KINDS

#: Packed planes: uint64[n, planes], or as masks int64[n, planes] of torch where they are on a GPU already.
Packed: TypeAlias = np.ndarray | torch.Tensor
_PADDING, _ONES = [1, 0], [1, 1]
_PART_BITS = 16  # bits of a mask that are unpacked at a time: int64 rows would take four times the memory
_PARTS = 3
#: Types that oneDNN computes in; float64 is used by tests only.
_FUSED_TYPES = (torch.float32, torch.bfloat16)
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


def convolve(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    other: torch.Tensor | None = None,
    cut: bool = True,
) -> torch.Tensor:
    """Return the convolution, or its sum with `other`, after a ReLU if `cut` is set."""
    if _FUSED is None or not _fuses(x):
        sums = functional.conv2d(x, weight, bias, padding=_PADDING)
        if other is not None:
            sums += other
        return functional.relu(sums, inplace=True) if cut else sums
    padding = _PADDING
    if _LIES:
        x, weight, padding = lying(x), weight if weight.is_mkldnn else lying(weight), _PADDING[::-1]
    if other is None:
        sums = _FUSED(x, weight, bias, padding, _ONES, _ONES, 1, "relu" if cut else "none", [], "")
    else:
        other, after = lying(other) if _LIES else other, "relu" if cut else None
        sums = _FUSED.binary(x, other, weight, bias, padding, _ONES, _ONES, 1, "add", 1.0, after, [], "")
    return _standing(sums) if _LIES else sums


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
        parts, others = x.split(size), added.split(size)
        alone = [convolve(part, weight, bias) for part in parts]
        sums = [convolve(part, weight, None, other) for part, other in zip(parts, others, strict=True)]
        return [torch.cat(alone), torch.cat(sums)]

    with torch.inference_mode():
        return all(map(torch.equal, in_passes(positions), in_passes(USUAL_POSITIONS)))


class _Block(torch.autograd.Function):
    """A residual block: two convolutions with ReLU, the second one added to the input before its ReLU."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *layers: torch.Tensor) -> torch.Tensor:
        weight, bias, second_weight, second_bias = layers
        middle = convolve(x, weight, bias)
        out = convolve(middle, second_weight, second_bias, x)
        ctx.save_for_backward(x, middle, out, weight, second_weight)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, middle, out, weight, second_weight = ctx.saved_tensors
        gradient = _cut_off(gradient.contiguous(memory_format=torch.channels_last), out)
        to_second = _weight_gradients(gradient, middle, second_weight)
        inner = _cut_off(plain(gradient, _mirrored(second_weight)), middle)
        to_first = _weight_gradients(inner, x, weight)
        return convolve(inner, _mirrored(weight), None, gradient, cut=False), *to_first, *to_second


def _cut_off(gradient: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Return the gradient of a ReLU's input: the gradient where its output is above 0, otherwise 0."""
    return torch.ops.aten.threshold_backward(gradient, out, 0)


def _mirrored(weight: torch.Tensor) -> torch.Tensor:
    """Return the weights of the convolution that computes the gradient of the input."""
    return weight.flip(2).transpose(0, 1).contiguous(memory_format=torch.channels_last)


def _weight_gradients(gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the gradients of a convolution's weight and bias."""
    _, to_weight, to_bias = torch.ops.aten.convolution_backward(
        *map(lying, (gradient, x, weight)),
        *([len(weight)], [1, 1], _PADDING[::-1], [1, 1], False, [0, 0], 1),
        [False, True, True],
    )
    return to_weight.transpose(2, 3), to_bias


class KindConvolution(nn.Conv2d):
    """A 3x1 convolution along the kinds of tiles, with zero padding; it has the parameters of `nn.Conv2d`.

    It computes in its input's type, whatever the type of its parameters: bfloat16 planes can train float32 parameters.
    """

    def __init__(self, channels: int, filters: int) -> None:
        super().__init__(channels, filters, kernel_size=(3, 1), padding=(1, 0))
        self.weight = nn.Parameter(self.weight.detach().contiguous(memory_format=torch.channels_last))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return [n, filters, 34, 1] for x [n, channels, 34, 1]."""
        weight, bias = self.as_type(x.dtype)
        return functional.conv2d(x, weight, bias, padding=_PADDING)

    def as_type(self, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        """Return weight and bias converted to a type; gradients flow through."""
        assert self.bias is not None
        return self.weight.to(dtype, memory_format=torch.channels_last), self.bias.to(dtype)


def residual_block(x: torch.Tensor, first: KindConvolution, second: KindConvolution) -> torch.Tensor:
    """Return relu(x + second(relu(first(x)))), [n, filters, 34, 1] like x."""
    learns = torch.is_grad_enabled() and first.weight.requires_grad and second.weight.requires_grad
    if learns and x.device.type == "cpu" and x.dtype in _FUSED_TYPES:
        return _Block.apply(x, *first.as_type(x.dtype), *second.as_type(x.dtype))
    change = second(functional.relu(first(x), inplace=True))
    change += x
    return functional.relu(change, inplace=True)


def masks_on(packed: Packed, device: torch.device) -> torch.Tensor:
    """Return packed planes as masks int64[n, planes] on a device.

    To a GPU they go through pinned memory, several times as fast as from any other, and nothing waits for the copy.
    """
    if isinstance(packed, torch.Tensor):
        return packed
    masks = packed.view(np.int64)  # torch cannot shift uint64
    if device.type != "cuda":
        return torch.from_numpy(np.ascontiguousarray(masks)).to(device)
    staged = torch.empty(masks.shape, dtype=torch.int64, pin_memory=True)
    np.copyto(staged.numpy(), masks)
    return staged.to(device, non_blocking=True)


def unpack(packed: Packed, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return packed planes as a tensor [n, 34, planes] of zeros and ones on a device.

    This is used on a GPU, to which only the masks are copied: an eighth of the bytes. On a CPU, networks take packed
    planes directly (`first_layer.py`), and this is the reference that tests compare them with.
    """
    return unpack_masks(masks_on(packed, device), dtype)


def unpack_masks(masks: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return masks int64[n, planes] as a tensor [n, 34, planes] of zeros and ones on the same device."""
    places = torch.arange(_PART_BITS, dtype=torch.int16, device=masks.device)
    rows = []
    for part in range(_PARTS):
        bits = (masks >> part * _PART_BITS).to(torch.int16)
        kinds = places[: KINDS - part * _PART_BITS]
        rows.append((bits[:, None, :] >> kinds[None, :, None] & 1).to(dtype))
    return torch.cat(rows, dim=1)
