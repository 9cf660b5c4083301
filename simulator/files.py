"""Writing files that matter: whole or not at all."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` under a temporary name beside `path` and rename it, so that no half-written file is ever there.

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
        with suppress(OSError):  # where even the folder is none, it cannot be unlinked either
            temporary.unlink()
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


class UniqueNames:
    """File names for many sources in one folder: the source's last part, made safe, numbered where it comes again."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._given: dict[str, int] = {}

    def name(self, source: str) -> str:
        """Return a name that was not given before."""
        last = re.split(r"[/\\]", source)[-1]
        stem = re.sub(r"[^\w.-]", "_", last.removesuffix(".gz").rsplit(".", 1)[0]).lstrip(".")[:150] or "game"
        count = self._given.get(stem, 0)
        self._given[stem] = count + 1
        if not count:
            return stem + self._suffix
        return self.name(f"{stem}-{count + 1}.{self._suffix.lstrip('.')}")
