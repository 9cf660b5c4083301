"""Where groups of planes begin: `at.hand_count` is the index of the first plane of the group `hand.count`.

Indices of the oracle's groups count from the first plane of its own block (`layout.start`).
"""

import numpy as np

from suphx.features.layout import start


def __getattr__(name: str) -> np.int64:
    """Return an index as a constant for compiled code; raise AttributeError if there is no such group.

    It is not an int, since Numba compiles a function again for each literal int that it is called with.
    """
    try:
        return np.int64(start(name.replace("_", ".", 1)))
    except KeyError as error:
        raise AttributeError(f"no group of planes {error}") from None
