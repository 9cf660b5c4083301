"""Access to the folder of sample games that `suphx web --games` names, and to nothing outside it."""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from fastapi import HTTPException

from suphx.errors import InputError
from suphx.review.document import Document
from suphx.web.guard import MAX_BODY

#: Maximum number of files listed: the newest.
SHOWN = 100
#: Maximum number of files examined: an arena's folder may contain very many.
LOOKED_AT = 50_000
#: Suffixes of the logs that training and the arena write.
SUFFIXES = (".mjlog", ".mjlog.gz")


class Sample(Document):
    """A game in the folder."""

    name: str
    """Its path relative to the folder, with `/`."""
    time: float
    """Modification time in seconds since 1970, UTC."""


class SampleFolder:
    """The game files in a folder and its subfolders."""

    def __init__(self, folder: Path) -> None:
        """Raises InputError if it is not a folder."""
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder")
        self._root = folder.resolve()

    def listing(self) -> list[Sample]:
        """Return the newest games, newest first; symbolic links are not followed."""
        samples = []
        for path in islice(self._files(), LOOKED_AT):
            with suppress(OSError):  # deleted meanwhile: a run may be changing the folder
                written = path.stat(follow_symlinks=False).st_mtime
                samples.append(Sample(name=path.relative_to(self._root).as_posix(), time=written))
        return sorted(samples, key=lambda sample: (-sample.time, sample.name))[:SHOWN]

    def _files(self) -> Iterator[Path]:
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                if name.endswith(SUFFIXES) and not name.startswith(".") and not path.is_symlink():
                    yield path

    def read(self, name: str) -> bytes:
        """Return the contents of a file by its name in the listing; raises HTTPException (404) if it is not there."""
        refused = HTTPException(404, f"there is no game {name!r} in the folder of games")
        if not name.endswith(SUFFIXES) or "\0" in name:
            raise refused
        try:
            path = (self._root / name).resolve(strict=True)
            if not path.is_relative_to(self._root) or not path.is_file():
                raise refused
            if path.stat().st_size > MAX_BODY:
                raise HTTPException(404, f"{name} is larger than the {MAX_BODY >> 20} MB that a log may have")
            return path.read_bytes()
        except OSError as error:
            raise refused from error
