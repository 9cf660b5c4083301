"""The way from play to learning, simulated: shipments to buffers, lessons to the parameter server, weights back.

All simulators together are one source, which is held when buffers have enough. Everything takes as long as it does on
average, so that a simulation comes out the same each time.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from math import exp
from statistics import NormalDist

from suphx.selfplay.scaling.clock import Clock, Station


@dataclass(frozen=True)
class LearningFlow:
    """What goes from simulators over buffers to the parameter server. A pair is a question that is learned from."""

    play_rate: float
    """Pairs a second that all simulators make as long as nothing holds them."""
    round_pairs: float
    """Pairs of a round of all tables: so many are made between a question's deal and its round's end, on average."""
    underway: float
    """Pairs that simulators may have sent off and buffers not yet taken in."""
    buffers: int
    take_in: float
    """Seconds of a buffer for a pair that comes in."""
    hand_out: float
    """... for a pair of a lesson."""
    link: float
    """Seconds of a buffer's network for a pair, in either direction."""
    batch: int
    """Pairs of a lesson."""
    step: float
    """Seconds of the parameter server for a lesson."""
    publish_steps: int
    ahead: int
    """Lessons in a buffer that make simulators wait."""
    staleness: int
    """Versions, at most, between the one a pair's round was dealt under and the newest."""
    weights_delay: float = 0.0
    """Seconds from the publication of weights to their use."""
    round_spread: float = 0.35
    """Standard deviation of a round's length, as a share of the mean."""


@dataclass(frozen=True)
class LearningFigures:
    """How play and learning go together; shares of the time unless it says otherwise."""

    pairs_per_s: float
    """Learned from."""
    played_per_s: float
    """Pairs that were made."""
    held: float
    """Simulators waited for buffers that had enough."""
    dropped: float
    """Share of the pairs that went that did so unused, too stale."""
    staleness: float
    """Of pairs learned from, in versions, on average."""
    version_s: float
    """Seconds between two versions."""
    server_busy: float
    handing: float
    """The parameter server waited for lessons that were on their way."""
    buffer_busy: float
    link_busy: float


#: Parts of equal size that pairs come in, from those of short rounds to those of long ones.
_PARTS = 8
#: Rounds of all tables, and versions, that are simulated before anything counts, and then again.
_ROUNDS, _VERSIONS = 4, 24


@dataclass
class _Buffer:
    process: Station
    incoming: Station
    outgoing: Station
    pairs: dict[int, float] = field(default_factory=dict)
    """By version."""
    held: deque[float] = field(default_factory=deque)
    """Shipments that are in, whose senders do not know yet."""
    asked: int = 0
    """Lessons that there are not enough pairs for yet."""

    @property
    def total(self) -> float:
        return sum(self.pairs.values())


class _Learning:
    def __init__(self, flow: LearningFlow) -> None:
        self.flow, self.clock = flow, Clock()
        self.buffers = [
            _Buffer(Station(self.clock), Station(self.clock), Station(self.clock)) for _ in range(flow.buffers)
        ]
        self.made = 0.0
        self.version = self.steps = 0
        self.reset()
        self._shipment = max(min(flow.batch / 2, flow.underway / 4, flow.round_pairs / 100), 1.0)
        self._landing, self._turns = itertools.cycle(self.buffers), itertools.cycle(self.buffers)
        self._underway = 0.0
        self._blocked_since: float | None = None
        self._handing, self._step_is_on, self._looked = 0, False, 0.0
        self._ready: deque[float] = deque()  # staleness of each lesson that is there
        self._used_from, self._used = [0.0], [0]  # pairs that were made when each version came into use
        self._lengths = _round_lengths(flow)
        self.clock.after(self._shipment / flow.play_rate, self._make)
        self._ask()

    def reset(self) -> None:
        """Forget what was counted so far."""
        self.since, self.made_before = self.clock.now, self.made
        self.versions_before, self.steps_before = self.version, self.steps
        self.dropped = self.staleness = self.blocked = self.busy = self.waited = 0.0
        for buffer in self.buffers:
            for station in (buffer.process, buffer.incoming, buffer.outgoing):
                station.busy = 0.0

    def _look(self) -> None:
        """Count the time since the last look by what the parameter server did in it."""
        seconds, self._looked = self.clock.now - self._looked, self.clock.now
        if self._step_is_on:
            self.busy += seconds
        elif self._handing:
            self.waited += seconds

    # From play to buffers.

    def _make(self) -> None:
        """A shipment is ready: send it off, unless too much is underway."""
        if self._underway + self._shipment > self.flow.underway:
            self._blocked_since = self.clock.now
            return
        self._underway += self._shipment
        self.made += self._shipment
        part = self._shipment / _PARTS
        dealt = [self.made - length for length in self._lengths]
        versions = [self._used[max(bisect_right(self._used_from, each) - 1, 0)] for each in dealt]
        buffer = next(self._landing)
        take_in = partial(self._take_in, buffer, [(version, part) for version in versions])
        seconds = self._shipment * self.flow.take_in
        buffer.incoming.work(self._shipment * self.flow.link, lambda: buffer.process.work(seconds, take_in))
        self.clock.after(self._shipment / self.flow.play_rate, self._make)

    def _take_in(self, buffer: _Buffer, parts: list[tuple[int, float]]) -> None:
        for version, pairs in parts:
            if version < self.version - self.flow.staleness:
                self.dropped += pairs
            else:
                buffer.pairs[version] = buffer.pairs.get(version, 0.0) + pairs
        buffer.held.append(self._shipment)
        self._hand_out(buffer)

    def _let_go(self, buffer: _Buffer) -> None:
        """Tell senders that there is room, if there is."""
        if buffer.total >= self.flow.ahead * self.flow.batch:
            return
        self._underway -= sum(buffer.held)
        buffer.held.clear()
        if self._blocked_since is not None and self._underway + self._shipment <= self.flow.underway:
            self.blocked += self.clock.now - max(self._blocked_since, self.since)
            self._blocked_since = None
            self._make()

    # From buffers to the parameter server.

    def _ask(self) -> None:
        buffer = next(self._turns)
        buffer.asked += 1
        self._hand_out(buffer)

    def _hand_out(self, buffer: _Buffer) -> None:
        """Draw the lessons that are asked for, as far as there are pairs; each pair is as likely as any."""
        batch = self.flow.batch
        while buffer.asked and (total := buffer.total) >= batch * (1 - 1e-9):
            buffer.asked -= 1
            stale = sum((self.version - version) * pairs for version, pairs in buffer.pairs.items()) / total
            left = max(1 - batch / total, 0.0)
            buffer.pairs = {version: pairs * left for version, pairs in buffer.pairs.items()} if left > 1e-9 else {}
            self._look()
            self._handing += 1
            sent = partial(buffer.outgoing.work, batch * self.flow.link, partial(self._arrive, self.version - stale))
            buffer.process.work(batch * self.flow.hand_out, sent)
        self._let_go(buffer)

    def _arrive(self, played_by: float) -> None:
        """A lesson is there; played_by: the version that its pairs were played by, on average."""
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
        for buffer in self.buffers:
            self.dropped += sum(pairs for version, pairs in buffer.pairs.items() if version < oldest)
            buffer.pairs = {version: pairs for version, pairs in buffer.pairs.items() if version >= oldest}
            self._let_go(buffer)

    def _use(self, version: int) -> None:
        self._used_from.append(self.made)
        self._used.append(version)

    def figures(self) -> LearningFigures:
        self._look()
        if self._blocked_since is not None:
            self.blocked += self.clock.now - max(self._blocked_since, self.since)
        seconds = self.clock.now - self.since
        steps, made = self.steps - self.steps_before, self.made - self.made_before
        links = [max(each.incoming.busy, each.outgoing.busy) for each in self.buffers]
        return LearningFigures(
            pairs_per_s=steps * self.flow.batch / seconds,
            played_per_s=made / seconds,
            held=self.blocked / seconds,
            dropped=self.dropped / max(self.dropped + steps * self.flow.batch, 1.0),
            staleness=self.staleness / steps if steps else 0.0,
            version_s=seconds / max(self.version - self.versions_before, 1),
            server_busy=self.busy / seconds,
            handing=self.waited / seconds,
            buffer_busy=sum(each.process.busy for each in self.buffers) / seconds / len(self.buffers),
            link_busy=sum(links) / seconds / len(links),
        )


def _round_lengths(flow: LearningFlow) -> list[float]:
    """Return how many pairs all tables make during the rounds of the parts, each part an equal share of pairs.

    Lengths are taken as lognormal. A long round has more pairs, so the length of a pair's own round is longer on
    average: for a lognormal law that moves the mean of the logarithm up by its variance.
    """
    spread = flow.round_spread
    law = NormalDist(0.5 * spread**2, spread) if spread else None
    quantiles = [(part + 0.5) / _PARTS for part in range(_PARTS)]
    return [flow.round_pairs * (exp(law.inv_cdf(each)) if law else 1.0) for each in quantiles]


def simulate_learning(flow: LearningFlow) -> LearningFigures:
    """Simulate play and learning until they go on evenly, then count."""
    learning = _Learning(flow)

    def go_on() -> None:
        made, versions = learning.made + _ROUNDS * flow.round_pairs, learning.version + _VERSIONS
        learning.clock.run(lambda: learning.made >= made and learning.version >= versions)

    go_on()
    learning.reset()
    go_on()
    return learning.figures()
