"""Supervised training steps: a network with its optimiser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from suphx.checkpoint import tensors_below
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.supervised.config import PretrainConfig
from suphx.supervised.loader import Chunk, legal_discards
from suphx.supervised.optimizer import AveragingOptimizer


@dataclass(frozen=True)
class Learned:
    """The result of some training steps."""

    loss: float
    """Mean over the steps."""
    accuracy: float
    rate: float
    """Learning rate of convolutions at the last step."""
    pairs: int
    steps: int


class Learner:
    """A network and its optimiser."""

    def __init__(
        self, network: PolicyNetwork, config: PretrainConfig, learning_rate: float, precision: Precision
    ) -> None:
        self.network = network
        self.optimizer = AveragingOptimizer(network, config, learning_rate)
        self._batch = config.batch
        self._precision = precision

    def learn(self, chunk: Chunk, first: float, last: float) -> Learned:
        """Take a step for every batch of a chunk, while the completed share of the training goes from first to last."""
        losses, right, rate = [], [], 0.0
        n = len(chunk.answers)
        steps = max(1, round(n / self._batch))
        for rows in np.array_split(np.arange(n), steps):
            start, stop = int(rows[0]), int(rows[-1]) + 1  # slices: a copy would not lie in pinned memory
            loss, good = self._loss(chunk.planes[start:stop], chunk.answers[start:stop])
            loss.backward()
            rate = self.optimizer.step_at(first + (last - first) * start / n)
            losses.append(loss.detach())
            right.append(good)
        return Learned(float(torch.stack(losses).mean()), float(torch.stack(right).mean()), rate, n, steps)

    def _loss(self, packed: np.ndarray, wanted: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        precision = self._precision
        logits = self.network.of_packed(packed, precision)
        if self.network.model == "discard":
            legal = torch.from_numpy(legal_discards(packed)).to(precision.device, non_blocking=True)
            logits = logits.masked_fill(~legal, -torch.inf)
        answers = torch.from_numpy(wanted).to(precision.device, non_blocking=True)
        right = (logits.detach().argmax(dim=1) == answers).float().mean()
        return functional.cross_entropy(logits, answers), right

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the whole state by name; these are the tensors themselves, not copies."""
        weights = {f"network.{name}": each for name, each in self.network.state_dict().items()}
        return weights | self.optimizer.tensors()

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume from what `tensors` returned after `steps` steps."""
        self.network.load_state_dict(tensors_below(tensors, "network."))
        self.optimizer.load_tensors(tensors, steps)
