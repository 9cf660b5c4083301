"""Unpack planes, a 34-bit mask each, to [n, 34, planes] of zeros and ones, as torch's convolutions need them.

This is used on a GPU, to which only the masks are copied: an eighth of the bytes. On a CPU, networks take packed planes
directly (`first_layer.py`), and this module is the reference that tests compare them with.
"""

import numpy as np
import torch

from simulator.tiles import KINDS

_PART_BITS = 16  # bits of a mask that are unpacked at a time: int64 rows would take four times the memory
_PARTS = 3


def unpack(packed: np.ndarray, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return packed planes uint64[n, planes] as a tensor [n, 34, planes] of zeros and ones on a device."""
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
