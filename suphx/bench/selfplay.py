"""How fast games of self-play are collected, compared with the networks alone in the same run.

Networks are fresh, and play each other as in a training. Rates are given in wall-clock time and in CPU time; the latter
are valid even if the machine does other work. Ratios are of CPU time on a CPU and of wall-clock time on a GPU.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from simulator.players import player
from simulator.rules import Rules
from suphx.agent.flow import Flow, Network, PlaneEncoder, Sampling
from suphx.agent.interface import RuleAgent
from suphx.agent.registry import untrained_networks
from suphx.bench.timing import made_up_planes
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES, MODELS, Model
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, keep_memory
from suphx.networks.sizes import NetworkSize
from suphx.reward.kinds import TableRewards
from suphx.reward.rounds import PointRewards
from suphx.selfplay.collect import Collector
from suphx.selfplay.config import SENT_DECISIONS, FourLearners
from suphx.selfplay.policy import sampling_of

T = TypeVar("T")

#: The model that learns: as in the paper.
MODEL: Model = "discard"
_RULES = "tenhou"
#: Decisions per table that `sensible` makes beforehand, so that tables are at different points of their games.
_DECISIONS_BEFORE = 150
#: Steps of the networks that are not counted: by then buffers have grown to the sizes that are needed.
_STEPS_BEFORE = 60
#: Rows per call of the bare networks if the number is free: whole passes.
_BARE_ROWS = 512


@dataclass
class Spent:
    """Wall-clock and CPU time, and the calls of networks meanwhile."""

    wall: float = 0.0
    cpu: float = 0.0
    calls: list[tuple[str, int]] = field(default_factory=list)
    """The model and the number of rows of each call."""

    def rows(self) -> Counter[str]:
        """Return the number of rows by model."""
        counts: Counter[str] = Counter()
        for model, n in self.calls:
            counts[model] += n
        return counts

    def during(self, work: Callable[[], T]) -> T:
        """Return what `work` returns, and add the time it takes."""
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        return result


class TimedPolicy(Flow):
    """A policy that uses its networks as in self-play, and records their calls and the time they take."""

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, seed: int) -> None:
        self.inside = Spent()
        """Time spent inside networks."""
        evaluators = {model: Evaluator(networks[model], precision, batch_invariant=True) for model in MODELS}
        calls = {model: self._timed(model, evaluator) for model, evaluator in evaluators.items()}
        super().__init__(calls, PlaneEncoder(), Sampling(), sampling_of((MODEL,), seed), "timed")

    def _timed(self, model: str, evaluator: Evaluator) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            self.inside.calls.append((model, len(planes)))
            return self.inside.during(lambda: evaluator.logits(planes))

        return logits


class BareNetworks:
    """The same networks without anything around them."""

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, batch_invariant: bool) -> None:
        """batch_invariant: as in play; otherwise a GPU's passes are as large as the call."""
        self._evaluators = {model: Evaluator(networks[model], precision, batch_invariant) for model in MODELS}
        self._planes = {model: made_up_planes(_BARE_ROWS, planes) for model, planes in MODEL_PLANES.items()}
        self.spent = Spent()

    def repeat(self, calls: Sequence[tuple[str, int]]) -> None:
        """Make a sequence of calls, each of a model with a number of rows."""

        def work() -> None:
            for model, n in calls:
                for first in range(0, n, _BARE_ROWS):
                    self._evaluators[model].logits(self._planes[model][: n - first])

        self.spent.during(work)
        self.spent.calls += calls


def bench_collector(
    size: NetworkSize, precision: Precision, seconds: float, games: int, turns: int = 5, seed: int = 0
) -> dict[str, float]:
    """Measure a collector with a number of games side by side, alternating with the bare networks.

    seconds: of play, in wall-clock time; the bare networks make calls with as many rows, which takes less.

    A question is a row of a network's call. `ratio`: speed in questions per second relative to bare networks with
    calls of the same sizes; `ratio_large`: relative to bare networks with calls as large as possible. `network_share`:
    share of the time inside networks. `play_us`: CPU time outside networks per question, in microseconds.
    `learned_share`: share of the questions that are collected for learning.
    """
    keep_memory()
    networks = untrained_networks(size, seed)
    rewards = TableRewards(PointRewards(10_000), games)
    collector = Collector(FourLearners(), Rules.preset(_RULES), rewards, games, seed, (MODEL,))
    collector.set_policy(0, RuleAgent(player("sensible")))
    while collector.counters["decisions"] < _DECISIONS_BEFORE * games:
        collector.step()
    collector.take()
    policy = TimedPolicy(networks, precision, seed)
    collector.set_policy(1, policy)

    def step() -> None:
        collector.step()
        if collector.learnable >= SENT_DECISIONS:
            collector.take()

    same, large = (BareNetworks(networks, precision, batch_invariant) for batch_invariant in (True, False))
    for _ in range(_STEPS_BEFORE - 1):
        step()
    policy.inside = Spent()
    step()
    for each in (same, large):  # not counted: networks are set up once per size of a call
        each.repeat(policy.inside.calls)
        each.spent = Spent()

    whole, before, policy.inside = Spent(), dict(collector.counters), Spent()
    for turn in range(turns):
        before_turn = len(policy.inside.calls)
        while whole.wall < seconds * (turn + 1) / turns:
            whole.during(step)
        same.repeat(policy.inside.calls[before_turn:])
        large.repeat([*(policy.inside.rows() - large.spent.rows()).items()])

    decisions, questions = (collector.counters[name] - before[name] for name in ("decisions", "model_decisions"))
    on_cpu = precision.device.type == "cpu"
    spent = {"play": whole, "inside": policy.inside, "same": same.spent, "large": large.spent}
    time_of = {name: each.cpu if on_cpu else each.wall for name, each in spent.items()}
    return {
        "games": games,
        "decisions_per_s": decisions / whole.wall,
        "questions_per_s": questions / whole.wall,
        "decisions_per_core_s": decisions / whole.cpu,
        "questions_per_core_s": questions / whole.cpu,
        "bare_questions_per_s": questions / time_of["same"],
        "ratio": time_of["same"] / time_of["play"],
        "ratio_large": time_of["large"] / time_of["play"],
        "network_share": time_of["inside"] / time_of["play"],
        "play_us": 1e6 * (whole.cpu - policy.inside.cpu) / questions,
        "learned_share": policy.inside.rows()[MODEL] / questions,
    }
