"""Device, type, threads and memory for networks: the type is measured, and thread counts are explicit."""

import ctypes
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch.nn import functional

from simulator.tiles import KINDS
from suphx.errors import InputError

#: The probe runs a trunk convolution on as many positions as a pass has: with fewer, a GPU's launches are measured.
_PROBE_FILTERS = 96
_PROBE_POSITIONS = {"cpu": 128, "cuda": 4096}
_PROBE_SECONDS = 0.05
#: How many times faster bfloat16 must be to justify its eight bits of precision.
_WORTH = 1.2
# Parameters of glibc's mallopt (malloc.h).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_NEVER = (1 << 31) - 1


@dataclass(frozen=True)
class Precision:
    """Device, type and threads of a network's computation."""

    device: torch.device
    dtype: torch.dtype
    """Type of planes and activations: float32 or bfloat16."""
    threads: int
    """Threads of torch and of the first layer, on a CPU."""
    reason: str
    """Why this type was chosen, to be shown to the user."""

    def __str__(self) -> str:
        name = str(self.dtype).removeprefix("torch.")
        return f"{name} on {self.device}, {self.threads} threads ({self.reason})"


def choose_precision(device: str | None = None, dtype: str | None = None, threads: int | None = None) -> Precision:
    """Return the device, type and threads to compute with, and set torch's number of threads.

    device: "cpu", "cuda", "cuda:1"; by default a GPU if there is one. dtype: "float32" or "bfloat16"; by default
    bfloat16 if a probe of 0.1 s finds it faster on this device. threads: by default torch's current number. Raises
    InputError for a device or type that is not available.
    """
    chosen = _device(device)
    if chosen.type == "cuda":
        torch.backends.cudnn.allow_tf32 = False  # float32 has all its bits; bfloat16 is for speed
    count = torch.get_num_threads() if threads is None else threads
    if count < 1:
        raise InputError(f"threads: {count}; at least one is needed")
    if dtype is not None:
        if dtype not in ("float32", "bfloat16"):
            raise InputError(f"no precision {dtype!r}; there are float32, bfloat16")
        torch.set_num_threads(count)
        return Precision(chosen, getattr(torch, dtype), count, "as configured")
    torch.set_num_threads(1)  # on a busy machine, threads that wait for each other would distort the measurement
    ratio = bfloat16_gain(chosen)
    torch.set_num_threads(count)
    best = torch.bfloat16 if ratio >= _WORTH else torch.float32
    return Precision(chosen, best, count, f"bfloat16 runs at {ratio:.1f} times float32 here")


def _device(name: str | None) -> torch.device:
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(f"no device {name!r}; try cpu or cuda") from None
    if device.type not in ("cpu", "cuda"):
        raise InputError(f"device {name!r} is not supported; try cpu or cuda")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(f"device {name!r} is not there: torch finds {torch.cuda.device_count()} GPUs")
    return device


@cache
def bfloat16_gain(device: torch.device) -> float:
    """Return how many times faster a trunk convolution runs in bfloat16 than in float32, measured once per device."""
    seconds = {}
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.ones(_PROBE_POSITIONS[device.type], KINDS, 1, _PROBE_FILTERS, dtype=dtype, device=device).permute(
            0, 3, 1, 2
        )
        weight = torch.ones(_PROBE_FILTERS, _PROBE_FILTERS, 3, 1, dtype=dtype, device=device)
        weight = weight.contiguous(memory_format=torch.channels_last)
        with torch.inference_mode():
            work = partial(functional.conv2d, x, weight, padding=(1, 0))
            seconds[dtype] = min(run_times(work, _PROBE_SECONDS, device))
    return seconds[torch.float32] / seconds[torch.bfloat16]


def run_times(work: Callable[[], object], seconds: float, device: torch.device) -> list[float]:
    """Return run times of a function in seconds, of as many runs as fit, after one that is not counted."""
    wait = partial(torch.cuda.synchronize, device) if device.type == "cuda" else lambda: None
    times: list[float] = []
    work()
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or not times:
        wait()
        started = time.perf_counter()
        work()
        wait()
        times.append(time.perf_counter() - started)
    return times


def keep_memory() -> None:
    """Make the C library keep freed memory for this process, for a network's steps, which use it over and over.

    Otherwise it returns large blocks to the system, and every training step must get them again, page by page. Does
    nothing if the C library is not glibc.
    """
    if sys.platform != "linux":
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return
    mallopt(_MMAP_THRESHOLD, _NEVER)
    mallopt(_TRIM_THRESHOLD, _NEVER)
