"""Writing files atomically, and unique file names."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to a temporary file beside `path` and rename it, so that `path` is never half-written.

    An OSError names `path`, never the temporary file.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):  # if there is no such folder, unlinking fails as well
            temporary.unlink()
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_json(path: Path, values: Any) -> None:
    """Write JSON values to a file, whole, and create its folder if needed; raises ValueError for infinity and NaN."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(values, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode())


class UniqueNames:
    """File names for many sources in one folder: the last part of each source, made safe, and numbered if repeated."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._given: dict[str, int] = {}

    def name(self, source: str) -> str:
        """Return a name that has not been returned before."""
        last = re.split(r"[/\\]", source)[-1]
        stem = re.sub(r"[^\w.-]", "_", last.removesuffix(".gz").rsplit(".", 1)[0]).lstrip(".")[:150] or "game"
        count = self._given.get(stem, 0)
        self._given[stem] = count + 1
        if not count:
            return stem + self._suffix
        return self.name(f"{stem}-{count + 1}.{self._suffix.lstrip('.')}")
