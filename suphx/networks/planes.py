"""From packed planes (a 34-bit mask each) to the input of a network: [n, 34, planes] of zeros and ones.

On a CPU a compiled loop writes straight into the network's layout and type; torch operations would take longer than
the network. On a GPU only the masks are copied there, an eighth of the bytes, and torch unpacks them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np
import torch

from simulator.jit import jit
from simulator.tiles import KINDS

_PART_BITS = 16  # a mask is read in parts as wide as the narrowest output, so that one instruction does many planes
_PART_MASK = np.uint64((1 << _PART_BITS) - 1)
_PARTS = 3
#: bfloat16 is written as its bits: NumPy does not know it.
_BFLOAT16_ONE = np.uint16(0x3F80)
#: Rows below which a second thread costs more than it saves.
_ROWS_FOR_THREADS = 32


@jit
def _unpack(packed, places, one, out):
    n, planes = len(packed), len(places)
    parts = np.empty((_PARTS, planes), np.uint16)
    for i in range(n):
        for plane in range(planes):
            mask = packed[i, places[plane]]
            for part in range(_PARTS):
                parts[part, plane] = mask >> part * _PART_BITS & _PART_MASK
        for part in range(_PARTS):
            row = parts[part]
            for place in range(min(_PART_BITS, KINDS - part * _PART_BITS)):
                bit = np.uint16(1 << place)
                kind = part * _PART_BITS + place
                for plane in range(planes):
                    out[i, kind, plane] = one if row[plane] & bit else type(one)(0)


@jit
def _unpack_flags(packed, places, one, out):
    for i in range(len(packed)):
        for plane in range(len(places)):
            out[i, plane] = one if packed[i, places[plane]] & np.uint64(1) else type(one)(0)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="unpack")


def unpack_into(packed: np.ndarray, out: torch.Tensor, threads: int, places: np.ndarray | None = None) -> None:
    """Write packed planes uint64[n, planes] into a contiguous CPU tensor [n, 34, planes], bfloat16 or float32.

    threads: how many share the work. places: int64[k], which of the planes, by default all. Raises ValueError for a
    tensor of another shape or type.
    """
    places = np.arange(packed.shape[1]) if places is None else places
    target, one = _target(out, (len(packed), KINDS, len(places)))
    if threads == 1 or len(packed) < _ROWS_FOR_THREADS:
        _unpack(packed, places, one, target)
        return
    bounds = np.linspace(0, len(packed), threads + 1).astype(int)
    pieces = [(packed[a:b], places, one, target[a:b]) for a, b in pairwise(bounds)]
    list(_pool(threads).map(lambda piece: _unpack(*piece), pieces))


def unpack_flags_into(packed: np.ndarray, out: torch.Tensor, places: np.ndarray) -> None:
    """Write those of packed planes uint64[n, planes] that are all or none into a contiguous CPU tensor [n, k]: 1 or 0.

    places: int64[k], which of the planes. Raises ValueError for a tensor of another shape or type.
    """
    target, one = _target(out, (len(packed), len(places)))
    _unpack_flags(packed, places, one, target)


def _target(out: torch.Tensor, shape: tuple[int, ...]) -> tuple[np.ndarray, np.generic]:
    """Return an array of a tensor's memory, and what is a one in it."""
    if out.shape != shape or not out.is_contiguous():
        raise ValueError(f"planes {shape} do not fit a tensor {tuple(out.shape)}")
    if out.dtype == torch.bfloat16:
        return out.view(torch.uint16).numpy(), _BFLOAT16_ONE
    if out.dtype != torch.float32:
        raise ValueError(f"planes are unpacked to bfloat16 or float32, not {out.dtype}")
    return out.numpy(), np.float32(1)


def unpack(packed: np.ndarray, dtype: torch.dtype, device: torch.device, threads: int = 1) -> torch.Tensor:
    """Return packed planes uint64[n, planes] as a tensor [n, 34, planes] of zeros and ones on a device."""
    if device.type == "cpu":
        out = torch.empty((len(packed), KINDS, packed.shape[1]), dtype=dtype)
        unpack_into(packed, out, threads)
        return out
    masks = torch.from_numpy(np.ascontiguousarray(packed).view(np.int64))  # torch cannot shift uint64
    return unpack_there(masks.to(device, non_blocking=True), dtype)


def unpack_there(masks: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return masks int64[n, planes] as [n, 34, planes] of zeros and ones, by torch operations where the masks are."""
    places = torch.arange(_PART_BITS, dtype=torch.int16, device=masks.device)
    rows = []
    for part in range(_PARTS):  # 16 bits at a time: int64 rows would take four times the memory
        bits = (masks >> part * _PART_BITS).to(torch.int16)
        kinds = places[: KINDS - part * _PART_BITS]
        rows.append((bits[:, None, :] >> kinds[None, :, None] & 1).to(dtype))
    return torch.cat(rows, dim=1)
