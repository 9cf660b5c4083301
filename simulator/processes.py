"""Distributing the parts of a job over processes, and adding up what they return."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, fields
from multiprocessing import get_context
from typing import Any, ClassVar, Self, TypeVar

T = TypeVar("T")


@dataclass
class Sums:
    """Results of the parts of a job, added up with `+=`: numbers, and lists, of which only so many items are kept."""

    KEPT: ClassVar[int]
    """Items that a list keeps."""

    def __iadd__(self, other: Self) -> Self:
        for each in fields(self):
            both = getattr(self, each.name) + getattr(other, each.name)
            setattr(self, each.name, both[: self.KEPT] if isinstance(both, list) else both)
        return self

    def numbers(self) -> dict[str, int | float]:
        """Return the numbers by name, without the lists; seconds to three decimals."""
        numbers = {name: value for name, value in vars(self).items() if not isinstance(value, list)}
        return {name: round(value, 3) for name, value in numbers.items()}


def share_out(work: Callable[..., T], parts: Sequence[tuple[Any, ...]], workers: int, in_order: bool) -> Iterator[T]:
    """Yield work(*part) for every part, computed by up to `workers` processes.

    work: a function that can be pickled, like its arguments and results. The first part is computed in this process
    before the others start, so that anything still to be compiled is compiled once. in_order: yield the results in
    the order of the parts rather than as they are finished.
    """
    if parts:
        yield work(*parts[0])
    rest = parts[1:]
    if workers <= 1 or len(rest) <= 1:
        for part in rest:
            yield work(*part)
        return
    with ProcessPoolExecutor(min(workers, len(rest)), mp_context=get_context("spawn")) as pool:
        running: deque[Future[T]] = deque()
        try:
            for part in rest:
                running.append(pool.submit(work, *part))
                if in_order and len(running) > 2 * workers:  # limits how many finished results are held in memory
                    yield running.popleft().result()
            for future in running if in_order else as_completed(running):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
