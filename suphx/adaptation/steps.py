"""Gradient steps on formula 6, with lengths chosen so that the policy moves by a given KL distance.

The paper maximizes the sum over rollouts tau of R(tau) p(tau) / p_o(tau), where p is the policy that adapts and p_o the
original policy, which played. The deal and the other seats' actions are equally likely under both, so the ratio of a
rollout is the product of pi(a|s) / pi_o(a|s) over the seat's own actions. In the first step all ratios are 1. In later
ones the gradient of an action's log-probability is weighted with the ratio of that action alone: leaving out the others
causes a bias of second order in the distance of the policies, but the variance of their product grows exponentially.

A baseline causes no bias if it does not depend on the rollout's own actions: here it is the mean reward of the *other*
rollouts of the same deal, which removes the luck of the deal.
"""

import copy
from collections.abc import Iterable

import numpy as np
import torch
from pydantic import Field
from torch import nn

from suphx.config import Config
from suphx.learning.distributions import divergence, log_probabilities, log_weights
from suphx.learning.experience import microbatches
from suphx.networks.fused import FusedNetwork
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision

#: Most decisions that a distance is measured on; not all are needed, as neighbors within rollouts are alike.
_SAMPLE_SIZE = 2048
#: The length to try first; one is accepted if its distance is between this share of the target and the target.
_FIRST_LENGTH, _NEAR, _TRIES = 1e-3, 0.8, 8


class StepsConfig(Config):
    """The gradient steps on formula 6."""

    blocks: int | None = Field(default=1, ge=0)
    """Adapt the head and this many of the last residual blocks; null for the whole network."""
    steps: int = Field(default=1, ge=1)
    """Number of steps, each over all rollouts."""
    distance: float = Field(default=0.01, gt=0)
    """KL(policy before the steps, policy after them) in nats, averaged over the decisions learned from."""


class LearnedPart:
    """A copy of a network, only part of which learns; the rest is shared with that network."""

    def __init__(self, network: PolicyNetwork, blocks: int | None, precision: Precision) -> None:
        """blocks: how many of the last residual blocks learn, with the head; None for the whole network."""
        if blocks is not None and not 0 <= blocks <= len(network.blocks):
            raise ValueError(f"a network of {len(network.blocks)} blocks has no last {blocks} blocks to learn")
        self.precision = precision
        self._n_fixed = None if blocks is None else len(network.blocks) - blocks
        fixed = [] if self._n_fixed is None else [network.first, *network.blocks[: self._n_fixed]]
        self.network = copy_except(network.to(precision.device), (each for part in fixed for each in part.parameters()))
        self.network.requires_grad_(self._n_fixed is None)
        if self._n_fixed is not None:
            self._last_blocks.requires_grad_(True)
            self.network.head.requires_grad_(True)
        self.parameters = [weight for weight in self.network.parameters() if weight.requires_grad]

    @property
    def _last_blocks(self) -> nn.ModuleList:
        return self.network.blocks[self._n_fixed :]

    def inputs(self, packed: np.ndarray) -> np.ndarray | torch.Tensor:
        """Return the input of `logits` for planes uint64[n, planes]: these, or the output of the fixed blocks."""
        if self._n_fixed is None:
            return packed
        chunks = [packed[rows] for rows in microbatches(len(packed), self.precision)]
        if self.precision.device.type == "cpu":
            fused = FusedNetwork(self.network, self.precision.dtype)
            outputs = [fused.trunk(chunk, self._n_fixed) for chunk in chunks]
        else:
            with torch.inference_mode():
                outputs = [self._fixed(chunk) for chunk in chunks]
        return torch.cat(outputs).clone()

    def _fixed(self, packed: np.ndarray) -> torch.Tensor:
        x = self.network.first_of_packed(packed, self.precision)
        for block in self.network.blocks[: self._n_fixed]:
            x = block(x)
        return x

    def logits(self, inputs: np.ndarray | torch.Tensor) -> torch.Tensor:
        """Return logits f32[n, 34 or 2]; gradients flow to the parameters that learn."""
        if isinstance(inputs, np.ndarray):
            return self.network.of_packed(inputs, self.precision)
        for block in self._last_blocks:
            inputs = block(inputs)
        return self.network.head(inputs.squeeze(-1).transpose(1, 2)).float()


def copy_except(network: PolicyNetwork, shared: Iterable[nn.Parameter]) -> PolicyNetwork:
    """Return a copy of a network that shares some of its weights with it."""
    return copy.deepcopy(network, {id(weight): weight for weight in shared})


def n_shared_blocks(network: PolicyNetwork, other: PolicyNetwork) -> int | None:
    """Return how many first blocks two networks share; None if not even the first layer."""

    def is_shared(one: nn.Module, two: nn.Module) -> bool:
        return all(a is b for a, b in zip(one.parameters(), two.parameters(), strict=True))

    if not is_shared(network.first, other.first):
        return None
    shared = list(map(is_shared, network.blocks, other.blocks))
    return shared.index(False) if False in shared else len(shared)


def advantages(rewards: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return f64[n]: each reward minus the mean of the others in its group; groups i[n]: each of at least two."""
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    sums = np.bincount(group, rewards, len(sizes))
    return rewards - (sums[group] - rewards) / (sizes[group] - 1)


def step(
    network: PolicyNetwork,
    experience: np.ndarray,
    advantage: np.ndarray,
    config: StepsConfig,
    temperature: float,
    precision: Precision,
    seed: int,
) -> PolicyNetwork:
    """Return an adapted copy of a network, or an equal one if there is nothing to learn.

    experience: the decisions of the network. advantage: f64[n], of each action. temperature: sampling temperature of
    the policy that played. seed: random seed for choosing the decisions that distances are measured on.
    """
    if not len(experience) or not np.any(advantage):
        return copy_except(network, network.parameters())
    part = LearnedPart(network, config.blocks, precision)
    ascent = _Ascent(part, experience, advantage, temperature, seed)
    for number in range(1, config.steps + 1):
        ascent.step(config.distance * (number / config.steps) ** 2)
    return part.network.requires_grad_(False)


class _Ascent:
    """Gradient ascent from a starting point."""

    def __init__(
        self, part: LearnedPart, experience: np.ndarray, advantage: np.ndarray, temperature: float, seed: int
    ) -> None:
        self._part, self._temperature, self._precision = part, temperature, part.precision
        self._inputs = part.inputs(np.ascontiguousarray(experience["planes"]))
        device = part.precision.device
        self._legal = torch.from_numpy(np.array(experience["legal"])).to(device)
        self._action = torch.from_numpy(experience["action"].astype(np.int64)).to(device)
        self._advantage = torch.from_numpy(advantage).float().to(device)
        self._log_probability = torch.from_numpy(experience["log_probability"].copy()).to(device)
        self._chunks = microbatches(len(experience), self._precision)
        self._sample = np.sort(np.random.default_rng(seed).permutation(len(experience))[:_SAMPLE_SIZE])
        with torch.inference_mode():
            self._start = self._log_policy_sample()
        self._length: float | None = None

    def _log_policy(self, rows: slice | np.ndarray) -> torch.Tensor:
        return log_probabilities(self._part.logits(self._inputs[rows]) / self._temperature, self._legal[rows])

    def _log_policy_sample(self) -> torch.Tensor:
        chunks = microbatches(len(self._sample), self._precision)
        return torch.cat([self._log_policy(self._sample[rows]) for rows in chunks])

    def _log_taken(self, rows: slice) -> torch.Tensor:
        """Return log pi f32[n] of the actions taken."""
        return self._log_policy(rows).gather(1, self._action[rows, None]).squeeze(1)

    def _distance(self) -> float:
        """Return KL(start, adapted) in nats."""
        with torch.inference_mode():
            return float(divergence(self._start, self._log_policy_sample()).mean())

    def step(self, distance: float) -> None:
        """Take one gradient step, to this KL distance from the start."""
        direction = self._gradient()
        start = [weight.detach().clone() for weight in self._part.parameters]
        length = self._length or _FIRST_LENGTH
        for _ in range(_TRIES):
            self._move(start, direction, length)
            reached = self._distance()
            if _NEAR * distance <= reached <= distance:
                break
            factor = (0.95 * distance / reached) ** 0.5 if reached > 0 else 10.0
            length *= min(max(factor, 0.1), 10.0)
        else:
            while self._distance() > distance:
                length /= 2
                self._move(start, direction, length)
        self._length = length

    @torch.no_grad()
    def _move(self, start: list[torch.Tensor], direction: list[torch.Tensor], length: float) -> None:
        for weight, at, along in zip(self._part.parameters, start, direction, strict=True):
            weight.copy_(at + length * along)

    def _gradient(self) -> list[torch.Tensor]:
        """Return the gradient of formula 6 for the weights that learn, as a mean over actions."""
        weighted = self._advantage
        if self._length is not None:
            with torch.inference_mode():
                taken = torch.cat([self._log_taken(rows) for rows in self._chunks])
            weighted = log_weights(taken, self._log_probability).exp() * weighted
        for rows in self._chunks:
            ((weighted[rows] * self._log_taken(rows)).sum() / len(self._log_probability)).backward()
        gradient = [torch.zeros_like(each) if each.grad is None else each.grad for each in self._part.parameters]
        for weight in self._part.parameters:
            weight.grad = None
        return gradient


def interpolate(original: PolicyNetwork, adapted: PolicyNetwork, share: float) -> PolicyNetwork:
    """Return the network this share of the way from the original to the adapted one; shared weights stay shared."""
    pairs = zip(original.parameters(), adapted.parameters(), strict=True)
    network = copy_except(original, [weight for weight, end in pairs if weight is end])
    with torch.no_grad():
        for weight, end in zip(network.parameters(), adapted.parameters(), strict=True):
            if weight is not end:
                weight.lerp_(end.to(weight.device), share)
    return network
