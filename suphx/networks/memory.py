"""Keep memory that a network's steps use over and over."""

import ctypes
import sys

# Parameters of glibc's mallopt (malloc.h).
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_NEVER = (1 << 31) - 1


def keep_memory() -> None:
    """Make the C library keep freed memory for this process.

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
