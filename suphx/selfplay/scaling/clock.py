"""What a simulation of queues is made of: a clock with events, and stations that do one thing after the other."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable


class Clock:
    """What happens next: events in the order of their times, those of one time in the order they were planned."""

    def __init__(self) -> None:
        self.now = 0.0
        """Seconds."""
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Plan something for so many seconds from now."""
        heapq.heappush(self._events, (self.now + seconds, next(self._numbers), what))

    def run(self, until: Callable[[], bool]) -> None:
        """Go on until something is so, or nothing is planned any more."""
        while self._events and not until():
            self.now, _, what = heapq.heappop(self._events)
            what()


class Station:
    """Does one thing after the other, in the order they come."""

    def __init__(self, clock: Clock) -> None:
        self.busy = 0.0
        """Seconds of work that it was given."""
        self._clock = clock
        self._free = 0.0

    def work(self, seconds: float, then: Callable[[], None]) -> None:
        """Do something that takes so long, after all that came before."""
        self._free = max(self._clock.now, self._free) + seconds
        self.busy += seconds
        self._clock.after(self._free - self._clock.now, then)
