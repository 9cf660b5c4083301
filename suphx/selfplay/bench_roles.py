"""How fast the roles play and learn on this machine: a run as `suphx train` makes it, whose roles tell what they do.

Layouts differ in how many processes of a role there are and how many cores all of them share, Ray's own included. So
what a layout costs can be held against what the networks alone would do on as many cores.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

import ray

from suphx.agent.network_agent import untrained_networks
from suphx.cluster import ADDRESS_VARIABLE
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import save_agent
from suphx.selfplay.bench_clocked import (
    ClockedBuffer,
    ClockedSimulator,
    CountingServer,
    IdleServer,
    ListeningMonitor,
    TimedEngine,
    Totals,
)
from suphx.selfplay.bench_learner import bench_learner
from suphx.selfplay.bench_requests import bench_buffer, bench_requests
from suphx.selfplay.benchmark import MODEL, RULES, bench_collector
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.names import find, find_all
from suphx.selfplay.roles.resources import RoleConfig
from suphx.selfplay.roles.run import DistributedTraining, start_ray
from suphx.selfplay.roles.simulator import HALVES
from suphx.selfplay.status import Interrupted, Report

#: Share of a core that each process claims: how many there are is for the layout to say, not for Ray's counting.
_CLAIM = 0.05
_STORE_GIB = 0.5
_PUBLISH_STEPS = 4
#: Rounds of each table that are over before anything counts.
_ROUNDS_BEFORE = 1


@dataclass(frozen=True)
class Layout:
    """Processes on some cores of this machine."""

    cores: int
    simulators: int
    engines: int
    learns: bool = False
    """Otherwise experience is handed on to the parameter server as always, which throws it away."""


LAYOUTS = {
    "play": Layout(1, 1, 1),
    "play_two_cores": Layout(2, 1, 1),
    "play_two_simulators": Layout(2, 2, 1),
    "play_two_of_each": Layout(2, 2, 2),
    "learn": Layout(2, 1, 1, learns=True),
}


@dataclass(frozen=True)
class _Look:
    """How far a run is at one moment."""

    at: float
    """Time of the clock, in seconds."""
    totals: Totals
    cpu: dict[str, float]
    """Seconds of the processor by role, of all its processes together."""
    networks: float
    """Those that engines have spent in networks."""


class _Meter:
    """Looks at a run as it goes, and stops it when it has seen enough."""

    def __init__(self, layout: Layout, tables: int, seconds: float) -> None:
        self.stop = Event()
        self.seen: tuple[_Look, _Look] | None = None
        """The two looks between which a run counts, once both were taken."""
        self.staleness: list[float] = []
        self.told_by_engines: list[dict[str, float]] = []
        self._first: _Look | None = None
        self._layout, self._seconds = layout, seconds
        self._rounds = _ROUNDS_BEFORE * tables * layout.simulators

    def watch(self, report: Report) -> None:
        """Hear of a new version."""
        if self.stop.is_set():
            return
        now = self._look()
        if self._first is None:
            if now.totals.counts.rounds >= self._rounds:
                self._first = now
        elif now.totals.versions > self._first.totals.versions:
            self.staleness += [value for name, value in report.figures.items() if name.endswith("/staleness")]
            if now.totals.seconds - self._first.totals.seconds >= self._seconds:
                self.seen = self._first, now
                self.stop.set()

    def _look(self) -> _Look:
        counts = {"simulators": self._layout.simulators, "engines": self._layout.engines}
        asked = {
            role: [each.cpu_seconds.remote() for each in find_all(role, counts.get(role, 1))]
            for role in ("simulators", "engines", "buffers", "servers", "monitor")
        }
        totals: Totals = ray.get(find("servers").totals.remote())
        inside = [each.network_seconds.remote() for each in find_all("engines", self._layout.engines)]
        cpu = {role: sum(ray.get(each)) for role, each in asked.items()}
        return _Look(time.time(), totals, cpu, sum(ray.get(inside)))


class _Run(DistributedTraining):
    """A training whose roles count, watched by a meter."""

    def __init__(self, config: TrainConfig, folder: Path, learns: bool, meter: _Meter) -> None:
        super().__init__(config, folder)
        self._meter = meter
        self._kinds: dict[str, type] = {
            "monitor": ListeningMonitor,
            "buffers": ClockedBuffer,
            "servers": CountingServer if learns else IdleServer,
            "engines": TimedEngine,
            "simulators": ClockedSimulator,
        }

    def _start(
        self, name: str, kind: type, role: RoleConfig, threads: Mapping[str, int] | None = None, where: Any = None
    ) -> Any:
        return super()._start(name, self._kinds[name], role, threads, where)

    def end(self) -> None:
        """End all processes of the run, once they have told what they have counted."""
        if self._meter.seen is not None:
            self._meter.told_by_engines = ray.get(find("monitor").of_engines.remote(self._meter.seen[0].at))
        super().end()


def bench_selfplay(
    size: NetworkSize, precision: Precision, seconds: float, games: int, batch: int, roles: bool
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield all there is to measure of self-play, part by part; roles on a CPU alone, and only if they are wanted.

    Each layout has `ratio`: questions a second over those of bare networks on as many cores, in passes of the same
    sizes, and where it learns bare steps for as many pairs besides; `ratio_busy`: on as many as the roles kept busy.
    """
    collector = bench_collector(size, precision, seconds, games)
    yield "collector", collector
    if not roles or precision.device.type != "cpu":
        return
    learner = bench_learner(size, precision, seconds / 2, batch, with_critic=False)
    yield "learner", learner
    found: dict[str, dict[str, float]] = {}
    for part, figures in bench_roles(size, seconds, games, batch):
        if part in LAYOUTS:
            pairs = figures["pairs_per_s"] / figures["questions_per_s"] if LAYOUTS[part].learns else 0.0
            bare = 1 / collector["bare_questions_per_s"] + pairs / learner["bare_pairs_per_core_s"]
            did = figures["questions_per_s"] * bare
            figures |= {"ratio": did / figures["cores"], "ratio_busy": did / figures["busy_cores"]}
            found[part] = figures
        yield part, figures
    yield "scaling", _scaling(found)


def _scaling(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return how much faster two simulators are: with an engine each, on a core each; and with one for both."""
    pairs = {
        "with_an_engine_each": ("play_two_of_each", "play"),
        "with_one_engine": ("play_two_simulators", "play_two_cores"),
    }
    return {
        name: found[two]["questions_per_s"] / found[one]["questions_per_s"]
        for name, (two, one) in pairs.items()
        if two in found and one in found
    }


def bench_roles(
    size: NetworkSize, seconds: float, games: int, batch: int = 1024, layouts: Mapping[str, Layout] = LAYOUTS
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what each layout does that this machine has the cores for, then what single requests and lessons cost.

    games: side by side, of each simulator. Each layout is measured for some seconds once its tables have played a
    round. See `_figures`, `bench_requests` and `bench_buffer` for the names.
    """
    with TemporaryDirectory(prefix="suphx-bench-") as place:
        folder = Path(place)
        save_agent(folder / "start", untrained_networks(size), size.name, storage="float32")
        for name, layout in layouts.items():
            if layout.cores <= len(_cores()):
                yield name, _bench_layout(layout, folder, name, seconds, games, batch)
        config = _config(Layout(1, 1, 1), folder, games, batch)
        with _ray(config, len(_cores())):
            yield "request", bench_requests()
            yield "buffer", bench_buffer(config.learning)


def _config(layout: Layout, folder: Path, games: int, batch: int) -> TrainConfig:
    claim = {"cpus": _CLAIM}
    return TrainConfig.model_validate(
        {
            "name": "bench",
            "start": str(folder / "start"),
            "rules": RULES,
            "reward": {"kind": "round"},
            "games": 1_000_000_000,
            "side_by_side": games,
            "learning": {
                "models": [MODEL],
                "batch": batch,
                "learning_rate": 1e-6,  # so small that games stay of one kind
                "replay": {"staleness": 1_000_000, "bytes": 1 << 28},
                "collapse": {"entropy_share": 0.0},
            },
            "publish_steps": _PUBLISH_STEPS,
            "checkpoint_seconds": 1e9,
            "evaluation": None,
            "sample_games": 0,
            "roles": {
                "simulators": claim | {"count": layout.simulators},
                "engines": claim | {"count": layout.engines},
                "servers": claim,
                "object_store_gib": _STORE_GIB,
            },
        }
    )


def _cores() -> set[int]:
    return os.sched_getaffinity(0)


@contextmanager
def _ray(config: TrainConfig, cores: int) -> Iterator[None]:
    """Start Ray here with all its processes on so many cores, and end it."""
    before, address = _cores(), os.environ.pop(ADDRESS_VARIABLE, None)
    os.sched_setaffinity(0, sorted(before)[:cores])
    try:
        start_ray(config, None)
        yield
    finally:
        ray.shutdown()
        os.sched_setaffinity(0, before)
        if address is not None:
            os.environ[ADDRESS_VARIABLE] = address


def _bench_layout(layout: Layout, folder: Path, name: str, seconds: float, games: int, batch: int) -> dict[str, float]:
    config = _config(layout, folder, games, batch)
    meter = _Meter(layout, games, seconds)
    with _ray(config, layout.cores), suppress(Interrupted):
        _Run(config, folder / name, layout.learns, meter).run(meter.watch, meter.stop)
    return _figures(layout, meter)


def _figures(layout: Layout, meter: _Meter) -> dict[str, float]:
    """Return what a run did between two looks, by name.

    Rates are by the wall's clock; what was played is told as it is shipped, with the time it took. `busy_cores`: that
    the roles kept busy; `network_share`: of them, in networks that answer, in batches as they come, so what bare
    networks would take for the same. `ROLE_us`, `network_us`: of a core, for each question (of `buffers` and `servers`:
    for each pair). `waiting`, `held`: shares of the simulators' halves' time that they waited for engines, or for a
    buffer that had enough. `engine_batch`: positions computed together. `weights_delay_s`: from the publication of
    weights to their first use. `staleness`: of pairs learned from, in versions.
    """
    assert meter.seen is not None
    first, last = meter.seen
    seconds = last.totals.seconds - first.totals.seconds
    counts = {name: value - getattr(first.totals.counts, name) for name, value in vars(last.totals.counts).items()}
    pairs = last.totals.pairs - first.totals.pairs
    wall = last.at - first.at
    busy = {role: (last.cpu[role] - first.cpu[role]) / wall for role in first.cpu}
    halves = HALVES * layout.simulators
    questions_per_s, decisions_per_s = (
        halves * counts[name] / counts["seconds"] for name in ("questions", "decisions")
    )
    pairs_per_s = pairs / seconds
    found = {
        "cores": layout.cores,
        "decisions_per_s": decisions_per_s,
        "questions_per_s": questions_per_s,
        "pairs_per_s": pairs_per_s,
        "versions_per_s": (last.totals.versions - first.totals.versions) / seconds,
        "busy_cores": sum(busy.values()),
        "network_share": (last.networks - first.networks) / wall / sum(busy.values()),
        "network_us": 1e6 * (last.networks - first.networks) / wall / questions_per_s,
        "simulator_us": 1e6 * busy["simulators"] / questions_per_s,
        "engine_us": 1e6 * busy["engines"] / questions_per_s,
        "buffer_us": 1e6 * busy["buffers"] / pairs_per_s,
        "server_us": 1e6 * busy["servers"] / pairs_per_s,
        "waiting": counts["waiting"] / counts["seconds"],
        "held": counts["held"] / counts["seconds"],
        "learning_share": (last.totals.learning - first.totals.learning) / seconds,
    }
    for name, figure in (("engine_batch", "batch"), ("engine_busy", "busy"), ("weights_delay_s", "weights_delay_s")):
        values = [figures[figure] for figures in meter.told_by_engines if figure in figures]
        if values:
            found[name] = statistics.fmean(values)
    if meter.staleness:
        found["staleness"] = statistics.fmean(meter.staleness)
    return found
