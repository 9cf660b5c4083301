"""Sharing out work that falls into parts among processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")


def share_out(work: Callable[..., T], parts: Sequence[tuple[Any, ...]], workers: int, in_order: bool) -> Iterator[T]:
    """Yield work(*part) of every part, over so many processes.

    work: a function that can be pickled, as its arguments and result. The first part is done here, and first: it
    compiles what is still to be compiled, once. in_order: yield results in the order of the parts, not as they come.
    """
    if parts:
        yield work(*parts[0])
    rest = parts[1:]
    if workers <= 1 or not rest:
        for part in rest:
            yield work(*part)
        return
    with ProcessPoolExecutor(min(workers, len(rest)), mp_context=get_context("spawn")) as pool:
        try:
            running = [pool.submit(work, *part) for part in rest]
            for future in running if in_order else as_completed(running):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
