"""The 3x1 convolution along the 34 kinds of tiles, with a weight gradient that is fast on a CPU, and its input.

Activations are 4-D, [n, channels, 34, 1], and are stored as [n, 34, channels] (channels last). For the forward pass and
the gradient of the input, PyTorch's own convolution is the fastest variant measured, and where
that needs it, the same memory viewed as [n, channels, 1, 34] (`onednn.py`). For the gradient of the weights, oneDNN
takes six times as long without that view.
"""

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.networks.onednn import convolve, convolve_and_add, lying, plain

_PADDING = (1, 0)
_PART_BITS = 16  # bits of a mask that are unpacked at a time: int64 rows would take four times the memory
_PARTS = 3
#: Types that oneDNN computes in; float64 is used by tests only.
_FUSED_TYPES = (torch.float32, torch.bfloat16)


class _Block(torch.autograd.Function):
    """A residual block: two convolutions with ReLU, the second one added to the input before its ReLU."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *layers: torch.Tensor) -> torch.Tensor:
        weight, bias, second_weight, second_bias = layers
        middle = convolve(x, weight, bias)
        out = convolve_and_add(middle, x, second_weight, second_bias)
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
        return convolve_and_add(inner, gradient, _mirrored(weight), None, cut=False), *to_first, *to_second


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
        super().__init__(channels, filters, kernel_size=(3, 1), padding=_PADDING)
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


def unpack(packed: np.ndarray, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return packed planes uint64[n, planes] as a tensor [n, 34, planes] of zeros and ones on a device.

    This is used on a GPU, to which only the masks are copied: an eighth of the bytes. On a CPU, networks take packed
    planes directly (`first_layer.py`), and this is the reference that tests compare them with.
    """
    masks = torch.from_numpy(np.ascontiguousarray(packed).view(np.int64))  # torch cannot shift uint64
    return unpack_masks(masks.to(device, non_blocking=True), dtype)


def unpack_masks(masks: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return masks int64[n, planes] as a tensor [n, 34, planes] of zeros and ones on the same device."""
    places = torch.arange(_PART_BITS, dtype=torch.int16, device=masks.device)
    rows = []
    for part in range(_PARTS):
        bits = (masks >> part * _PART_BITS).to(torch.int16)
        kinds = places[: KINDS - part * _PART_BITS]
        rows.append((bits[:, None, :] >> kinds[None, :, None] & 1).to(dtype))
    return torch.cat(rows, dim=1)
