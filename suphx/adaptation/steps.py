"""Gradient steps on formula 6, with lengths chosen so that the policy moves by a given KL distance."""

from __future__ import annotations

import numpy as np
import torch

from suphx.adaptation.config import StepsConfig
from suphx.adaptation.learned_part import LearnedPart, Stems, copy_but
from suphx.adaptation.objective import ratios, surrogate
from suphx.learning.experience import microbatches
from suphx.learning.policy_gradient import divergence, legal_answers, log_probabilities
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import OUTPUTS

#: Most questions that a distance is measured on; not all are needed, as neighbours within rollouts are alike.
_MEASURED = 2048
#: A step's length is accepted if its distance is between this share of the target and the target; and most tries.
_NEAR, _TRIES = 0.8, 8
#: Adam's usual constants.
_BETA, _BETA_SQUARE, _EPSILON = 0.9, 0.999, 1e-8


def step(
    network: PolicyNetwork,
    experience: np.ndarray,
    advantage: np.ndarray,
    config: StepsConfig,
    temperature: float,
    precision: Precision,
    seed: int,
    stems: Stems | None = None,
) -> PolicyNetwork:
    """Return an adapted copy of a network, or an equal one if there is nothing to learn.

    experience: the questions to the network, ordered by rollout and time. advantage: f64[n], of each answer.
    temperature: sampling temperature of the policy that played. seed: random seed for choosing the questions that
    distances are measured on. stems: cache for these questions to this network, if it learns from them in several ways.
    """
    rows = np.arange(len(experience))
    if config.first_answers is not None:
        rows = np.flatnonzero(experience["place"] < config.first_answers)
    if not len(rows) or not np.any(advantage):
        return copy_but(network, network.parameters())
    part = LearnedPart(network, config.blocks, precision)
    inputs = (stems or Stems()).inputs(part, np.ascontiguousarray(experience["planes"]))
    if len(rows) < len(experience):
        experience, inputs, advantage = experience[rows], inputs[rows], advantage[rows]
    climb = _Climb(part, inputs, experience, advantage, config, temperature, seed)
    for number in range(1, config.steps + 1):
        climb.step(config.distance * (number / config.steps) ** 2)
    return climb.part.network.requires_grad_(False)


class _Climb:
    """The state of an optimisation: weights that move away from their starting point."""

    def __init__(
        self,
        part: LearnedPart,
        inputs: np.ndarray | torch.Tensor,
        experience: np.ndarray,
        advantage: np.ndarray,
        config: StepsConfig,
        temperature: float,
        seed: int,
    ) -> None:
        self._config, self._temperature, self._precision = config, temperature, part.precision
        self.part, self._inputs = part, inputs
        device = part.precision.device
        self._legal = torch.from_numpy(legal_answers(experience["legal"], OUTPUTS[part.network.model])).to(device)
        self._answer = torch.from_numpy(experience["answer"].astype(np.int64)).to(device)
        self._path = torch.from_numpy(experience["path"].astype(np.int64)).to(device)
        self._advantage = torch.from_numpy(advantage).float().to(device)
        self._played = torch.from_numpy(experience["log_probability"].copy()).to(device)
        chosen = np.random.default_rng(seed).permutation(len(experience))[:_MEASURED]
        self._measured = np.sort(chosen)
        with torch.inference_mode():
            self._start = self._log_policy_of(self._measured)
        self._moments: tuple[list[torch.Tensor], list[torch.Tensor]] | None = None
        self._steps = 0
        self._length = 1e-3

    def _log_policy(self, rows: slice | np.ndarray) -> torch.Tensor:
        logits = self.part.logits(self._inputs[rows]) / self._temperature
        return log_probabilities(logits, self._legal[rows])

    def _log_policy_of(self, which: np.ndarray) -> torch.Tensor:
        return torch.cat([self._log_policy(which[rows]) for rows in microbatches(len(which), self._precision)])

    def _taken(self, rows: slice) -> torch.Tensor:
        """Return log pi f32[n] of the answers taken."""
        return self._log_policy(rows).gather(1, self._answer[rows, None]).squeeze(1)

    def distance(self) -> float:
        """Return KL(start, adapted) in nats."""
        with torch.inference_mode():
            return float(divergence(self._start, self._log_policy_of(self._measured)).mean())

    def step(self, distance: float) -> None:
        """Take one gradient step, to this KL distance from the start."""
        self._gradient()
        start = [weight.detach().clone() for weight in self.part.parameters]
        direction = self._direction()
        for weight in self.part.parameters:
            weight.grad = None
        for _ in range(_TRIES):
            self._go(start, direction, self._length)
            found = self.distance()
            if _NEAR * distance <= found <= distance:
                return
            factor = (0.95 * distance / found) ** 0.5 if found > 0 else 10.0
            self._length *= min(max(factor, 0.1), 10.0)
        while self.distance() > distance:
            self._length /= 2
            self._go(start, direction, self._length)

    @torch.no_grad()
    def _go(self, start: list[torch.Tensor], direction: list[torch.Tensor], length: float) -> None:
        for weight, at, along in zip(self.part.parameters, start, direction, strict=True):
            weight.copy_(at + length * along)

    def _gradient(self) -> None:
        """Compute the gradient of formula 6, as a mean over answers."""
        weight = torch.ones_like(self._played)
        if self._steps:
            with torch.inference_mode():
                taken = torch.cat([self._taken(rows) for rows in microbatches(len(self._played), self._precision)])
            weight = ratios(taken - self._played, self._path, self._config.form)
        for rows in microbatches(len(self._played), self._precision):
            gain = surrogate(self._taken(rows), weight[rows], self._advantage[rows])
            (gain / len(self._played)).backward()
        self._steps += 1

    def _gradients(self) -> list[torch.Tensor]:
        return [torch.zeros_like(each) if each.grad is None else each.grad for each in self.part.parameters]

    def _direction(self) -> list[torch.Tensor]:
        gradients = self._gradients()
        if self._config.optimizer == "gradient":
            return gradients
        first, second = self._moments or ([torch.zeros_like(each) for each in gradients],) * 2
        first = [_BETA * old + (1 - _BETA) * new for old, new in zip(first, gradients, strict=True)]
        second = [
            _BETA_SQUARE * old + (1 - _BETA_SQUARE) * new.square() for old, new in zip(second, gradients, strict=True)
        ]
        self._moments = first, second
        unbiased, squares = 1 - _BETA**self._steps, 1 - _BETA_SQUARE**self._steps
        return [
            (mean / unbiased) / ((square / squares).sqrt() + _EPSILON)
            for mean, square in zip(first, second, strict=True)
        ]


def between(original: PolicyNetwork, adapted: PolicyNetwork, share: float) -> PolicyNetwork:
    """Return the network whose weights lie this share of the way from the original's to the adapted one's.

    What these share, it shares with them.
    """
    pairs = zip(original.parameters(), adapted.parameters(), strict=True)
    found = copy_but(original, [weight for weight, end in pairs if weight is end])
    with torch.no_grad():
        for weight, end in zip(found.parameters(), adapted.parameters(), strict=True):
            if weight is not end:
                weight.lerp_(end.to(weight.device), share)
    return found
