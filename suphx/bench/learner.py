"""How fast a step of learning is, in turns with bare steps of the same network; on a CPU, ratios are of CPU time."""

import time
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import torch
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from simulator.record import SEATS
from simulator.tiles import KINDS
from suphx.agent.registry import untrained_networks
from suphx.bench.networks import bench_inference
from suphx.bench.selfplay import MODEL, Spent
from suphx.bench.timing import made_up_planes
from suphx.features.layout import ORACLE_PLANES, PLANES
from suphx.learning.config import CriticConfig, LearningConfig
from suphx.learning.experience import experience_dtype, microbatches
from suphx.learning.learner import Learner
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.networks.policy import PolicyNetwork, Trunk, ValueNetwork
from suphx.networks.precision import Precision, keep_memory
from suphx.networks.sizes import NetworkSize

#: Learning rate, so small that networks stay near those that played the made-up decisions.
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


def made_up_decisions(n: int, hidden: int = ORACLE_PLANES) -> np.ndarray:
    """Return n decisions of the learning model, all actions legal, each in a trajectory of its own."""
    generator = np.random.default_rng(0)
    rows = np.zeros(n, experience_dtype(MODEL_PLANES[MODEL], OUTPUTS[MODEL], hidden))
    rows["trajectory"] = np.arange(n)
    rows["planes"], rows["hidden"] = made_up_planes(n, MODEL_PLANES[MODEL]), made_up_planes(n, hidden)
    rows["legal"] = True
    rows["action"] = generator.integers(0, OUTPUTS[MODEL], n)
    rows["log_probability"] = -np.log(OUTPUTS[MODEL])
    return rows


def _played_by(network: PolicyNetwork, decisions: np.ndarray, precision: Precision) -> np.ndarray:
    """Write the log-probabilities of the actions under this network; return the decisions."""
    with torch.inference_mode():
        for rows in microbatches(len(decisions), precision):
            logits = network.of_packed(np.ascontiguousarray(decisions["planes"][rows]), precision)
            log_policy = functional.log_softmax(logits, dim=1).cpu().numpy()
            action = decisions["action"][rows].astype(np.int64)
            decisions["log_probability"][rows] = np.take_along_axis(log_policy, action[:, None], 1)[:, 0]
    return decisions


class _BareStep:
    """Forward, backward and AdamW step of one network, in the same passes as the learner."""

    def __init__(
        self, network: Trunk, planes: np.ndarray, targets: torch.Tensor, loss: Callable, precision: Precision
    ) -> None:
        """planes: uint64[n, planes]. loss: function of outputs and targets [n, ...], summed over rows."""
        self._network = network.to(precision.device)
        self._planes, self._targets, self._loss = planes, targets.to(precision.device), loss
        self._precision = precision
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, fused=True)

    def take(self) -> None:
        for rows in microbatches(len(self._planes), self._precision):
            outputs = self._network.of_packed(self._planes[rows], self._precision)
            self._loss(outputs, self._targets[rows], reduction="sum").backward()
        self._optimizer.step()
        self._optimizer.zero_grad()


def bench_learner(
    size: NetworkSize, precision: Precision, seconds: float, batch: int, with_critic: bool, seed: int = 0
) -> dict[str, float]:
    """Measure the learner's step on a batch of decisions, alternating with the bare step; optionally with a critic.

    seconds: total time. `pairs_per_s`: decisions learned from, with a critic by both. `ratio`: relative to bare steps.
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
    decisions = _played_by(learner.networks[MODEL], made_up_decisions(batch), precision)
    decisions["advantage"] = torch.randn(batch, generator=generator).numpy()
    rewards = torch.randn(batch, SEATS, generator=generator)
    decisions["rewards"] = rewards.numpy()
    fresh, actions = untrained_networks(size, seed)[MODEL], torch.from_numpy(decisions["action"].astype(np.int64))
    bare = [_BareStep(fresh, np.ascontiguousarray(decisions["planes"]), actions, functional.cross_entropy, precision)]
    if with_critic:
        seen = np.concatenate([decisions["planes"], decisions["hidden"]], axis=1)
        bare.append(_BareStep(ValueNetwork(size, seen.shape[1]), seen, rewards, functional.mse_loss, precision))

    def learn() -> None:
        learner.learn(MODEL, decisions, 0)

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
    """Measure a GPU: positions and pairs learned from per second, and their shares of the card's peak, if known."""
    inference = bench_inference(size, precision, seconds)["inference_per_s"]
    learning = bench_learner(size, precision, seconds, batch, with_critic=False)["pairs_per_s"]
    metrics = {"inference_per_s": inference, "pairs_per_s": learning}
    peak = peak_of(torch.cuda.get_device_name(precision.device))
    if peak is not None:
        each = operations(size)
        metrics["inference_share_of_peak"] = inference * each["forward"] / peak
        metrics["training_share_of_peak"] = learning * each["training"] / peak
    return metrics
