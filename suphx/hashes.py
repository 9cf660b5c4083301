"""Hashes of file contents: a file's name does not show whether its content has changed."""

import hashlib
from pathlib import Path

from suphx.errors import InputError


def hash_of_file(path: Path) -> str:
    """Return a short hash of a file's content; raises InputError if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
