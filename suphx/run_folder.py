"""The folders of runs: where they are, one process at a time in each, and results by line, so that work can resume.

Each line is written with one call and ends with a line break; an incomplete last line, left by a kill or a full disk,
is cut off on resume.
"""

import errno
import json
import os
import reprlib
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import ValidationError

from simulator.files import write_json
from suphx.errors import InputError

#: The environment variable that sets the folder; the default is `suphx` in the user's data folder.
RUNS_VARIABLE = "SUPHX_RUNS"
_LOCK_NAME = ".lock"


def runs_folder() -> Path:
    """Return the folder of runs, created if needed."""
    if chosen := os.environ.get(RUNS_VARIABLE):
        folder = Path(chosen).expanduser()
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "suphx"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def folder_lock(folder: Path, work: str) -> Iterator[None]:
    """Hold a folder, created if needed, for this process; the system releases it however the process ends.

    work: what another process would be doing there, e.g. `trains here`. Raises InputError, which names the process and
    the host, if another one holds the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _LOCK_NAME
    lock = FileLock(path, timeout=0, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        owner = ""
        with suppress(OSError):  # Windows lets nobody else read a locked file
            owner = path.read_text("utf-8").strip()
        raise InputError(f"{folder}: {owner or 'another process'} {work}") from None
    try:
        path.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
        yield
    finally:
        lock.release()


def settle(folder: Path, name: str, lines: str, settings: dict[str, Any], work: str) -> None:
    """Write the settings of a new folder, which is created if needed, or check that an existing one has the same.

    name, lines: names of the files with settings and with results. settings: JSON values. work: what error messages
    call the work in the folder. Raises InputError for other settings, for a file that is not JSON, and for results
    without settings.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted, path = json.loads(json.dumps(settings)), folder / name
    if not path.exists():
        if (folder / lines).exists():
            raise InputError(f"{folder}: contains {lines}, but no {name} that says which {work} it belongs to")
        return write_json(path, wanted)
    try:
        stored = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); give the {work} another folder") from error
    there = stored if isinstance(stored, dict) else {}
    differing = [
        f"{key} {reprlib.repr(there.get(key))} instead of {reprlib.repr(value)}"
        for key, value in wanted.items()
        if there.get(key) != value
    ]
    if differing:
        raise InputError(f"{path}: another {work}, with {', '.join(differing)}; give this one another folder")


class JsonLines(ExitStack):
    """A file of lines, open for appending, in a folder that one process has at a time, until it is closed."""

    def __init__(self, path: Path, read: Callable[[bytes], None], work: str, kind: str) -> None:
        """Open a file, created if needed, and read its lines.

        read: called with every existing line; may raise ValueError and the like. work: as in `folder_lock`. kind: what
        a line is. Raises InputError for a line that is none, and if another process has the folder.
        """
        super().__init__()
        self.path = path
        with ExitStack() as opened:
            opened.enter_context(folder_lock(path.parent, work))
            self._file = opened.enter_context(open(path, "ab", buffering=0))
            data = path.read_bytes()
            self._size = data.rfind(b"\n") + 1
            if self._size < len(data):
                os.truncate(path, self._size)
            for number, line in enumerate(data[: self._size].splitlines(), 1):
                try:
                    read(line)
                except (ValueError, TypeError, OverflowError) as error:
                    words = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
                    raise InputError(f"{path}, line {number}: no {kind} ({words})") from error
            self.push(opened.pop_all())

    def add(self, line: str) -> None:
        """Append a line, given without its line break; after an error (a full disk) no part of it remains."""
        data = (line + "\n").encode()
        try:
            if self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._file.truncate(self._size)
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._size += len(data)
