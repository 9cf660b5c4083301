"""Time that some work has taken, by part, and how many rollouts there is still time for."""

from __future__ import annotations

import time

#: Twice as many rollouts side by side take 2^0.6 times as long, until it is known better: passes are filled up more.
_GROWTH = 0.6


class Clock:
    """Begins to run when it is made. All seconds are shares: those of one of several that share the work."""

    def __init__(self, share: int = 1, limit: float | None = None) -> None:
        """share: among how many the work is shared. limit: seconds there are for each of them, or None."""
        self.share, self.limit = share, limit
        self.seconds: dict[str, float] = {}
        """By part."""
        self._begun = self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Count the time since the last call as this part's."""
        now = time.perf_counter()
        self.seconds[part] = (now - self._last) / self.share
        self._last = now

    def left(self, part: float = 1.0) -> float:
        """Return the seconds, of all together, until a part of the limit; infinite without one."""
        if self.limit is None:
            return float("inf")
        return part * self.limit * self.share - (time.perf_counter() - self._begun)


class Pace:
    """How long rollouts take that are played together, by their number, as last seen."""

    def __init__(self) -> None:
        self._seen: dict[int, float] = {}

    def note(self, rollouts: int, seconds: float) -> None:
        """Note how long so many took."""
        self._seen[rollouts] = seconds

    def predicted(self, rollouts: int) -> float:
        """Return the seconds that so many will take, by the number seen that is nearest to it; infinite at first."""
        if not self._seen:
            return float("inf")
        near = min(self._seen, key=lambda seen: max(seen, rollouts) / min(seen, rollouts))
        return self._seen[near] * (rollouts / near) ** _GROWTH

    def affordable(self, wanted: int, seconds: float, each: int) -> int:
        """Return how many deals there is time for, of those that are wanted: all, or a power of two of them.

        each: rollouts of a deal.
        """
        if seconds == float("inf") or self.predicted(wanted * each) <= seconds:
            return wanted
        fitting = [1 << n for n in range(wanted.bit_length()) if self.predicted((1 << n) * each) <= seconds]
        return min(fitting[-1], wanted) if fitting else 0
