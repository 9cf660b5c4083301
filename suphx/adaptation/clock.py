"""Time that some work has taken, by part, and what there is still time for."""

from __future__ import annotations

import time


class Clock:
    """Begins to run when it is made. All seconds are shares: those of one of several that share the work."""

    def __init__(self, share: int = 1, limit: float | None = None) -> None:
        """share: among how many the work is shared. limit: seconds there are for each of them, or None."""
        self.limit = limit
        self.seconds: dict[str, float] = {}
        """By part."""
        self._share = share
        self._begun = self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Count the time since the last call as this part's."""
        now = time.perf_counter()
        self.seconds[part] = (now - self._last) / self._share
        self._last = now

    def used(self) -> float:
        """Return the seconds since it was made."""
        return (time.perf_counter() - self._begun) / self._share

    def affordable(self, wanted: int, cost: float, part: float = 1.0) -> int:
        """Return how many of what is wanted there is time for, at so many seconds each, until a part of the limit."""
        if self.limit is None:
            return wanted
        return min(wanted, max(0, int((part * self.limit - self.used()) / max(cost, 1e-9))))
