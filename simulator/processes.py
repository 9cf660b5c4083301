"""Distributing the parts of a job over processes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")


def share_out(work: Callable[..., T], parts: Sequence[tuple[Any, ...]], workers: int, in_order: bool) -> Iterator[T]:
    """Yield work(*part) for every part, computed by up to `workers` processes.

    work: a function that can be pickled, like its arguments and results. The first part is computed in this process
    before the others start, so that anything still to be compiled is compiled once. in_order: yield the results in
    the order of the parts rather than as they are finished.
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
