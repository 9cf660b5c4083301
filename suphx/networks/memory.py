"""Keeping memory that steps of a network use over and over."""

from __future__ import annotations

import ctypes
import sys

# Parameters of glibc's mallopt (malloc.h).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_NEVER = (1 << 31) - 1


def keep_memory() -> None:
    """Have the C library keep freed memory for this process.

    It gives back large blocks to the system otherwise, and every step of a training takes them anew, page by page.
    Does nothing where the C library is not glibc.
    """
    if sys.platform != "linux":
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return
    mallopt(_MMAP_THRESHOLD, _NEVER)
    mallopt(_TRIM_THRESHOLD, _NEVER)
