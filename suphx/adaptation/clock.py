"""Limit the time of an adaptation, and estimate how many rollouts there is still time for."""

import time

#: Assumption until measured: doubling the rollouts side by side takes 2^0.6 times as long, as passes are fuller.
_GROWTH = 0.6


class Clock:
    """A stopwatch that starts when created."""

    def __init__(self, share: int = 1, limit: float | None = None) -> None:
        """share: number of positions that share the work. limit: seconds available for each of them, or None."""
        self._share, self._limit = share, limit
        self._begun = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The time so far, divided evenly among the positions."""
        return (time.perf_counter() - self._begun) / self._share

    def left(self, part: float = 1.0) -> float:
        """Return the total seconds left until a fraction `part` of the limit; infinite without a limit."""
        if self._limit is None:
            return float("inf")
        return self._share * (part * self._limit - self.seconds)


class Pace:
    """Predicts how long rollouts take, from the last measured time for each number of rollouts."""

    def __init__(self) -> None:
        self._seen: dict[int, float] = {}

    def note(self, rollouts: int, seconds: float) -> None:
        """Record how long a number of rollouts took."""
        self._seen[rollouts] = seconds

    def predicted(self, rollouts: int) -> float:
        """Predict the seconds for a number of rollouts from the nearest measured one; infinite without any."""
        if not self._seen:
            return float("inf")
        near = min(self._seen, key=lambda seen: max(seen, rollouts) / min(seen, rollouts))
        return self._seen[near] * (rollouts / near) ** _GROWTH

    def affordable(self, wanted: int, seconds: float, each: int) -> int:
        """Return how many of the wanted deals there is time for: all, or a power of two, or 0.

        each: rollouts per deal.
        """
        if not wanted or seconds == float("inf") or self.predicted(wanted * each) <= seconds:
            return wanted
        fitting = [1 << n for n in range(wanted.bit_length()) if self.predicted((1 << n) * each) <= seconds]
        return min(fitting[-1], wanted) if fitting else 0
