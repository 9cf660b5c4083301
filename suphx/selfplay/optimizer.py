"""The step of self-play's networks: AdamW or Muon at a level rate, with a bound on the gradient."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from suphx.selfplay.peers import Peers
from suphx.supervised.optimizer import MOMENTUM, adamw_tensors, load_adamw_tensors, muon_step


@dataclass(frozen=True)
class Faster:
    """The last planes that a network sees learn faster than the rest of it."""

    weight: torch.Tensor
    """Of the first layer, [filters, planes, ...]."""
    planes: int
    """How many."""
    factor: float
    """Of the learning rate."""

    @property
    def part(self) -> torch.Tensor:
        """What stands in the weight for those planes."""
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
        """gradient_norm: longest gradient, over all weights together. muon: for convolutions, instead of AdamW."""
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
        """Make sums of gradients means, shorten them to the bound, and return the norm that they had before.

        by: questions of the whole step. peers: those who share it.
        """
        gradients = [weight.grad for weight in self._weights if weight.grad is not None]
        peers.add_up(gradients)
        for gradient in gradients:
            gradient.div_(by)
        return float(nn.utils.clip_grad_norm_(self._weights, self._longest))

    def found_again(self) -> float:
        """Return the share of this gradient that the mean of those before has foretold: <g, m> / <g, g>; at first 0.

        Where questions are learned from once, what chance does to a gradient is not in those before it, so the mean of
        this over many steps is the signal's share of a squared gradient: one over 1 + the gradient noise scale of
        McCandlish et al. 2018 (arXiv:1812.06162), in batches. m is the optimiser's own, over some ten steps (Muon: 20).
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
        """Take a step at the learning rate x factor, and clear gradients."""
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
        """Forget gradients."""
        for weight in self._weights:
            weight.grad = None

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return what a later run needs besides the number of steps, by name; nothing before the first step."""
        if not self.steps:
            return {}
        return {f"momentum.{name}": each for name, each in self._momentum.items()} | adamw_tensors(self._adamw)

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Go on from what `tensors` returned after `steps` steps; raises KeyError for what is missing."""
        self.steps = steps
        if steps:
            for name, each in self._momentum.items():
                each.copy_(tensors[f"momentum.{name}"])
            load_adamw_tensors(self._adamw, tensors)
