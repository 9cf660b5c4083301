"""Files of arrays (npz): written whole or not at all, and read without trusting them or unpickling anything."""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from simulator.files import write_whole
from suphx.errors import InputError


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray], compressed: bool = True) -> None:
    """Write an npz file."""
    data = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(data, allow_pickle=False, **arrays)
    write_whole(path, data.getvalue())


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Read arrays of an npz file by name.

    Raises:
        InputError: it is no such file, or lacks one of them.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in names if name in file.files}
    except OSError as error:
        if error.errno is not None:
            raise
        raise InputError(f"{path} is no npz file") from error
    except Exception as error:  # zipfile, zlib and NumPy each have errors of their own for broken files
        raise InputError(f"{path} cannot be read as an npz file: {error}") from error
    if missing := [name for name in names if name not in arrays]:
        raise InputError(f"{path} has no {missing[0]!r}")
    return arrays
