"""The optimiser of supervised training: Muon for convolutions (or AdamW for all), a schedule, and weight averaging.

Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon) replaces the momentum of a weight matrix by approximately
the nearest orthogonal matrix, so that a step moves equally far in all of its directions. Here it gains two percentage
points of discard accuracy at a small number of steps (docs/results.md).
"""

from __future__ import annotations

import copy

import torch

from suphx.networks.policy import PolicyNetwork
from suphx.supervised.config import PretrainConfig

#: Coefficients and number of Newton-Schulz iterations, as published.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5
MOMENTUM = 0.95
#: An orthogonal step times this x sqrt(longer side) is about as large as AdamW's (Liu et al. 2025, arXiv:2502.16982).
_LIKE_ADAMW = 0.2
_AVERAGE_START = 10  # makes the average forget the first steps sooner


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """Return a matrix [a, b] with its singular values brought near 1 (0.7 to 1.2) by Newton-Schulz iteration."""
    one, three, five = _COEFFICIENTS
    x = matrix.bfloat16()
    turned = x.shape[0] > x.shape[1]
    if turned:
        x = x.t()
    x = x / (x.norm() + 1e-7)
    for _ in range(_ITERATIONS):
        gram = x @ x.t()
        x = one * x + (three * gram + five * gram @ gram) @ x
    return (x.t() if turned else x).to(matrix.dtype)


@torch.no_grad()
def muon_step(weight: torch.Tensor, momentum: torch.Tensor, rate: float, weight_decay: float) -> None:
    """Update a convolution's weight [filters, channels, h, w] and momentum in place; overwrites the gradient."""
    assert weight.grad is not None
    momentum.lerp_(weight.grad, 1 - MOMENTUM)
    ahead = weight.grad.lerp_(momentum, MOMENTUM)  # Nesterov momentum
    rows = ahead.permute(0, 2, 3, 1).reshape(len(ahead), -1)  # a row for each filter
    change = orthogonal(rows).view(len(ahead), *ahead.shape[2:], -1).permute(0, 3, 1, 2)
    weight.mul_(1 - rate * weight_decay)
    weight.add_(change, alpha=-rate * _LIKE_ADAMW * max(rows.shape) ** 0.5)


def adamw_tensors(adamw: torch.optim.AdamW) -> dict[str, torch.Tensor]:
    """Return AdamW's state for each weight, by name; empty before its first step."""
    states = adamw.state_dict()["state"]
    return {f"adamw.{number}.{name}": each for number, values in states.items() for name, each in values.items()}


def load_adamw_tensors(adamw: torch.optim.AdamW, tensors: dict[str, torch.Tensor]) -> None:
    """Restore the state that `adamw_tensors` returned after at least one step; raises KeyError if one is missing.

    A moment must have the memory layout of its weight: the fused step walks through both by address.
    """
    state = adamw.state_dict()
    weights = adamw.param_groups[0]["params"]
    state["state"] = {}
    for number, weight in enumerate(weights):
        moments = {
            name: torch.empty_like(weight).copy_(tensors[f"adamw.{number}.{name}"])
            for name in ("exp_avg", "exp_avg_sq")
        }
        state["state"][number] = {"step": tensors[f"adamw.{number}.step"].clone(), **moments}
    adamw.load_state_dict(state)


def rate_at(config: PretrainConfig, share: float) -> float:
    """Return the factor on the learning rate after a share (0 to 1) of the pairs: it rises, stays at 1, falls to 0."""
    up = 1.0 if config.warmup == 0 else min(1.0, share / config.warmup)
    return up * min(1.0, (1 - share) / config.decay)


class Optimizer:
    """Updates a network's weights from their gradients and maintains their moving average."""

    def __init__(self, network: PolicyNetwork, config: PretrainConfig, learning_rate: float) -> None:
        """learning_rate: peak rate of convolutions, or of all weights with AdamW alone."""
        named = dict(network.named_parameters())
        self._convolutions = {
            name: weight for name, weight in named.items() if weight.ndim == 4 and config.optimizer == "muon"
        }
        self._momentum = {name: torch.zeros_like(weight) for name, weight in self._convolutions.items()}
        others = [weight for name, weight in named.items() if name not in self._convolutions]
        self._config = config
        self._rate = learning_rate
        self._other_rate = config.other_learning_rate if config.optimizer == "muon" else learning_rate
        self._adamw = torch.optim.AdamW(others, lr=self._other_rate, weight_decay=config.weight_decay, fused=True)
        self._weights: list[torch.Tensor] = list(network.parameters())
        self.average = copy.deepcopy(network).requires_grad_(False)
        self._averages: list[torch.Tensor] = list(self.average.parameters())
        self.steps = 0

    def step(self, share: float) -> float:
        """Take a step at the rate for this share of the pairs and clear the gradients; return the convolution rate."""
        factor = rate_at(self._config, share)
        self._adamw.param_groups[0]["lr"] = self._other_rate * factor
        self._adamw.step()
        for name, weight in self._convolutions.items():
            muon_step(weight, self._momentum[name], self._rate * factor, self._config.weight_decay)
        for each in self._weights:
            each.grad = None
        self.steps += 1
        kept = min(1 - 1 / self._config.average_steps, self.steps / (self.steps + _AVERAGE_START))
        with torch.no_grad():
            torch._foreach_lerp_(self._averages, self._weights, 1 - kept)
        return self._rate * factor

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return everything needed to resume, by name; at least one step must have been taken."""
        found = {f"momentum.{name}": each for name, each in self._momentum.items()}
        found |= {f"average.{name}": each for name, each in self.average.state_dict().items()}
        return found | adamw_tensors(self._adamw)

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume from what `tensors` returned after `steps` steps; raises KeyError if something is missing."""
        self.steps = steps
        for name, each in self._momentum.items():
            each.copy_(tensors[f"momentum.{name}"])
        self.average.load_state_dict({name: tensors[f"average.{name}"] for name in self.average.state_dict()})
        load_adamw_tensors(self._adamw, tensors)
