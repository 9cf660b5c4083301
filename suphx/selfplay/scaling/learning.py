"""Simulation of the flow from play to learning: shipments to buffers, lessons to the parameter server, weights back.

All simulators together are one source, which must wait when buffers have enough. All buffers together are one, since
all get as much, and all give as much to each lesson. Everything takes its mean time, so that a simulation is
deterministic.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from functools import partial
from math import exp
from statistics import NormalDist

from suphx.selfplay.scaling.clock import Clock, Station


@dataclass(frozen=True)
class LearningFlow:
    """The flow from simulators through buffers to the parameter server. A pair is a question that is learned from."""

    play_rate: float
    """Pairs per second that all simulators make while they need not wait."""
    round_pairs: float
    """Pairs that all tables make in a round: the mean number between a question's deal and the end of its round."""
    underway: float
    """Maximum number of pairs that simulators have sent and buffers have not yet accepted."""
    take_in: float
    """Buffers: seconds per incoming pair, of all pairs together."""
    gather: float
    """Seconds per lesson for asking all buffers for their shares."""
    hand_out: float
    """Buffers: seconds per pair of a lesson, if all prepare their shares at the same time."""
    link: float
    """Buffers' network connections: seconds per pair, in either direction, of all pairs together."""
    batch: int
    """Pairs per lesson."""
    step: float
    """Parameter server: seconds per lesson."""
    publish_steps: int
    ahead: int
    """Number of lessons in the buffers from which on simulators must wait."""
    staleness: int
    """Maximum number of versions between the one that a pair's round was dealt under and the newest."""
    weights_delay: float = 0.0
    """Seconds from the publication of weights to their use."""
    round_spread: float = 0.35
    """Standard deviation of a round's length, relative to the mean."""


@dataclass(frozen=True)
class LearningFigures:
    """Figures of play and learning together; shares are of the time unless stated otherwise."""

    pairs_per_s: float
    """Pairs learned from per second."""
    played_per_s: float
    """Pairs made per second."""
    held: float
    """Share in which simulators waited for buffers that had enough."""
    dropped: float
    """Share of all pairs that left the buffers that were dropped unused, as too stale."""
    staleness: float
    """Mean age of pairs learned from, in versions."""
    version_s: float
    """Seconds between two versions."""
    server_busy: float
    handing: float
    """Share in which the parameter server waited for lessons in transit."""
    buffer_busy: float
    link_busy: float


#: Number of equal parts into which pairs are divided, by the length of their round.
_PARTS = 8
#: Rounds of all tables and versions that are simulated to warm up, and then again to measure.
_ROUNDS, _VERSIONS = 4, 24


class _Buffers:
    def __init__(self, clock: Clock) -> None:
        self.process, self.incoming, self.outgoing = Station(clock), Station(clock), Station(clock)
        self.pairs: dict[int, float] = {}
        """Pairs by version."""
        self.held: deque[float] = deque()
        """Sizes of stored shipments whose senders have not been answered yet."""
        self.asked = 0
        """Requested lessons for which there are not enough pairs yet."""

    @property
    def total(self) -> float:
        """Number of pairs stored."""
        return sum(self.pairs.values())


class _Learning:
    def __init__(self, flow: LearningFlow) -> None:
        self.flow, self.clock = flow, Clock()
        self.buffers = _Buffers(self.clock)
        self.made = 0.0
        self.version = self.steps = 0
        self.reset()
        self._shipment = max(min(flow.batch / 2, flow.underway / 4, flow.round_pairs / 100), 1.0)
        self._underway = 0.0
        self._blocked_since: float | None = None
        self._handing, self._step_is_on, self._looked = 0, False, 0.0
        self._ready: deque[float] = deque()  # mean version that played, of each waiting lesson
        self._used_from, self._used = [0.0], [0]  # number of pairs made when each version came into use
        self._lengths = _round_lengths(flow)
        self.clock.after(self._shipment / flow.play_rate, self._make)
        self._ask()

    def reset(self) -> None:
        """Reset all counts."""
        self.since, self.made_before = self.clock.now, self.made
        self.versions_before, self.steps_before = self.version, self.steps
        self.dropped = self.staleness = self.blocked = self.busy = self.waited = 0.0
        for station in (self.buffers.process, self.buffers.incoming, self.buffers.outgoing):
            station.busy = 0.0

    def _look(self) -> None:
        """Add the time since the last look to what the parameter server did in it."""
        seconds, self._looked = self.clock.now - self._looked, self.clock.now
        if self._step_is_on:
            self.busy += seconds
        elif self._handing:
            self.waited += seconds

    # From play to buffers.

    def _make(self) -> None:
        """Send off a finished shipment, or block if too much is underway."""
        if self._underway + self._shipment > self.flow.underway:
            self._blocked_since = self.clock.now
            return
        self._underway += self._shipment
        self.made += self._shipment
        part = self._shipment / _PARTS
        dealt = [self.made - length for length in self._lengths]
        versions = [self._used[max(bisect_right(self._used_from, each) - 1, 0)] for each in dealt]
        take_in = partial(self._take_in, [(version, part) for version in versions])
        seconds, process = self._shipment * self.flow.take_in, self.buffers.process
        self.buffers.incoming.work(self._shipment * self.flow.link, lambda: process.work(seconds, take_in))
        self.clock.after(self._shipment / self.flow.play_rate, self._make)

    def _take_in(self, parts: list[tuple[int, float]]) -> None:
        for version, pairs in parts:
            if version < self.version - self.flow.staleness:
                self.dropped += pairs
            else:
                self.buffers.pairs[version] = self.buffers.pairs.get(version, 0.0) + pairs
        self.buffers.held.append(self._shipment)
        self._hand_out()

    def _let_go(self) -> None:
        """Answer the senders if there is room for more."""
        if self.buffers.total >= self.flow.ahead * self.flow.batch:
            return
        self._underway -= sum(self.buffers.held)
        self.buffers.held.clear()
        if self._blocked_since is not None and self._underway + self._shipment <= self.flow.underway:
            self.blocked += self.clock.now - max(self._blocked_since, self.since)
            self._blocked_since = None
            self._make()

    # From buffers to the parameter server.

    def _ask(self) -> None:
        self.buffers.asked += 1
        self._hand_out()

    def _hand_out(self) -> None:
        """Draw the requested lessons uniformly from all pairs, as far as there are enough."""
        buffers, batch = self.buffers, self.flow.batch
        while buffers.asked and (total := buffers.total) >= batch * (1 - 1e-9):
            buffers.asked -= 1
            stale = sum((self.version - version) * pairs for version, pairs in buffers.pairs.items()) / total
            left = max(1 - batch / total, 0.0)
            buffers.pairs = {version: pairs * left for version, pairs in buffers.pairs.items()} if left > 1e-9 else {}
            self._look()
            self._handing += 1
            sent = partial(buffers.outgoing.work, batch * self.flow.link, partial(self._arrive, self.version - stale))
            self.clock.after(self.flow.gather, partial(buffers.process.work, batch * self.flow.hand_out, sent))
        self._let_go()

    def _arrive(self, played_by: float) -> None:
        """Process the arrival of a lesson; played_by: mean version that its pairs were played by."""
        self._look()
        self._handing -= 1
        self._ready.append(played_by)
        self._begin_step()

    def _begin_step(self) -> None:
        if self._step_is_on or not self._ready:
            return
        self._look()
        self._step_is_on = True
        self.staleness += self.version - self._ready.popleft()
        self._ask()
        self.clock.after(self.flow.step, self._end_step)

    def _end_step(self) -> None:
        self._look()
        self._step_is_on = False
        self.steps += 1
        if self.steps % self.flow.publish_steps == 0:
            self._publish()
        self._begin_step()

    def _publish(self) -> None:
        self.version += 1
        self.clock.after(self.flow.weights_delay, partial(self._use, self.version))
        oldest = self.version - self.flow.staleness
        pairs_of = self.buffers.pairs
        self.dropped += sum(pairs for version, pairs in pairs_of.items() if version < oldest)
        self.buffers.pairs = {version: pairs for version, pairs in pairs_of.items() if version >= oldest}
        self._let_go()

    def _use(self, version: int) -> None:
        self._used_from.append(self.made)
        self._used.append(version)

    def figures(self) -> LearningFigures:
        self._look()
        if self._blocked_since is not None:
            self.blocked += self.clock.now - max(self._blocked_since, self.since)
        seconds = self.clock.now - self.since
        steps, made = self.steps - self.steps_before, self.made - self.made_before
        return LearningFigures(
            pairs_per_s=steps * self.flow.batch / seconds,
            played_per_s=made / seconds,
            held=self.blocked / seconds,
            dropped=self.dropped / max(self.dropped + steps * self.flow.batch, 1.0),
            staleness=self.staleness / steps if steps else 0.0,
            version_s=seconds / max(self.version - self.versions_before, 1),
            server_busy=self.busy / seconds,
            handing=self.waited / seconds,
            buffer_busy=self.buffers.process.busy / seconds,
            link_busy=max(self.buffers.incoming.busy, self.buffers.outgoing.busy) / seconds,
        )


def _round_lengths(flow: LearningFlow) -> list[float]:
    """Return the number of pairs that all tables make during a round of each part; parts are equal shares of pairs.

    Lengths are assumed to be lognormal. A long round has more pairs, so a pair's own round is longer than the mean: for
    a lognormal distribution, this raises the mean of the logarithm by its variance.
    """
    spread = flow.round_spread
    law = NormalDist(0.5 * spread**2, spread) if spread else None
    quantiles = [(part + 0.5) / _PARTS for part in range(_PARTS)]
    return [flow.round_pairs * (exp(law.inv_cdf(each)) if law else 1.0) for each in quantiles]


def simulate_learning(flow: LearningFlow) -> LearningFigures:
    """Simulate play and learning until they reach a steady state, then measure."""
    learning = _Learning(flow)

    def go_on() -> None:
        made, versions = learning.made + _ROUNDS * flow.round_pairs, learning.version + _VERSIONS
        learning.clock.run(lambda: learning.made >= made and learning.version >= versions)

    go_on()
    learning.reset()
    go_on()
    return learning.figures()
