"""The parts of a queue simulation: a clock with events, and stations that process one job after the other."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable


class Clock:
    """Runs events in the order of their times; simultaneous events run in the order in which they were scheduled."""

    def __init__(self) -> None:
        self.now = 0.0
        """Simulated time in seconds."""
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Schedule a call in `seconds` from now."""
        heapq.heappush(self._events, (self.now + seconds, next(self._numbers), what))

    def run(self, until: Callable[[], bool]) -> None:
        """Run events until a condition holds or no events are left."""
        while self._events and not until():
            self.now, _, what = heapq.heappop(self._events)
            what()


class Station:
    """Processes one job after the other, in order of arrival."""

    def __init__(self, clock: Clock) -> None:
        self.busy = 0.0
        """Seconds of work that it has been given."""
        self._clock = clock
        self._free = 0.0

    def work(self, seconds: float, then: Callable[[], None]) -> None:
        """Process a job of `seconds` after all earlier jobs, then call `then`."""
        self._free = max(self._clock.now, self._free) + seconds
        self.busy += seconds
        self._clock.after(self._free - self._clock.now, then)
