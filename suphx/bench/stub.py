"""Self-play without the GPU: how fast simulators play with an engine whose networks only take the time of some.

Simulators are processes as in a training, and reach the engine through channels; only learning is left out. So
everything but the GPU is measured, on any machine.
"""

import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Client
from typing import Any

import numpy as np
import torch

from simulator.players import player
from simulator.rules import Rules
from suphx.agent.flow import Flow, PlaneEncoder, Sampling
from suphx.agent.interface import RuleAgent
from suphx.bench.selfplay import Spent
from suphx.features.layout import LAYOUT
from suphx.networks.models import MODEL_PLANES, MODELS, NO, OUTPUTS
from suphx.networks.precision import keep_memory
from suphx.selfplay.collect import PlayerModel
from suphx.selfplay.config import GROUPS, LEARNER, SENT_DECISIONS, TrainConfig
from suphx.selfplay.play import CollectedRounds
from suphx.selfplay.policy import sampling_of
from suphx.selfplay.roles.channel import RequestChannel
from suphx.selfplay.roles.engine import NetworkServer
from suphx.selfplay.roles.inference_client import Snapshot

#: Decisions per table that `sensible` makes beforehand, so that tables are at different points of their games.
_DECISIONS_BEFORE = 150
#: Seconds of play that are not counted.
_WARM_UP = 2.0
#: Rows of made-up logits, the standard deviation of a discard's, and by how much no exceeds yes.
_ROWS, _STD, _NO = 1 << 16, 2.0, 4.0
#: The plane of the discard after which a hand accepts most tiles, and how much is added to its logit: hands come near
#: ready as those of a real player do, and so take as long to look ahead from.
_BEST = [plane.name for plane in LAYOUT].index("best discard 1")
_SURE = 6.0


class StubCard:
    """Stands in for a GPU that computes rows one after the other."""

    def __init__(self, latency: float, row_seconds: float) -> None:
        """latency: seconds from a call to its logits on an idle card, besides those of its rows."""
        self._latency, self._row_seconds, self._free_at = latency, row_seconds, 0.0

    def compute(self, rows: int) -> float:
        """Return when some rows will have been computed, in the time of `time.perf_counter`."""
        self._free_at = max(self._free_at, time.perf_counter()) + rows * self._row_seconds
        return self._free_at + self._latency


class StubNetwork:
    """Made-up logits that are there when a card would have computed them, with the methods that serving uses."""

    def __init__(self, model: str, card: StubCard) -> None:
        self.model, self.planes = model, MODEL_PLANES[model]
        self._card = card
        self._logits = np.random.default_rng(0).normal(0, _STD, (_ROWS, OUTPUTS[model])).astype(np.float32)
        if OUTPUTS[model] == 2:
            self._logits[:, NO] += _NO

    def start(self, parts: Sequence[np.ndarray]) -> Callable[[], np.ndarray]:
        """Return a function that waits for the logits of some rows."""
        rows = sum(map(len, parts))
        due = self._card.compute(rows)
        logits = self._logits[:rows]
        if self.model == "discard":
            best = np.concatenate([part[:, _BEST] for part in parts])
            (has_one,) = np.nonzero(best)
            logits = logits.copy()
            logits[has_one, np.log2(best[has_one]).astype(np.int64)] += _SURE

        def wait() -> np.ndarray:
            time.sleep(max(due - time.perf_counter(), 0.0))
            return logits

        return wait


class _Group:
    """Tables of a simulator, whose experience is dropped."""

    def __init__(self, channel: RequestChannel, games: int, seed: int) -> None:
        config = TrainConfig(name="stub", sample_games=0)
        self.play, self._channel = CollectedRounds(config, games, seed, config.reward.load(Rules.tenhou()), ()), channel
        collector = self.play.collector
        collector.set_policy(0, RuleAgent(player("sensible")))
        while collector.counters["decisions"] < _DECISIONS_BEFORE * games:
            collector.step()
        collector.take()
        sampling = sampling_of(config.learning.models, seed)
        collector.set_policy(0, Flow({}, PlaneEncoder(), Sampling(), sampling, config.name))
        self.begin()

    def begin(self) -> None:
        self._begun = self.play.collector.begin()
        self._channel.send(self._begun.requests)

    def step(self) -> None:
        self.play.collector.finish(self._begun, self._channel.answer().logits)
        if self.play.collector.has_rounds and self.play.collector.learnable >= SENT_DECISIONS:
            self.play.take()
        self.begin()


def _simulate(address: str, key: bytes, games: int, seconds: float, number: int, begin: Any, results: Any) -> None:
    """Play in a process of its own, when all are there; put decisions, wall-clock and CPU seconds into `results`."""
    keep_memory()
    torch.set_num_threads(1)
    seeds = range(GROUPS * number, GROUPS * (number + 1))
    groups = [_Group(RequestChannel(Client(address, authkey=key)), games // GROUPS, seed) for seed in seeds]
    begin.wait()

    def play(seconds: float) -> None:
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            for group in groups:
                group.step()

    play(_WARM_UP)
    before = sum(group.play.collector.counters["decisions"] for group in groups)
    spent = Spent()
    spent.during(lambda: play(seconds))
    decisions = sum(group.play.collector.counters["decisions"] for group in groups) - before
    results.put((decisions, spent.wall, spent.cpu))


def bench_stub(simulators: int, games: int, latency: float, row_seconds: float, seconds: float) -> dict[str, float]:
    """Measure some simulators with a number of games each, and the engine in this process.

    latency, row_seconds: of a `StubCard`. `decisions_per_core_s`: per second of the simulators' CPU time.
    `engine_cores`: of this process. `batch`: mean positions per batch.
    """
    card = StubCard(latency, row_seconds)
    networks: dict[PlayerModel, Any] = {(LEARNER, model): StubNetwork(model, card) for model in MODELS}
    snapshot = Snapshot(networks)
    server = NetworkServer(lambda: snapshot, torch.device("cpu"), batches=2)
    context = multiprocessing.get_context("spawn")
    begin, results = context.Barrier(simulators + 1), context.Queue()
    common = server.address, server.key, games, seconds
    processes = [context.Process(target=_simulate, args=(*common, n, begin, results)) for n in range(simulators)]
    for process in processes:
        process.start()
    begin.wait()
    server.batches, engine = [], Spent()
    measured: list[tuple[int, float, float]] = []
    engine.during(lambda: measured.extend(results.get() for _ in processes))
    for process in processes:
        process.join()
    decisions, wall, cpu = map(sum, zip(*measured, strict=True))
    return {
        "decisions_per_s": decisions / (wall / simulators),
        "decisions_per_core_s": decisions / cpu,
        "cores_per_simulator": cpu / wall,
        "engine_cores": engine.cpu / engine.wall,
        "batch": float(np.mean(server.batches)),
    }
