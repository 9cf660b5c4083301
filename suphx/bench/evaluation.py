"""Benchmark of the arena: hanchan per second, compared with what the networks alone would allow, in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Network, Sampling
from suphx.agent.interface import Agent, AgentOutput
from suphx.agent.network_agent import untrained_networks
from suphx.agents import load_agent
from suphx.evaluation.arena import BATCH, Terms, play_here
from suphx.evaluation.protocol import Plan, one_against_three
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS, OUTPUTS
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.timing import made_up_planes

_SENSIBLE = one_against_three(["sensible"], ["sensible"])


class _TimeIsUp(Exception):
    """The measurement is over."""


class _Clock:
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
            found = network(planes)
            ended = time.perf_counter()
            if ended > self._last:
                raise _TimeIsUp
            if started > self._first:
                with self._lock:
                    self.seconds += ended - started
                    self.positions += len(planes)
            return found

        return logits


class Shadow:
    """Plays as `sensible` while networks evaluate every decision as in play: their cost in games like people's.

    The answers of the untrained networks are ignored, because games played by them would differ in kind and length.
    """

    name = "shadow"

    def __init__(self, networks: Mapping[str, Network]) -> None:
        self._flow = Flow(networks, PlaneEncoder(), Sampling())
        self._player = player("sensible")

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose as `sensible` does, and return the networks' outputs."""
        choice = self._flow.act(games, decisions)
        actions = np.empty(len(decisions), np.int64)
        self._player.choose(games, decisions, actions)
        return replace(choice, actions=actions)


def _deals() -> Iterator[tuple[int, int]]:
    """Yield (deal, table) of games endlessly."""
    return ((deal, table) for deal in count() for table in range(len(_SENSIBLE.tables)))


def bench_sensible(seconds: float, batch: int = BATCH) -> dict[str, float]:
    """Measure hanchan per second of four `sensible` on one core, after a warm-up of two games per batch place."""
    games = play_here(_SENSIBLE, Terms(), _deals(), batch, 1)
    for _ in range(2 * batch):
        next(games)
    started, done = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        next(games)
        done += 1
    rate = done / (time.perf_counter() - started)
    games.close()
    return {"hanchan_per_s": rate}


def bench_networks(size: NetworkSize, seconds: float, threads: int, batch: int = BATCH) -> dict[str, float]:
    """Measure games of four network agents of a size on a number of threads, and the networks alone on as many.

    `positions_per_hanchan`: questions to networks. `network_share`: share of the threads' time spent in networks.
    `bare_hanchan_per_s`: what the networks alone would allow. `ratio`: the measured rate as a share of that.
    """
    precision = choose_precision("cpu", threads=1)
    networks = untrained_networks(size)
    clock = _Clock(seconds)

    def load(_: Plan, __: Terms) -> Sequence[Agent]:
        each = {model: Evaluator(networks[model], precision, batch_invariant=True).logits for model in MODELS}
        return [Shadow({model: clock.timed(network) for model, network in each.items()})]

    with suppress(_TimeIsUp):
        for _ in play_here(_SENSIBLE, Terms(), _deals(), batch, threads, load):
            pass
    per_hanchan = _positions_per_hanchan()
    rate = clock.positions / seconds / per_hanchan
    bare = bare_rate(size, precision, seconds / 2, threads) / per_hanchan
    return {
        "hanchan_per_s": rate,
        "positions_per_hanchan": per_hanchan,
        "network_share": clock.seconds / (seconds * threads),
        "bare_hanchan_per_s": bare,
        "ratio": rate / bare,
    }


@cache
def _positions_per_hanchan(games: int = 64) -> float:
    """Return the mean number of questions to networks in a hanchan of `sensible`."""
    asked = []

    def silent(model: str) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            asked.append(len(planes))
            return np.zeros((len(planes), OUTPUTS[model]), np.float32)

        return logits

    shadow = Shadow({model: silent(model) for model in MODELS})
    for _ in play_here(_SENSIBLE, Terms(), [(deal, 0) for deal in range(games)], games, 1, lambda *_: [shadow]):
        pass
    return sum(asked) / games


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


def bench_memory(games: int, watch: Callable[[int], None]) -> dict[str, float]:
    """Play games of `sensible`; return the peak memory after a tenth of them and at the end, in MiB."""
    from suphx.evaluation.results import Results

    results = Results(_SENSIBLE, -(-games // len(_SENSIBLE.tables)))
    early = 0.0
    for done, game in enumerate(play_here(_SENSIBLE, Terms(), results.missing(), BATCH, 1), 1):
        results.add(game)
        if done == games // 10:
            early = _most_memory()
        watch(done)
    return {"games": results.done.sum(), "mib_after_a_tenth": early, "mib_at_the_end": _most_memory()}


def _most_memory() -> float:
    import resource  # which Windows has not

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def bench_agreement(agent: str, other: Precision, games: int, seed: int = 0) -> dict[str, float]:
    """Count how many of an agent's decisions differ between float32 on the CPU and another precision.

    Both are asked about each decision of the games that the first one plays.
    """
    plain = choose_precision("cpu", "float32", 1)
    first, second = (load_agent(agent, seed, None, each, batch_invariant=True) for each in (plain, other))
    counts = {"decisions": 0, "differing": 0}

    class Both:
        name = agent

        def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
            choice, there = first.act(games, decisions), second.act(games, decisions)
            counts["decisions"] += len(decisions)
            counts["differing"] += int((choice.actions != there.actions).sum())
            return choice

    deals = [(deal, table) for deal in range(games) for table in (0,)]
    for _ in play_here(_SENSIBLE, Terms(seed), deals, BATCH, 1, load=lambda *_: [Both()]):
        pass
    return {**counts, "share": counts["differing"] / counts["decisions"]}
