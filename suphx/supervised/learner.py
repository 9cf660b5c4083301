"""Supervised training steps: a network with its optimiser, and replicas of both that train in parallel."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

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


class Replicas:
    """Copies of a learner that each train on a part of every chunk, in their own thread, and are then averaged.

    Everything is averaged, including the optimiser's moments (local steps, Stich 2019, arXiv:1805.09767), so that
    between chunks there is a single state, whatever the number of copies.
    """

    def __init__(self, learner: Learner, copies: int) -> None:
        """copies: number of learners, including the given one."""
        self.first = learner
        self._all = [learner, *(copy.deepcopy(learner) for _ in range(copies - 1))]
        self._pool = ThreadPoolExecutor(copies, initializer=torch.set_num_threads, initargs=(1,))

    def learn(self, chunk: Chunk, first: float, last: float) -> Learned:
        """Learn from a chunk as `Learner.learn` does."""
        if len(self._all) == 1 or len(chunk.answers) < len(self._all):
            return self.first.learn(chunk, first, last)
        parts = np.array_split(np.arange(len(chunk.answers)), len(self._all))
        work = [
            self._pool.submit(each.learn, Chunk(chunk.planes[rows], chunk.answers[rows]), first, last)
            for each, rows in zip(self._all, parts, strict=True)
        ]
        found = [each.result() for each in work]
        self._average()
        return Learned(
            loss=float(np.mean([each.loss for each in found])),
            accuracy=float(np.mean([each.accuracy for each in found])),
            rate=found[0].rate,
            pairs=sum(each.pairs for each in found),
            steps=found[0].steps,
        )

    @torch.no_grad()
    def _average(self) -> None:
        states = [each.tensors() for each in self._all]
        for name in states[0]:
            mean = torch.stack([state[name] for state in states]).mean(dim=0)
            for state in states:
                state[name].copy_(mean)

    def set(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume every copy from the tensors that `Learner.tensors` returned after `steps` steps."""
        weights = {name.removeprefix("network."): each for name, each in tensors.items() if name.startswith("network.")}
        for each in self._all:
            each.network.load_state_dict(weights)
            each.optimizer.load_tensors(tensors, steps)
