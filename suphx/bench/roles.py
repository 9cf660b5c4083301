"""Benchmark of the roles' speed on this machine: a run as `suphx train` makes it, whose roles report what they do.

Layouts differ in the number of processes per role and in the number of cores that all of them share, including Ray's
own processes. A layout's speed can thus be compared with that of the networks alone on as many cores.
"""

import os
import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import ray

from suphx.agent.network_agent import untrained_networks
from suphx.bench.clocked import (
    ClockedBuffer,
    ClockedSimulator,
    CountingServer,
    IdleServer,
    ListeningMonitor,
    TimedEngine,
    Totals,
)
from suphx.bench.collector import MODEL, RULES, bench_collector
from suphx.bench.learner import bench_learner
from suphx.bench.requests import bench_buffer, bench_requests
from suphx.cluster import ADDRESS_VARIABLE
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.weights import save_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.resources import RoleConfig
from suphx.selfplay.roles.role import find, find_all
from suphx.selfplay.roles.run import DistributedTraining, start_ray
from suphx.selfplay.status import Interrupted, Report

#: Share of a core that each process claims from Ray: small, since the layout alone decides how many there are.
_CLAIM = 0.05
_STORE_GIB = 0.5
_PUBLISH_STEPS = 4
#: Rounds per table that must be finished before the measurement begins.
_ROUNDS_BEFORE = 1
#: The measurement begins after so many times its own length at the latest.
_LONGEST_WARM_UP = 2
_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Layout:
    """Processes on some cores of this machine."""

    cores: int
    simulators: int
    engines: int
    learns: bool = False
    """If False, experience still goes to the parameter server, which discards it."""


#: Where every simulator has networks of its own, as runs on CPUs do.
OWN_LAYOUTS = {
    "own": Layout(1, 1, 0),
    "own_two_cores": Layout(2, 2, 0),
    "own_learn": Layout(2, 1, 0, learns=True),
}
#: Where engines answer.
ENGINE_LAYOUTS = {
    "play": Layout(1, 1, 1),
    "play_two_cores": Layout(2, 1, 1),
    "play_two_simulators": Layout(2, 2, 1),
    "play_two_of_each": Layout(2, 2, 2),
    "learn": Layout(2, 1, 1, learns=True),
}
LAYOUTS = OWN_LAYOUTS | ENGINE_LAYOUTS


@dataclass(frozen=True)
class _Look:
    """The state of a run at one moment."""

    at: float
    """Wall-clock time, in seconds."""
    played: dict[str, int]
    """Counters of the collectors, summed over all simulators."""
    totals: Totals
    cpu: dict[str, float]
    """CPU time in seconds by role, summed over its processes."""
    networks: float
    """CPU time that engines have spent in networks, in seconds."""


class _Meter:
    """Measures a run for some seconds once its tables are in the middle of their games, and stops it."""

    def __init__(self, layout: Layout, tables: int, seconds: float) -> None:
        self.stop = Event()
        self.seen: tuple[_Look, _Look] | None = None
        """The looks at the start and the end of the measurement, once both have been taken."""
        self.staleness: list[float] = []
        self.told_by_engines: list[dict[str, float]] = []
        self.error: Exception | None = None
        self._measures = False
        self._layout, self._seconds = layout, seconds
        self._rounds = _ROUNDS_BEFORE * tables * layout.simulators

    def watch(self, report: Report) -> None:
        """Process the report of a new version; there may be none, so that the measurement goes by time."""
        if self._measures:
            self.staleness += [value for name, value in report.figures.items() if name.endswith("/staleness")]

    def measure(self) -> None:
        """Wait, look twice, and stop the run; on a thread of its own, once all roles are there."""
        try:
            until = time.monotonic() + _LONGEST_WARM_UP * self._seconds
            while self._played()["rounds"] < self._rounds and time.monotonic() < until:
                time.sleep(_POLL_SECONDS)
            first, self._measures = self._look(), True
            time.sleep(self._seconds)
            self.seen = first, self._look()
        except Exception as error:  # of a role that has died, which ends the run too
            self.error = error
        finally:
            self.stop.set()

    def _played(self) -> dict[str, int]:
        found = ray.get([each.played.remote() for each in find_all("simulators", self._layout.simulators)])
        return {name: sum(each[name] for each in found) for name in found[0]}

    def _look(self) -> _Look:
        counts = {"simulators": self._layout.simulators, "engines": self._layout.engines}
        asked = {
            role: [each.cpu_seconds.remote() for each in find_all(role, counts.get(role, 1))]
            for role in ("simulators", "engines", "buffers", "servers", "monitor")
        }
        totals: Totals = ray.get(find("servers").totals.remote())
        inside = [each.network_seconds.remote() for each in find_all("engines", self._layout.engines)]
        cpu = {role: sum(ray.get(each)) for role, each in asked.items()}
        return _Look(time.time(), self._played(), totals, cpu, sum(ray.get(inside)))


class _Run(DistributedTraining):
    """A training whose roles report what they do, watched by a meter."""

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

    def _start(self, name: str, kind: type, role: RoleConfig, *more: Any, **options: Any) -> Any:
        return super()._start(name, self._kinds[name], role, *more, **options)

    def _begin(self) -> None:
        super()._begin()
        Thread(target=self._meter.measure, daemon=True).start()

    def end(self, *roles: str) -> None:
        """End processes of the run, after collecting the engines' figures."""
        if self._meter.seen is not None:
            self._meter.told_by_engines = ray.get(find("monitor").of_engines.remote(self._meter.seen[0].at))
        super().end(*roles)


def parts_of(precision: Precision, roles: bool, engines: bool) -> list[str]:
    """Return what `bench_selfplay` measures on this machine, in order."""
    if not roles or precision.device.type != "cpu":
        return ["collector"]
    layouts = LAYOUTS if engines else OWN_LAYOUTS
    here = [name for name, layout in layouts.items() if layout.cores <= len(_cores())]
    return ["collector", "learner", *here, *(["request", "buffer", "scaling"] if engines else [])]


def bench_selfplay(
    size: NetworkSize, precision: Precision, seconds: float, games: int, batch: int, roles: bool, engines: bool
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield all measurements of self-play, part by part; roles are measured on a CPU only, and only if `roles` is set.

    engines: also measure the roles with inference engines.

    Each layout has `ratio`: its speed in questions per second relative to bare networks on the same number of cores, in
    passes of the same sizes, with bare learning steps for as many pairs if it learns; `ratio_busy`: relative to bare
    networks on the number of cores that the roles kept busy. One that was to learn and could not, since no round had
    ended yet, has neither.
    """
    collector = bench_collector(size, precision, seconds, games)
    yield "collector", collector
    if not roles or precision.device.type != "cpu":
        return
    learner = bench_learner(size, precision, seconds / 2, batch, with_critic=False)
    yield "learner", learner
    found: dict[str, dict[str, float]] = {}
    for part, figures in bench_roles(size, seconds, games, batch, LAYOUTS if engines else OWN_LAYOUTS):
        if part in LAYOUTS:
            pairs = figures["pairs_per_s"] / figures["questions_per_s"] if LAYOUTS[part].learns else 0.0
            bare = 1 / collector["bare_questions_per_s"] + pairs / learner["bare_pairs_per_core_s"]
            did = figures["questions_per_s"] * bare
            if pairs or not LAYOUTS[part].learns:
                figures |= {"ratio": did / figures["cores"], "ratio_busy": did / figures["busy_cores"]}
            found[part] = figures
        yield part, figures
    if engines:
        yield "scaling", _scaling(found)


def _scaling(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the speed of two simulators relative to one: with an engine and a core each, and with a common engine."""
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
    """Yield the figures of each layout that this machine has enough cores for; with engines, then those of requests.

    games: number that each simulator plays side by side. Each layout is measured for `seconds` once its tables have
    played a round. See `_figures`, `bench_requests` and `bench_buffer` for the names.
    """
    with TemporaryDirectory(prefix="suphx-bench-") as place:
        folder = Path(place)
        save_agent(folder / "start", untrained_networks(size), size.name, storage="float32")
        for name, layout in layouts.items():
            if layout.cores <= len(_cores()):
                yield name, _bench_layout(layout, folder, name, seconds, games, batch)
        if not any(layout.engines for layout in layouts.values()):
            return
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
                "learning_rate": 1e-6,  # so small that the way of playing does not change
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
    """Start Ray here with all its processes on the first `cores` cores, and shut it down at the end."""
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
    """Return the figures of a run between two looks, by name.

    Rates are in wall-clock time. `busy_cores`: mean number of cores that the roles kept busy; `network_share`: share of
    that time spent in engines' networks, with batches as they come. `ROLE_us`, `network_us`: CPU time per question (for
    buffers and servers: per pair). `waiting`, `held`: shares of the simulators' time spent waiting for engines, and for
    a buffer that had enough. `engine_batch`: positions computed together. `weights_delay_s`: time from the publication
    of weights to their first use. `staleness`: age of pairs learned from, in versions.
    """
    if meter.seen is None:
        raise meter.error or RuntimeError("the run ended before it was measured")
    first, last = meter.seen
    wall = last.at - first.at
    played = {name: (value - first.played[name]) / wall for name, value in last.played.items()}
    counts = {name: value - getattr(first.totals.counts, name) for name, value in vars(last.totals.counts).items()}
    pairs_per_s = (last.totals.pairs - first.totals.pairs) / wall
    busy = {role: (last.cpu[role] - first.cpu[role]) / wall for role in first.cpu}
    questions = played["questions"]
    found = {
        "cores": layout.cores,
        "decisions_per_s": played["decisions"],
        "questions_per_s": questions,
        "pairs_per_s": pairs_per_s,
        "versions_per_s": (last.totals.versions - first.totals.versions) / wall,
        "busy_cores": sum(busy.values()),
        "simulator_us": 1e6 * busy["simulators"] / questions,
        "learning_share": (last.totals.learning - first.totals.learning) / wall,
    }
    if pairs_per_s:
        found |= {f"{role[:-1]}_us": 1e6 * busy[role] / pairs_per_s for role in ("buffers", "servers")}
    if counts["seconds"]:
        found |= {name: counts[name] / counts["seconds"] for name in ("waiting", "held")}
    if layout.engines:
        inside = (last.networks - first.networks) / wall
        found |= {"network_share": inside / sum(busy.values()), "network_us": 1e6 * inside / questions}
        found["engine_us"] = 1e6 * busy["engines"] / questions
    for name, figure in (("engine_batch", "batch"), ("engine_busy", "busy"), ("weights_delay_s", "weights_delay_s")):
        values = [figures[figure] for figures in meter.told_by_engines if figure in figures]
        if values:
            found[name] = statistics.fmean(values)
    if meter.staleness:
        found["staleness"] = statistics.fmean(meter.staleness)
    return found
