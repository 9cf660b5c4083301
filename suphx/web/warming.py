"""What is done before anybody asks for it, so that the first who does need not wait."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_log = logging.getLogger(__name__)


def do_ahead(pool: ThreadPoolExecutor, work: Callable[[], object]) -> None:
    """Do something in a pool without anybody waiting for it; a fault goes to the terminal."""
    pool.submit(work).add_done_callback(_tell_fault)


def _tell_fault(done: Future[object]) -> None:
    ending = not threading.main_thread().is_alive()  # threads can begin nothing any more, and nobody will ask
    if not ending and not done.cancelled() and (error := done.exception()) is not None:
        _log.error("warming up failed; the first who asks may wait longer", exc_info=error)
