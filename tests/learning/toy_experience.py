"""Decisions to tiny networks, made by hand: few planes, few answers."""

from __future__ import annotations

import numpy as np
import torch

from simulator.record import SEATS
from simulator.tiles import KINDS
from suphx.learning.distributions import log_probabilities
from suphx.learning.experience import TRAJECTORY, Batch, experience_dtype, input_of
from suphx.networks.convolution import unpack
from suphx.networks.models import OUTPUTS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize

PRECISION = Precision(torch.device("cpu"), torch.float32, 1, "for tests")
TINY = NetworkSize(filters=4, blocks=1)
ALL = np.uint64((1 << KINDS) - 1)


def tiny_network(planes: int, seed: int = 0, size: NetworkSize = TINY, model: str = "discard") -> PolicyNetwork:
    torch.manual_seed(seed)
    return PolicyNetwork(model, size, planes)


def decisions(
    planes: np.ndarray,
    answers: int,
    action: np.ndarray | None = None,
    played: np.ndarray | None = None,
    trajectory: np.ndarray | None = None,
    step: np.ndarray | None = None,
    oracle: np.ndarray | None = None,
    hidden: np.ndarray | None = None,
    model: str = "discard",
) -> np.ndarray:
    """Decisions with the first few answers possible; each a trajectory of its own by default."""
    n = len(planes)
    planes = planes if oracle is None else np.concatenate([planes, oracle], axis=1)
    rows = np.zeros(n, experience_dtype(planes.shape[1], OUTPUTS[model], 0 if hidden is None else hidden.shape[1]))
    rows["planes"], rows["legal"], rows["trajectory"] = planes, np.arange(OUTPUTS[model]) < answers, np.arange(n)
    columns = {"action": action, "log_probability": played, "trajectory": trajectory, "step": step}
    for name, each in (columns | {"hidden": hidden}).items():
        if each is not None:
            rows[name] = each
    return rows


def valued(experience: np.ndarray, advantage: np.ndarray, rewards: np.ndarray | None = None) -> np.ndarray:
    """A minibatch of these decisions, with advantages f32[n] and, where it matters, rewards f32[n, 4]."""
    found = experience.copy()
    found["advantage"] = advantage
    if rewards is not None:
        found["rewards"] = rewards
    return found


def flags(states: np.ndarray, n_states: int, answers: int) -> np.ndarray:
    """Planes of a table: one all-ones plane for the state, and one for each answer that marks its kind."""
    planes = np.zeros((len(states), n_states + answers), np.uint64)
    planes[np.arange(len(states)), states] = ALL
    planes[:, n_states:] = np.uint64(1) << np.arange(answers, dtype=np.uint64)
    return planes


def policy_of(network: PolicyNetwork, planes: np.ndarray, answers: int, oracle: np.ndarray | None = None) -> np.ndarray:
    """f64[n, answers]: the network's probabilities."""
    rows = decisions(planes, answers, oracle=oracle, model=network.model)
    legal = torch.from_numpy(rows["legal"].copy())
    with torch.inference_mode():
        logits = network.of_packed(input_of(rows["planes"], network.planes), PRECISION)
        return log_probabilities(logits, legal)[:, :answers].double().exp().numpy()


def drawn(policy: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """InferenceClient i64[n] drawn from probabilities f64[n, m], and their log-probabilities."""
    below = generator.random(len(policy))[:, None] * policy.sum(axis=1, keepdims=True)
    answer = (policy.cumsum(axis=1) < below).sum(axis=1)
    return answer, np.log(policy[np.arange(len(policy)), answer])


def rounds(experience: dict[str, np.ndarray], rewards: np.ndarray, version: int = 0) -> Batch:
    """A batch whose trajectories have these rewards f32[n], each of a round's first seat; the others get nothing.

    f32[n, 4]: of all four seats, each round with trajectories of all.
    """
    trajectories = np.zeros(rewards.size, TRAJECTORY)
    trajectories["rewards"][:, 0], trajectories["version"] = rewards.reshape(-1), version
    trajectories["game"] = np.arange(rewards.size)
    if rewards.ndim == 2:
        trajectories["game"], trajectories["seat"] = np.divmod(trajectories["game"], SEATS)
        for seat in range(SEATS):
            trajectories["rewards"][seat::SEATS] = np.roll(rewards, -seat, axis=1)
    return Batch(trajectories, {model: each.copy() for model, each in experience.items()}).fill()


def random_planes(n: int, planes: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1 << KINDS, (n, planes), dtype=np.uint64)


def as_input(packed: np.ndarray) -> torch.Tensor:
    return unpack(packed, torch.float32, torch.device("cpu"))
