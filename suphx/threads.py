"""Work in several threads that each compute on their own, and whose results one consumer takes as they come."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

import torch

Result = TypeVar("Result")

#: Most results that may wait for the consumer.
_WAITING = 1024


class Stopped(Exception):
    """Raised in work that is told to stop midway; its result does not count."""


class Either(Event):
    """Set while one of two events is."""

    def __init__(self, one: Event, other: Event) -> None:
        super().__init__()
        self._both = one, other

    def is_set(self) -> bool:
        """Return whether one of the two is set."""
        return any(each.is_set() for each in self._both)


def start_thread(work: Callable[[], None]) -> Future[None]:
    """Start a thread for work that may never end; return a future, which receives its end or its error."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            work()
            future.set_result(None)
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def in_threads(produce: Callable[[], Iterable[Result]], threads: int, stop: Event) -> Generator[Result]:
    """Call `produce` in each of several threads, and yield what they produce as it comes.

    threads: number of threads; each has one thread of torch, so that they never wait for each other. With one, the work
    is done in this thread. stop: set when the consumer or some work fails, until all threads have ended; the work has
    to watch it and to raise Stopped. Raises what the work raises.
    """
    if threads == 1:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield from produce()
        finally:
            torch.set_num_threads(before)
        return
    produced: Queue[tuple[Result] | Exception | None] = Queue(_WAITING)

    def put(item: tuple[Result] | Exception | None) -> None:
        while not stop.is_set():
            with suppress(Full):
                return produced.put(item, timeout=0.2)

    def work() -> None:
        try:
            for result in produce():
                put((result,))
            put(None)
        except Exception as error:  # raised again by the consumer
            put(error)

    with ThreadPoolExecutor(threads, "work", torch.set_num_threads, (1,)) as pool:
        working = [pool.submit(work) for _ in range(threads)]
        try:
            while working:
                item = produced.get()
                if isinstance(item, Exception):
                    raise item
                if item is None:
                    working.pop()
                else:
                    yield item[0]
        finally:
            stop.set()
            pool.shutdown()
            stop.clear()
