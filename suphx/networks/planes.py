"""From packed planes (a 34-bit mask each) to [n, 34, planes] of zeros and ones, what a convolution of torch takes.

On a GPU, that is; only the masks are copied there, an eighth of the bytes. On a CPU networks take packed planes as
they are (`first_layer.py`), and this is what tests hold that against.
"""

from __future__ import annotations

import numpy as np
import torch

from simulator.tiles import KINDS

_PART_BITS = 16  # of a mask at a time: int64 rows would take four times the memory
_PARTS = 3


def unpack(packed: np.ndarray, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return packed planes uint64[n, planes] as a tensor [n, 34, planes] of zeros and ones on a device."""
    masks = torch.from_numpy(np.ascontiguousarray(packed).view(np.int64))  # torch cannot shift uint64
    return _unpack_there(masks.to(device, non_blocking=True), dtype)


def _unpack_there(masks: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return masks int64[n, planes] as [n, 34, planes] of zeros and ones, by torch operations where the masks are."""
    places = torch.arange(_PART_BITS, dtype=torch.int16, device=masks.device)
    rows = []
    for part in range(_PARTS):
        bits = (masks >> part * _PART_BITS).to(torch.int16)
        kinds = places[: KINDS - part * _PART_BITS]
        rows.append((bits[:, None, :] >> kinds[None, :, None] & 1).to(dtype))
    return torch.cat(rows, dim=1)
