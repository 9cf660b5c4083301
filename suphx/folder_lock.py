"""One process at a time in a folder, whichever machine it runs on."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from suphx.errors import InputError

_LOCK_NAME = ".lock"


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
