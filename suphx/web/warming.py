"""Warming up: work done ahead of the first request, so that it need not wait."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_log = logging.getLogger(__name__)


def do_ahead(pool: ThreadPoolExecutor, work: Callable[[], object]) -> None:
    """Run something in a pool without waiting for it; an error is logged to the terminal."""
    pool.submit(work).add_done_callback(_tell_fault)


def _tell_fault(done: Future[object]) -> None:
    error = None if done.cancelled() else done.exception()
    if isinstance(error, RuntimeError) and "interpreter shutdown" in str(error):
        return  # the program is exiting: this is how Python refuses work that starts then
    if error is not None:
        _log.error("warming up failed; the first who asks may wait longer", exc_info=error)
