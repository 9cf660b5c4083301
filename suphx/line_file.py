"""Results on disk as one line each, with the settings they belong to, so that long work can go on after a kill.

A line is written with one call and ends with a line break; what a kill or a full disk left of a last one is cut off
when the work goes on.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.files import write_whole
from suphx.errors import InputError


def settle(folder: Path, name: str, lines: str, settings: dict[str, Any], work: str) -> dict[str, tuple[Any, Any]]:
    """Write the settings of a folder, made if it is not there, or return those that differ: name -> (there, wanted).

    name, lines: of the files with settings and with results. settings: JSON values. work: what the folder is of, in
    messages. Raises InputError for settings that are no JSON, and for results without settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted, path = json.loads(json.dumps(settings)), folder / name
    if not path.exists():
        if (folder / lines).exists():
            raise InputError(f"{folder}: holds {lines}, but no {name} that says of which {work}")
        write_whole(path, (json.dumps(wanted, indent=1, ensure_ascii=False) + "\n").encode())
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); give the {work} another folder") from error
    there = found if isinstance(found, dict) else {}
    return {key: (there.get(key), value) for key, value in wanted.items() if there.get(key) != value}


class LineFile:
    """A file of lines, opened to add to by one process."""

    def __init__(self, path: Path, read: Callable[[int, bytes], None], busy: str) -> None:
        """Open a file, made if it is not there, and read what it holds.

        read: told every line that stands there, with its number from 1 on; may raise InputError. busy: what InputError
        says where another process has the file open.
        """
        self._path = path
        self._file = open(path, "ab", buffering=0)
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise InputError(busy) from None
            data = path.read_bytes()
            self._size = data.rfind(b"\n") + 1
            if self._size < len(data):
                os.truncate(path, self._size)
            for number, line in enumerate(data[: self._size].splitlines(), 1):
                read(number, line)
        except BaseException:
            self._file.close()
            raise

    def add(self, line: str) -> None:
        """Write a line, without its line break; after an error (a full disk) nothing is left of it."""
        data = (line + "\n").encode()
        try:
            if self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._file.truncate(self._size)
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        self._size += len(data)

    def close(self) -> None:
        """Let others have the file."""
        self._file.close()
