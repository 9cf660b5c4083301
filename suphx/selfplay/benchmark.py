"""How fast a collector plays, beside what its networks alone would do, in turns in one run.

Networks are fresh, and play each other as in a training. Rates are by the wall's clock and by the processor's: the
second hold on a machine that has other work too. On a CPU ratios are of the processor's time, on a GPU of the wall's.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from simulator.players import player
from simulator.rules import Rules
from simulator.tables import Decisions
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Network
from suphx.agent.interface import Choice, RuleAgent
from suphx.agent.network_agent import untrained_networks
from suphx.features.layout import ORACLE_PLANES
from suphx.networks.benchmark import made_up_planes
from suphx.networks.inference import Evaluator
from suphx.networks.memory import keep_memory
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import MODEL_PLANES, MODELS, OUTPUTS, NetworkSize
from suphx.selfplay.collect import Collector
from suphx.selfplay.policy import policy_flow
from suphx.selfplay.rewards import RoundReward, make_rewards
from suphx.selfplay.seating import FourLearners
from suphx.selfplay.trajectory import Experience
from suphx.supervised.config import Model

#: The model that learns, whose questions are kept: as in the paper.
MODEL: Model = "discard"
RULES = "tenhou"
#: Decisions of each table that `sensible` makes beforehand, so that tables are at different places of their games.
_DECISIONS_BEFORE = 150
#: Questions that bare networks are asked at once where they may have as many as they like: whole passes.
_BARE_QUESTIONS = 512


def made_up_questions(n: int) -> Experience:
    """Return n questions to the model that learns, every answer possible, with what is hidden; each its own path."""
    generator = np.random.default_rng(0)
    return Experience(
        path=np.arange(n, dtype=np.uint32),
        place=np.zeros(n, np.uint16),
        planes=made_up_planes(n, MODEL_PLANES[MODEL]),
        oracle=np.empty((n, 0), np.uint64),
        hidden=made_up_planes(n, ORACLE_PLANES),
        legal=np.full(n, (1 << OUTPUTS[MODEL]) - 1, np.uint64),
        answer=generator.integers(0, OUTPUTS[MODEL], n).astype(np.uint8),
        log_probability=np.full(n, -np.log(OUTPUTS[MODEL]), np.float32),
    )


@dataclass
class Spent:
    """Time by both clocks, and what networks were asked in it."""

    wall: float = 0.0
    cpu: float = 0.0
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Models, and how many questions they were asked at once."""

    def questions(self) -> Counter[str]:
        """Return how many questions each model was asked."""
        found: Counter[str] = Counter()
        for model, n in self.asked:
            found[model] += n
        return found

    def during(self, work: Callable[[], object]) -> None:
        """Do some work, and add the time that it takes."""
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


class TimedPolicy:
    """Networks as `Policy` asks them; what they are asked, and how long they take, is noted."""

    name = "timed"

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, seed: int) -> None:
        self.inside = Spent()
        """In networks."""
        evaluators = {model: Evaluator(networks[model], precision, fixed_passes=True) for model in MODELS}
        calls = {model: self._timed(model, evaluator) for model, evaluator in evaluators.items()}
        self._flow = policy_flow(calls, PlaneEncoder(), seed, (MODEL,), None)

    def _timed(self, model: str, evaluator: Evaluator) -> Network:
        def logits(planes: np.ndarray) -> np.ndarray:
            found: list[np.ndarray] = []
            self.inside.during(lambda: found.append(evaluator.logits(planes)))
            self.inside.asked.append((model, len(planes)))
            return found[0]

        return logits

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision."""
        return self._flow.decide(games, asked)


class BareNetworks:
    """The same networks with nothing around them."""

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, fixed_passes: bool) -> None:
        """fixed_passes: on a GPU, in passes as in play, otherwise as large as what is asked."""
        self._evaluators = {model: Evaluator(networks[model], precision, fixed_passes) for model in MODELS}
        self._planes = {model: made_up_planes(_BARE_QUESTIONS, planes) for model, planes in MODEL_PLANES.items()}
        self.spent = Spent()

    def answer(self, asked: Sequence[tuple[str, int]]) -> None:
        """Answer so many questions to a model at once, time after time."""
        self.spent.during(lambda: self._answer(asked))
        self.spent.asked += asked

    def _answer(self, asked: Sequence[tuple[str, int]]) -> None:
        for model, n in asked:
            for first in range(0, n, _BARE_QUESTIONS):
                self._evaluators[model].logits(self._planes[model][: n - first])


def bench_collector(
    size: NetworkSize, precision: Precision, seconds: float, games: int, turns: int = 5, seed: int = 0
) -> dict[str, float]:
    """Measure a collector with so many games side by side, in turns with the bare networks.

    seconds: of play, by the wall's clock; the bare networks answer as many questions, which takes less.

    `ratio`: questions a second over those of the bare networks asked the same, as many at once; `ratio_large`: over
    those of networks that are asked all at once. `network_share`: of the time, inside the networks. `play_us`: outside
    of them for each question, in microseconds of a core. `questions_per_step`: of all tables, each time that they are
    asked. `MODEL_share`: of the questions. `learned_share`: of the questions, kept for learning.
    """
    keep_memory()
    networks = untrained_networks(size, seed)
    rewards = make_rewards(RoundReward(), games, None)
    collector = Collector(FourLearners(), Rules.preset(RULES), rewards, games, seed, (MODEL,))
    collector.set_policy(0, RuleAgent(player("sensible")))
    while collector.counters["decisions"] < _DECISIONS_BEFORE * games:
        collector.step()
    policy = TimedPolicy(networks, precision, seed)
    collector.set_policy(1, policy)
    same, large = (BareNetworks(networks, precision, fixed_passes) for fixed_passes in (True, False))
    collector.step()
    for each in (same, large):  # not counted: what is set up for questions of a number
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
