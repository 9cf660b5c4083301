"""The optimiser of self-play's networks: AdamW or Muon without a schedule, with a bound on the gradient's norm."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from suphx.learning.peers import Peers
from suphx.supervised.optimizer import MOMENTUM, adamw_tensors, load_adamw_tensors, muon_step


@dataclass(frozen=True)
class Faster:
    """The last planes of a network's input, whose weights have a learning rate of their own."""

    weight: torch.Tensor
    """The first layer's weight, [filters, planes, ...]."""
    planes: int
    """Number of such planes."""
    factor: float
    """Factor on the learning rate."""

    @property
    def part(self) -> torch.Tensor:
        """The part of the weight that belongs to those planes."""
        return self.weight.detach()[:, self.weight.shape[1] - self.planes :]


class Optimizer:
    """Updates a network's weights from their gradients."""

    def __init__(
        self,
        network: nn.Module,
        learning_rate: float,
        weight_decay: float,
        gradient_norm: float,
        muon: bool,
        faster: Faster | None = None,
    ) -> None:
        """gradient_norm: maximum norm of the gradient, over all weights together. muon: use it for convolutions."""
        self._faster = faster
        named = dict(network.named_parameters())
        self._convolutions = {name: weight for name, weight in named.items() if muon and weight.ndim == 4}
        self._momentum = {name: torch.zeros_like(weight) for name, weight in self._convolutions.items()}
        others = [weight for name, weight in named.items() if name not in self._convolutions]
        self._adamw = torch.optim.AdamW(others, lr=learning_rate, weight_decay=weight_decay, fused=True)
        self._weights = list(named.values())
        self._rate, self._decay, self._longest = learning_rate, weight_decay, gradient_norm
        self.steps = 0

    def divide_gradients(self, by: float, peers: Peers) -> float:
        """Turn summed gradients into means, clip them to the maximum norm, and return the norm before clipping.

        by: number of questions of the whole step. peers: the processes that share it.
        """
        gradients = [weight.grad for weight in self._weights if weight.grad is not None]
        peers.add_up(gradients)
        for gradient in gradients:
            gradient.div_(by)
        return float(nn.utils.clip_grad_norm_(self._weights, self._longest))

    def found_again(self) -> float:
        """Return the share of this gradient g predicted by the mean m of earlier ones: <g, m> / <g, g>; at first 0.

        If each question is learned from once, the noise in a gradient is independent of earlier gradients. The mean of
        this figure over many steps is then the signal's share of the squared gradient: 1 / (1 + gradient noise scale),
        with the noise scale of McCandlish et al. 2018 (arXiv:1812.06162) in batches. m is the optimiser's own moving
        average, over about ten steps (Muon: 20).
        """
        if not self.steps:
            return 0.0
        so_far = 1 - MOMENTUM**self.steps
        means = {weight: self._momentum[name] / so_far for name, weight in self._convolutions.items()}
        (group,) = self._adamw.param_groups
        for weight in group["params"]:
            means[weight] = self._adamw.state[weight]["exp_avg"] / (1 - group["betas"][0] ** self.steps)
        products = []
        for weight, mean in means.items():
            assert weight.grad is not None
            products.append(torch.stack([(weight.grad * mean).sum(), (weight.grad**2).sum()]))
        foretold, squared = torch.stack(products).sum(dim=0).tolist()
        return foretold / squared if squared else 0.0

    def step(self, factor: float = 1.0) -> None:
        """Take a step at learning rate x factor, and clear the gradients."""
        before = self._faster.part.clone() if self._faster else None
        self._adamw.param_groups[0]["lr"] = self._rate * factor
        self._adamw.step()
        for name, weight in self._convolutions.items():
            muon_step(weight, self._momentum[name], self._rate * factor, self._decay)
        if self._faster is not None and before is not None:
            self._faster.part.sub_(before).mul_(self._faster.factor).add_(before)
        self.steps += 1
        self.clear()

    def clear(self) -> None:
        """Clear the gradients."""
        for weight in self._weights:
            weight.grad = None

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return what a resumed run needs besides the number of steps, by name; empty before the first step."""
        if not self.steps:
            return {}
        return {f"momentum.{name}": each for name, each in self._momentum.items()} | adamw_tensors(self._adamw)

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume from what `tensors` returned after `steps` steps; raises KeyError if something is missing."""
        self.steps = steps
        if steps:
            for name, each in self._momentum.items():
                each.copy_(tensors[f"momentum.{name}"])
            load_adamw_tensors(self._adamw, tensors)
