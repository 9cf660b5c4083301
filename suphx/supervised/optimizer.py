"""The optimizer of supervised training: a learning rate that rises and falls, and a moving average of the weights."""

import copy
from typing import Generic, TypeVar

import torch

from suphx.learning.optimizer import Optimizer
from suphx.networks.policy import Network
from suphx.supervised.config import Schedule

_AVERAGE_START = 10  # makes the average forget the first steps sooner

T = TypeVar("T", bound=Network)


def rate_at(config: Schedule, share: float) -> float:
    """Return the factor on the learning rate after a share (0 to 1) of the pairs: it rises, stays at 1, falls to 0."""
    up = 1.0 if config.warmup == 0 else min(1.0, share / config.warmup)
    return up * min(1.0, (1 - share) / config.decay)


class AveragingOptimizer(Optimizer, Generic[T]):
    """Updates a network's weights from their gradients and maintains their moving average."""

    def __init__(self, network: T, config: Schedule, learning_rate: float) -> None:
        """learning_rate: peak rate of convolutions, or of all weights with AdamW alone."""
        muon = config.optimizer == "muon"
        super().__init__(
            network, learning_rate, config.weight_decay, muon, config.other_learning_rate if muon else None
        )
        self.network = network
        self._config, self._peak = config, learning_rate
        self.average: T = copy.deepcopy(network).requires_grad_(False)
        self._averages: list[torch.Tensor] = list(self.average.parameters())

    def step_at(self, share: float) -> float:
        """Take a step at the rate for this share of the pairs and clear the gradients; return the convolution rate."""
        factor = rate_at(self._config, share)
        self.step(factor)
        decay = min(1 - 1 / self._config.average_steps, self.steps / (self.steps + _AVERAGE_START))
        with torch.no_grad():
            torch._foreach_lerp_(self._averages, self._weights, 1 - decay)
        return self._peak * factor

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return everything needed to resume, by name."""
        return super().tensors() | {f"average.{name}": each for name, each in self.average.state_dict().items()}

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume from what `tensors` returned after `steps` steps; raises KeyError if something is missing."""
        super().load_tensors(tensors, steps)
        self.average.load_state_dict({name: tensors[f"average.{name}"] for name in self.average.state_dict()})
