"""Benchmark of learning steps, alternating with bare steps of the same network: forward, backward, AdamW.

On a CPU, ratios are of CPU time, so that they are valid even if the machine does other work.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import torch
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from simulator.record import SEATS
from simulator.tiles import KINDS
from suphx.agent.network_agent import untrained_networks
from suphx.bench.collector import MODEL, Spent, made_up_questions
from suphx.bench.networks import bench_inference
from suphx.features.layout import PLANES
from suphx.learning.config import CriticConfig, LearningConfig
from suphx.learning.experience import microbatches
from suphx.learning.learner import Learner
from suphx.networks.memory import keep_memory
from suphx.networks.policy import PolicyNetwork, Trunk, ValueNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize

#: Learning rate, so small that networks stay near those that the made-up answers were drawn from.
_RATE = 1e-6
#: Peak of the tensor cores with bfloat16 without sparsity, in floating-point operations per second, from NVIDIA's data
#: sheets. Keys are words that must all be in the card's name; the first match counts. No share of the peak is reported
#: for other cards.
PEAKS = {
    "A100": 312e12,
    "H100 PCIE": 756e12,
    "H100": 989e12,
    "H200": 989e12,
    "L4": 121e12,
    "L40S": 362e12,
    "B200": 2250e12,
}


def _played_by(network: PolicyNetwork, questions: np.ndarray, precision: Precision) -> np.ndarray:
    """Write the log-probabilities of the questions' answers under this network; return the questions."""
    with torch.inference_mode():
        for rows in microbatches(len(questions), precision):
            logits = network.of_packed(np.ascontiguousarray(questions["planes"][rows]), precision)
            log_policy = functional.log_softmax(logits, dim=1).cpu().numpy()
            answer = questions["answer"][rows].astype(np.int64)
            questions["log_probability"][rows] = np.take_along_axis(log_policy, answer[:, None], 1)[:, 0]
    return questions


class _BareStep:
    """Forward, backward and AdamW step of one network, in the same passes as the learner."""

    def __init__(
        self, network: Trunk, planes: np.ndarray, targets: torch.Tensor, loss: Callable, precision: Precision
    ) -> None:
        """planes: uint64[n, planes]. loss: function of outputs and targets [n, ...], summed over questions."""
        self._network = network.to(precision.device)
        self._planes, self._targets, self._loss = planes, targets.to(precision.device), loss
        self._precision = precision
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, fused=True)

    def take(self) -> None:
        for rows in microbatches(len(self._planes), self._precision):
            answers = self._network.of_packed(self._planes[rows], self._precision)
            self._loss(answers, self._targets[rows], reduction="sum").backward()
        self._optimizer.step()
        self._optimizer.zero_grad()


def bench_learner(
    size: NetworkSize, precision: Precision, seconds: float, batch: int, with_critic: bool, seed: int = 0
) -> dict[str, float]:
    """Measure the learner's step on a batch of questions, alternating with the bare step; optionally with a critic.

    seconds: total time. `ratio`: the learner's pairs per second relative to bare steps. With a critic, a pair is a
    question that policy and critic have both learned from. `cores`: mean number of busy cores in the learner's steps.
    """
    keep_memory()
    generator = torch.Generator().manual_seed(seed)
    network = untrained_networks(size, seed)[MODEL]
    config = LearningConfig(
        models=[MODEL],
        batch=batch,
        learning_rate=_RATE,
        baseline="critic" if with_critic else "mean",
        critic=CriticConfig(size=size, learning_rate=_RATE),
    )
    learner = Learner({MODEL: network}, config, precision, seed)
    questions = _played_by(learner.networks[MODEL], made_up_questions(batch), precision)
    questions["advantage"] = torch.randn(batch, generator=generator).numpy()
    rewards = torch.randn(batch, SEATS, generator=generator)
    questions["rewards"] = rewards.numpy()
    fresh, answers = untrained_networks(size, seed)[MODEL], torch.from_numpy(questions["answer"].astype(np.int64))
    bare = [_BareStep(fresh, np.ascontiguousarray(questions["planes"]), answers, functional.cross_entropy, precision)]
    if with_critic:
        seen = np.concatenate([questions["planes"], questions["hidden"]], axis=1)
        bare.append(_BareStep(ValueNetwork(size, seen.shape[1]), seen, rewards, functional.mse_loss, precision))

    def learn() -> None:
        learner.learn(MODEL, questions, 0)

    def step() -> None:
        for each in bare:
            each.take()

    spent, turns = _in_turns({"learner": learn, "bare": step}, seconds, precision.device)
    whole, alone = (spent[name].cpu if precision.device.type == "cpu" else spent[name].wall for name in spent)
    pairs = batch * turns
    return {
        "pairs_per_s": pairs / spent["learner"].wall,
        "pairs_per_core_s": pairs / spent["learner"].cpu,
        "bare_pairs_per_s": pairs / spent["bare"].wall,
        "bare_pairs_per_core_s": pairs / spent["bare"].cpu,
        "ratio": alone / whole,
        "ratio_wall": spent["bare"].wall / spent["learner"].wall,
        "cores": spent["learner"].cpu / spent["learner"].wall,
    }


def _in_turns(
    works: Mapping[str, Callable[[], None]], seconds: float, device: torch.device
) -> tuple[dict[str, Spent], int]:
    """Call functions in turn, after one turn that is not counted; return the time of each, and the number of turns."""

    def complete(work: Callable[[], None]) -> None:
        work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    for work in works.values():
        complete(work)
    spent, turns = {name: Spent() for name in works}, 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or not turns:
        for name, work in works.items():
            spent[name].during(partial(complete, work))
        turns += 1
    return spent, turns


def operations(size: NetworkSize) -> dict[str, int]:
    """Return the floating-point operations of the discard network for one position: `forward`, `training`."""
    with torch.device("meta"):  # torch counts its own operations there, but not those fused for a CPU
        network, planes = PolicyNetwork(MODEL, size), torch.zeros(1, KINDS, PLANES)
    with FlopCounterMode(display=False) as forward, torch.inference_mode():
        network(planes)
    with FlopCounterMode(display=False) as training:
        network(planes).sum().backward()
    return {"forward": forward.get_total_flops(), "training": training.get_total_flops()}


def peak_of(card: str) -> float | None:
    """Return a card's peak operations per second in bfloat16, by its name from `torch.cuda.get_device_name`."""
    words = set(card.upper().replace("-", " ").split())
    return next((peak for names, peak in PEAKS.items() if set(names.split()) <= words), None)


def bench_card(size: NetworkSize, precision: Precision, seconds: float, batch: int) -> dict[str, float]:
    """Measure a GPU: positions answered and pairs learned from per second, and their shares of the card's peak.

    Shares are left out for a card whose peak is unknown.
    """
    answers = bench_inference(size.name, precision, seconds)["inference_per_s"]
    learned = bench_learner(size, precision, seconds, batch, with_critic=False)["pairs_per_s"]
    found = {"inference_per_s": answers, "pairs_per_s": learned}
    peak = peak_of(torch.cuda.get_device_name(precision.device))
    if peak is not None:
        each = operations(size)
        found["inference_share_of_peak"] = answers * each["forward"] / peak
        found["training_share_of_peak"] = learned * each["training"] / peak
    return found
