"""Simulation of an inference engine with its simulators.

Everything takes its mean time, so that a simulation is deterministic; numbers of questions need not be whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from suphx.selfplay.roles.engine import _LARGEST
from suphx.selfplay.roles.resources import HALVES
from suphx.selfplay.scaling.clock import Clock, Station


@dataclass(frozen=True)
class PlayCosts:
    """Times in seconds that playing takes."""

    question: float
    """Simulator's core: time per question, for tables, planes and storing."""
    request: float
    """Simulator's core: time per request to an engine."""
    answer: float
    """Engine: time per request."""
    batch: float
    """Engine: time per batch of requests."""
    row: float
    """Engine: time per question of a batch."""
    link: float = 0.0
    """Engine's network connection: time per question."""
    latency: float = 0.0
    """Time for the way of a request to the engine and of its answer back, together."""


@dataclass(frozen=True)
class PlayFigures:
    """Figures of an engine and its simulators; `..._busy` are shares of the time."""

    questions_per_s: float
    simulator_busy: float
    engine_busy: float
    link_busy: float
    batch: float
    """Mean number of questions that the engine answers together."""
    steps_per_s: float
    """Steps of all halves of all simulators; in a step, all tables of a half make their pending decisions."""
    step_s: float
    """Duration of a half's step in seconds."""


class _Half:
    """Half of a simulator's tables, which asks one model after the other."""

    def __init__(self, core: Station) -> None:
        self.core = core
        self.began = 0.0
        self.asks = 0


class _Play:
    def __init__(self, costs: PlayCosts, simulators: int, rows: Mapping[str, float]) -> None:
        self.clock = Clock()
        self.cores = [Station(self.clock) for _ in range(simulators)]
        self.halves = [_Half(core) for core in self.cores for _ in range(HALVES)]
        self.link = Station(self.clock)
        self.reset()
        self._costs = costs
        self._rows = {model: n for model, n in rows.items() if n > 0}
        self._models = list(self._rows)
        self._waiting: dict[str, list[_Half]] = defaultdict(list)
        self._engine_is_free = True
        for half in self.halves:
            self._begin(half)

    def reset(self) -> None:
        """Reset all counts."""
        self.since = self.clock.now
        self.engine_busy = self.asked = self.took = 0.0
        self.batches = self.done = 0
        for each in (*self.cores, self.link):
            each.busy = 0.0

    def _begin(self, half: _Half) -> None:
        half.began, half.asks = self.clock.now, 0
        half.core.work(sum(self._rows.values()) * self._costs.question, lambda: self._ask(half))

    def _ask(self, half: _Half) -> None:
        seconds = self._rows[self._models[half.asks]] * self._costs.link
        half.core.work(self._costs.request, lambda: self.link.work(seconds, lambda: self._arrive(half)))

    def _arrive(self, half: _Half) -> None:
        self._waiting[self._models[half.asks]].append(half)
        if self._engine_is_free:
            self._serve()

    def _serve(self) -> None:
        """Begin the next batch, if any: of the model that has waited longest."""
        model = next(iter(self._waiting), None)
        self._engine_is_free = model is None
        if model is None:
            return
        waiting = self._waiting.pop(model)
        fit = max(int(_LARGEST / self._rows[model]), 1)
        here = waiting[:fit]
        if len(waiting) > fit:
            self._waiting[model] = waiting[fit:]
        n = len(here) * self._rows[model]
        seconds = self._costs.batch + len(here) * self._costs.answer + n * self._costs.row
        self.engine_busy += seconds
        self.batches, self.asked = self.batches + 1, self.asked + n
        self.clock.after(seconds, lambda: self._answer(here))

    def _answer(self, halves: list[_Half]) -> None:
        for half in halves:
            self.clock.after(self._costs.latency, partial(self._hear, half))
        self._serve()

    def _hear(self, half: _Half) -> None:
        half.asks += 1
        if half.asks < len(self._models):
            self._ask(half)
            return
        self.done += 1
        self.took += self.clock.now - half.began
        self._begin(half)


def simulate_play(
    costs: PlayCosts, simulators: int, rows: Mapping[str, float], steps: int = 200, warm_up: int = 50
) -> PlayFigures:
    """Simulate an engine and its simulators, which never wait for a buffer.

    rows: questions to each model in a step of one half; the models are asked one after the other. steps: number per
    half, on average, after `warm_up` steps that do not count.
    """
    play = _Play(costs, simulators, rows)
    play.clock.run(lambda: play.done >= warm_up * len(play.halves))
    play.reset()
    play.clock.run(lambda: play.done >= steps * len(play.halves))
    seconds = play.clock.now - play.since
    return PlayFigures(
        questions_per_s=play.done * sum(rows.values()) / seconds,
        simulator_busy=sum(each.busy for each in play.cores) / seconds / simulators,
        engine_busy=play.engine_busy / seconds,
        link_busy=play.link.busy / seconds,
        batch=play.asked / play.batches,
        steps_per_s=play.done / seconds,
        step_s=play.took / play.done,
    )
