"""Work on several items at the same time, in threads that each compute on their own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Raised in work that is told to stop midway; its result does not count."""


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], threads: int, stop: Event) -> Generator[Result]:
    """Yield the result of each item, in the order in which they end.

    threads: number of threads; each has one thread of torch, so that they never wait for each other. With one, the work
    is done in this thread. stop: set when the consumer or some work fails, until all work has ended; work has to watch
    it and to raise Stopped. Raises what the work raises.
    """
    if threads == 1:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield from map(work, items)
        finally:
            torch.set_num_threads(before)
        return
    with ThreadPoolExecutor(threads, "work", torch.set_num_threads, (1,)) as pool:
        waiting = [pool.submit(work, item) for item in items]
        try:
            for each in as_completed(waiting):
                yield each.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
            stop.clear()
