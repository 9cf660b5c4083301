"""Benchmark of a collector's speed compared with its networks alone, measured alternately in one run.

Networks are fresh, and play each other as in a training. Rates are given in wall-clock time and in CPU time; the latter
are valid even if the machine does other work. Ratios are of CPU time on a CPU and of wall-clock time on a GPU.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from simulator.players import player
from simulator.rules import Rules
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Network, Sampling
from suphx.agent.interface import RuleAgent
from suphx.agent.network_agent import untrained_networks
from suphx.features.layout import ORACLE_PLANES
from suphx.learning.experience import experience_dtype
from suphx.networks.inference import Evaluator
from suphx.networks.memory import keep_memory
from suphx.networks.models import MODEL_PLANES, MODELS, OUTPUTS, Model
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.timing import made_up_planes
from suphx.reward.kinds import TableRewards
from suphx.reward.rounds import PointRewards
from suphx.selfplay.collect import Collector
from suphx.selfplay.policy import drawn
from suphx.selfplay.seating import FourLearners

#: The model that learns, whose questions are kept: as in the paper.
MODEL: Model = "discard"
RULES = "tenhou"
#: Decisions per table that `sensible` makes beforehand, so that tables are at different points of their games.
_DECISIONS_BEFORE = 150
#: Steps of the networks that are not counted: by then buffers have grown to the sizes that are needed.
_STEPS_BEFORE = 60
#: Questions per call of the bare networks if the number is free: whole passes.
_BARE_QUESTIONS = 512


def made_up_questions(n: int, hidden: int = ORACLE_PLANES) -> np.ndarray:
    """Return n questions to the learning model, with all answers possible and so many hidden planes, each a path."""
    generator = np.random.default_rng(0)
    found = np.zeros(n, experience_dtype(MODEL_PLANES[MODEL], hidden=hidden))
    found["path"] = np.arange(n)
    found["planes"], found["hidden"] = made_up_planes(n, MODEL_PLANES[MODEL]), made_up_planes(n, hidden)
    found["legal"] = (1 << OUTPUTS[MODEL]) - 1
    found["answer"] = generator.integers(0, OUTPUTS[MODEL], n)
    found["log_probability"] = -np.log(OUTPUTS[MODEL])
    return found


@dataclass
class Spent:
    """Wall-clock and CPU time spent, and what networks were asked meanwhile."""

    wall: float = 0.0
    cpu: float = 0.0
    asked: list[tuple[str, int]] = field(default_factory=list)
    """One entry per call of a network: the model and the number of questions."""

    def questions(self) -> Counter[str]:
        """Return the number of questions that each model was asked."""
        found: Counter[str] = Counter()
        for model, n in self.asked:
            found[model] += n
        return found

    def during(self, work: Callable[[], object]) -> None:
        """Call `work`, and add the time it takes."""
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


class TimedPolicy(Flow):
    """A policy that asks its networks as `Policy` does, and records the questions and the time networks take."""

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, seed: int) -> None:
        self.inside = Spent()
        """Time spent inside networks."""
        evaluators = {model: Evaluator(networks[model], precision, batch_invariant=True) for model in MODELS}
        calls = {model: self._timed(model, evaluator) for model, evaluator in evaluators.items()}
        super().__init__(calls, PlaneEncoder(), Sampling(), drawn((MODEL,), seed), "timed")

    def _timed(self, model: str, evaluator: Evaluator) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            found: list[np.ndarray] = []
            self.inside.during(lambda: found.append(evaluator.logits(planes)))
            self.inside.asked.append((model, len(planes)))
            return found[0]

        return logits


class BareNetworks:
    """The same networks without anything around them."""

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, batch_invariant: bool) -> None:
        """batch_invariant: as in play; otherwise a GPU's passes are as large as the call."""
        self._evaluators = {model: Evaluator(networks[model], precision, batch_invariant) for model in MODELS}
        self._planes = {model: made_up_planes(_BARE_QUESTIONS, planes) for model, planes in MODEL_PLANES.items()}
        self.spent = Spent()

    def answer(self, asked: Sequence[tuple[str, int]]) -> None:
        """Answer a sequence of calls, each with a model and a number of questions."""
        self.spent.during(lambda: self._answer(asked))
        self.spent.asked += asked

    def _answer(self, asked: Sequence[tuple[str, int]]) -> None:
        for model, n in asked:
            for first in range(0, n, _BARE_QUESTIONS):
                self._evaluators[model].logits(self._planes[model][: n - first])


def bench_collector(
    size: NetworkSize, precision: Precision, seconds: float, games: int, turns: int = 5, seed: int = 0
) -> dict[str, float]:
    """Measure a collector with a number of games side by side, alternating with the bare networks.

    seconds: of play, in wall-clock time; the bare networks answer the same number of questions, which takes less.

    `ratio`: speed in questions per second relative to bare networks with calls of the same sizes; `ratio_large`:
    relative to bare networks with as large calls as possible. `network_share`: share of the time inside networks.
    `play_us`: CPU time outside networks per question, in microseconds. `questions_per_step`: of all tables, per step.
    `MODEL_share`: the model's share of the questions. `learned_share`: share of the questions kept for learning.
    """
    keep_memory()
    networks = untrained_networks(size, seed)
    rewards = TableRewards(PointRewards(10_000), games)
    collector = Collector(FourLearners(), Rules.preset(RULES), rewards, games, seed, (MODEL,))
    collector.set_policy(0, RuleAgent(player("sensible")))
    while collector.counters["decisions"] < _DECISIONS_BEFORE * games:
        collector.step()
    policy = TimedPolicy(networks, precision, seed)
    collector.set_policy(1, policy)
    same, large = (BareNetworks(networks, precision, batch_invariant) for batch_invariant in (True, False))
    for _ in range(_STEPS_BEFORE - 1):
        collector.step()
    policy.inside = Spent()
    collector.step()
    for each in (same, large):  # not counted: networks are set up once per size of a call
        each.answer(policy.inside.asked)
        each.spent = Spent()

    whole, before, policy.inside, steps = Spent(), dict(collector.counters), Spent(), 0
    for turn in range(turns):
        before_turn = len(policy.inside.asked)
        while whole.wall < seconds * (turn + 1) / turns:
            whole.during(collector.step)
            steps += 1
        same.answer(policy.inside.asked[before_turn:])
        large.answer([*(policy.inside.questions() - large.spent.questions()).items()])

    decisions, questions = (collector.counters[name] - before[name] for name in ("decisions", "questions"))
    on_cpu = precision.device.type == "cpu"
    took = {"play": whole, "inside": policy.inside, "same": same.spent, "large": large.spent}
    time_of = {name: each.cpu if on_cpu else each.wall for name, each in took.items()}
    asked = policy.inside.questions()
    return {
        "games": games,
        "decisions_per_s": decisions / whole.wall,
        "questions_per_s": questions / whole.wall,
        "decisions_per_core_s": decisions / whole.cpu,
        "questions_per_core_s": questions / whole.cpu,
        "bare_questions_per_s": questions / time_of["same"],
        "bare_large_questions_per_s": questions / time_of["large"],
        "ratio": time_of["same"] / time_of["play"],
        "ratio_large": time_of["large"] / time_of["play"],
        "ratio_wall": same.spent.wall / whole.wall,
        "network_share": time_of["inside"] / time_of["play"],
        "play_us": 1e6 * (whole.cpu - policy.inside.cpu) / questions,
        "questions_per_step": questions / steps,
        "questions_per_decision": questions / decisions,
        "learned_share": asked[MODEL] / questions,
        **{f"{model}_share": asked[model] / questions for model in MODELS},
    }
