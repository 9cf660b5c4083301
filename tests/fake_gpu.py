"""A GPU that computes nothing: code for one runs on any machine, and tensors on the wrong device are found.

PyTorch's fake tensors have a shape and a device, and refuse to meet those of another device. Here the device is `meta`:
without CUDA, PyTorch cannot even take a row of a fake tensor that is on `cuda`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from suphx.networks.precision import Precision

PRECISION = Precision(torch.device("meta"), torch.bfloat16, 1, "fake")


class _Values(TorchDispatchMode):
    """Makes up the values that a program cannot do without: numbers are 0.5 or 1, and all of a mask is set."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten._local_scalar_dense.default:
            return 0.5 if args[0].dtype.is_floating_point else 1
        if func is torch.ops.aten.index.Tensor and args[1][0].dtype == torch.bool:
            return args[0].clone()
        return func(*args, **(kwargs or {}))


def _numpy(tensor: torch.Tensor, **_: object) -> np.ndarray:
    assert tensor.device.type == "cpu", "only what is on the CPU has an array"
    kinds = {torch.int64: np.int64, torch.float32: np.float32, torch.bool: np.bool_}
    return np.ones(tensor.shape, kinds[tensor.dtype])


def _apply(module: torch.nn.Module, change, recurse: bool = True) -> torch.nn.Module:
    """Replace what a module holds: in place, PyTorch cannot do that with fake tensors."""
    for each in module.modules():
        for name, parameter in each.named_parameters(recurse=False):
            with torch.no_grad():
                setattr(each, name, torch.nn.Parameter(change(parameter), parameter.requires_grad))
        for name, buffer in each.named_buffers(recurse=False):
            setattr(each, name, change(buffer))
    return module


@contextmanager
def fake_gpu() -> Iterator[Precision]:
    """Compute on the device of `PRECISION`, without values."""
    with (
        FakeTensorMode(allow_non_fake_inputs=True), _Values(),
        patch.object(FakeTensor, "numpy", _numpy), patch.object(torch.nn.Module, "_apply", _apply),
        patch("torch.optim.optimizer._get_fused_kernels_supported_devices", lambda: ["meta"]),
    ):  # fmt: skip
        yield PRECISION
