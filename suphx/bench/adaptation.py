"""Benchmarks of adaptation: rollouts compared with the networks' bare speed, gradient steps, playing many copies."""

import time
from collections.abc import Callable, Iterable

import numpy as np
import torch

from simulator.record import SEATS
from simulator.tables import Tables
from suphx.adaptation.config import StepsConfig
from suphx.adaptation.learned_part import LearnedPart
from suphx.adaptation.positions import Position, start_of
from suphx.adaptation.rollouts import Rolled, roll_out, rollouts_of
from suphx.adaptation.steps import advantages, step
from suphx.agent.flow import Network
from suphx.agent.network_agent import untrained_networks
from suphx.bench.evaluation import Shadow, bare_rate
from suphx.learning.experience import experience_dtype
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.networks.timing import made_up_planes

#: Number of hands whose rollouts share passes, and of hands that each have their own copy.
_HANDS, _COPIES = 4, 64
_SEED = 1


def bench_rollouts(size: NetworkSize, precision: Precision, seconds: float, rollouts: int) -> dict[str, float]:
    """Measure rollouts per second from the hands' first discards, alternating with the networks alone.

    As in `suphx bench evaluate`, untrained networks evaluate every decision of rounds that `sensible` plays.
    rollouts: number at a time. `ratio`: the measured rate as a share of what the networks alone would allow.
    """
    games = Tables(_HANDS, seed=_SEED).games
    positions = [Position(game.copy(), number % SEATS, start_of(game)) for number, game in enumerate(games)]
    asked: list[int] = [0]
    rates: list[float] = []
    bare: list[float] = []
    networks = untrained_networks(size)
    own, others = (
        Shadow({model: _counted(Evaluator(networks[model], precision, True).logits, asked) for model in MODELS})
        for _ in range(2)  # as in an adaptation, where the seat that adapts draws its answers, or plays by a copy
    )

    def play(deals: int, first: int) -> Rolled:
        return roll_out(positions, rollouts_of(_HANDS, deals, first), [own] * _HANDS, others, _SEED, keep=True)

    play(2, 1 << 40)
    deals, played = -(-rollouts // _HANDS), 0
    asked[0] = 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or not rates:
        started = time.perf_counter()
        play(deals, played)
        rates.append(deals * _HANDS / (time.perf_counter() - started))
        played += deals
        bare.append(bare_rate(size, precision, min(1.0, seconds / 4), 1))
    per_rollout = asked[0] / (played * _HANDS)
    rate, alone = float(np.mean(rates)), float(np.mean(bare)) / per_rollout
    return {
        "rollouts_per_s": rate,
        "questions_per_rollout": per_rollout,
        "bare_rollouts_per_s": alone,
        "ratio": rate / alone,
    }


def _counted(network: Network, asked: list[int]) -> Network:
    def logits(planes: np.ndarray) -> np.ndarray:
        asked[0] += len(planes)
        return network(planes)

    return logits


def bench_steps(size: NetworkSize, precision: Precision, questions: int) -> dict[str, float]:
    """Measure a step, including the search for its length: questions per second, by how much of the network learns."""
    network = untrained_networks(size)["discard"]
    planes = made_up_planes(questions)[:, : network.planes]
    answer = np.random.default_rng(_SEED).integers(0, 34, questions)
    rollout = np.arange(questions, dtype=np.uint32) // 10
    experience = np.zeros(questions, experience_dtype(network.planes))
    experience["path"], experience["place"] = rollout, np.arange(questions) % 10
    experience["planes"], experience["legal"] = planes, (1 << 34) - 1
    experience["answer"], experience["log_probability"] = answer, -3.5
    rewards = np.random.default_rng(_SEED).normal(size=int(rollout[-1]) + 1)
    advantage = advantages(rewards, np.zeros(len(rewards)))
    found = {}
    for name, blocks in {"whole": None, "last_block_and_head": 1, "head": 0}.items():
        config = StepsConfig(blocks=blocks, distance=1e-4)
        started = time.perf_counter()
        step(network, experience, advantage[rollout], config, 1.0, precision, _SEED)
        found[f"{name}_questions_per_s"] = questions / (time.perf_counter() - started)
    return found


def bench_copies(size: NetworkSize, precision: Precision, seconds: float) -> dict[str, float]:
    """Measure answers per second with one question per copy, for whole copies and for ones that share first blocks."""
    network = untrained_networks(size)["discard"]
    planes = made_up_planes(_COPIES)[:, : network.planes]
    copies = [Evaluator(network, precision, True).logits for _ in range(_COPIES)]
    parts = [LearnedPart(network, 1, precision) for _ in range(_COPIES)]

    def whole() -> None:
        for number, copy in enumerate(copies):
            copy(planes[number : number + 1])

    def shared() -> None:
        with torch.inference_mode():
            inputs = parts[0].inputs(planes)
            for number, part in enumerate(parts):
                part.logits(inputs[number : number + 1])

    return {
        "copies": _COPIES,
        "whole_answers_per_s": _COPIES / _time(whole, seconds),
        "shared_answers_per_s": _COPIES / _time(shared, seconds),
        "bytes_of_a_copy": _bytes(network.parameters()),
        "bytes_of_last_block_and_head": _bytes(parts[0].parameters),
    }


def _bytes(weights: Iterable[torch.Tensor]) -> float:
    return float(sum(weight.numel() * weight.element_size() for weight in weights))


def _time(work: Callable[[], None], seconds: float) -> float:
    """Return the mean time of a piece of work, after a first run."""
    work()
    started, n = time.perf_counter(), 0
    while time.perf_counter() - started < seconds or not n:
        work()
        n += 1
    return (time.perf_counter() - started) / n
