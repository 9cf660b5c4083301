"""How fast the arena is: hanchan per second, compared with what the networks alone would allow, in the same run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import count
from threading import Lock

import numpy as np
import torch

from simulator.players import player
from simulator.tables import Decisions
from suphx.agent.flow import Flow, Network, PlaneEncoder, Sampling
from suphx.agent.interface import Agent, AgentOutput
from suphx.agent.registry import untrained_networks
from suphx.bench.timing import made_up_planes
from suphx.evaluation.arena import BATCH, MatchTerms, play_here
from suphx.evaluation.protocol import MatchPlan, one_against_three
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS, OUTPUTS
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize

_SENSIBLE = one_against_three(["sensible"], ["sensible"])


class _TimeIsUp(Exception):
    """The measurement is over."""


class _Stopwatch:
    """Measures, after a warm-up, the seconds that several threads spend in networks and the positions evaluated."""

    def __init__(self, seconds: float) -> None:
        self._lock = Lock()
        self._first = time.perf_counter() + seconds / 4
        self._last = self._first + seconds
        self.seconds = 0.0
        self.positions = 0

    def timed(self, network: Network) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            started = time.perf_counter()
            outputs = network(planes)
            ended = time.perf_counter()
            if ended > self._last:
                raise _TimeIsUp
            if started > self._first:
                with self._lock:
                    self.seconds += ended - started
                    self.positions += len(planes)
            return outputs

        return logits


class Shadow:
    """Plays as `sensible` while networks evaluate every decision as in play: their cost in games like people's.

    The outputs of the untrained networks are ignored, because games played by them would differ in kind and length.
    """

    name = "shadow"

    def __init__(self, networks: Mapping[str, Network]) -> None:
        self._flow = Flow(networks, PlaneEncoder(), Sampling())
        self._player = player("sensible")

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose as `sensible` does, and return the networks' outputs."""
        output = self._flow.act(games, decisions)
        actions = np.empty(len(decisions), np.int64)
        self._player.choose(games, decisions, actions)
        return replace(output, actions=actions)


def _deals() -> Iterator[tuple[int, int]]:
    """Yield (deal, table) of games endlessly."""
    return ((deal, table) for deal in count() for table in range(len(_SENSIBLE.tables)))


def bench_sensible(seconds: float, batch: int = BATCH) -> dict[str, float]:
    """Measure hanchan per second of four `sensible` on one core, after a warm-up of two games per batch place."""
    games = play_here(_SENSIBLE, MatchTerms(), _deals(), batch, 1)
    for _ in range(2 * batch):
        next(games)
    started, done = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        next(games)
        done += 1
    rate = done / (time.perf_counter() - started)
    games.close()
    return {"hanchan_per_s": rate}


def bench_agents(size: NetworkSize, seconds: float, threads: int, batch: int = BATCH) -> dict[str, float]:
    """Measure games of four network agents of a size on a number of threads, and the networks alone on as many.

    `positions_per_hanchan`: rows that the networks evaluate. `network_share`: share of the threads' time spent in
    networks. `bare_hanchan_per_s`: what the networks alone would allow. `ratio`: the measured rate as a share of that.
    """
    precision = choose_precision("cpu", threads=1)
    networks = untrained_networks(size)
    watch = _Stopwatch(seconds)

    def load(_: MatchPlan, __: MatchTerms) -> Sequence[Agent]:
        each = {model: Evaluator(networks[model], precision, batch_invariant=True).logits for model in MODELS}
        return [Shadow({model: watch.timed(network) for model, network in each.items()})]

    with suppress(_TimeIsUp):
        for _ in play_here(_SENSIBLE, MatchTerms(), _deals(), batch, threads, load):
            pass
    per_hanchan = _positions_per_hanchan()
    rate = watch.positions / seconds / per_hanchan
    bare = bare_rate(size, precision, seconds / 2, threads) / per_hanchan
    return {
        "hanchan_per_s": rate,
        "positions_per_hanchan": per_hanchan,
        "network_share": watch.seconds / (seconds * threads),
        "bare_hanchan_per_s": bare,
        "ratio": rate / bare,
    }


@cache
def _positions_per_hanchan(games: int = 64) -> float:
    """Return the mean number of rows that networks evaluate in a hanchan of `sensible`."""
    rows = []

    def silent(model: str) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            rows.append(len(planes))
            return np.zeros((len(planes), OUTPUTS[model]), np.float32)

        return logits

    shadow = Shadow({model: silent(model) for model in MODELS})
    for _ in play_here(_SENSIBLE, MatchTerms(), [(deal, 0) for deal in range(games)], games, 1, lambda *_: [shadow]):
        pass
    return sum(rows) / games


def bare_rate(size: NetworkSize, precision: Precision, seconds: float, threads: int) -> float:
    """Return positions per second of the discard network alone, in large passes, on several threads at once."""
    evaluator = Evaluator(untrained_networks(size)["discard"], precision)
    planes = made_up_planes(512)

    def work() -> float:
        evaluator.logits(planes)
        started, n = time.perf_counter(), 0
        while time.perf_counter() - started < seconds:
            evaluator.logits(planes)
            n += len(planes)
        return n / (time.perf_counter() - started)

    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return sum(each.result() for each in [pool.submit(work) for _ in range(threads)])
