"""Work in several threads: all of it is done once, its results come as they are made, and its faults are heard."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, get_ident

import pytest
import torch

from suphx.threads import Stopped, in_threads


@pytest.mark.parametrize("threads", [1, 3])
def test_every_item_is_worked_on_once_with_one_thread_of_torch(threads: int) -> None:
    before = torch.get_num_threads()
    items = iter(range(3_000))  # more than may wait for the consumer

    def work() -> Iterator[tuple[int, int]]:
        for item in items:
            yield item, torch.get_num_threads()

    found = list(in_threads(work, threads, Event()))
    assert sorted(item for item, _ in found) == list(range(3_000)) and {torchs for _, torchs in found} == {1}
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_a_fault_in_some_work_is_raised_and_ends_the_rest(threads: int) -> None:
    stop, items = Event(), iter(range(3))

    def work() -> Iterator[int]:
        for item in items:
            if item == 0:
                raise RuntimeError("item 0")
            if not stop.wait(60):
                raise AssertionError("nobody said that it is over")
            raise Stopped
        yield 0  # for the one that finds nothing left

    with pytest.raises(RuntimeError, match="item 0"):
        for _ in in_threads(work, threads, stop):
            pass
    assert not stop.is_set()  # ready for other work


def test_a_consumer_that_leaves_ends_the_work() -> None:
    stop, ended = Event(), set[int]()

    def work() -> Iterator[int]:
        try:
            while not stop.is_set():
                yield 1
            raise Stopped
        finally:
            ended.add(get_ident())

    results = in_threads(work, 3, stop)
    assert next(results) == 1
    results.close()
    assert len(ended) == 3 and not stop.is_set()
