"""The optimizer of all networks: AdamW, or Muon for convolutions and AdamW for the rest.

Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon) replaces the momentum of a weight matrix by approximately
the nearest orthogonal matrix, so that a step moves equally far in all of its directions. In supervised training it
gains two percentage points of discard accuracy at a small number of steps (docs/results.md).
"""

import math
from collections import defaultdict
from collections.abc import Mapping

import torch
from torch import nn

from suphx.checkpoint import joined, tensors_below
from suphx.learning.peers import Peers

#: Coefficients and number of Newton-Schulz iterations, as published.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ITERATIONS = 5
_MOMENTUM = 0.95
#: An orthogonal step times this x sqrt(longer side) is about as large as AdamW's (Liu et al. 2025, arXiv:2502.16982).
_LIKE_ADAMW = 0.2
#: Advice: a checkpoint can only be resumed with its own configuration, so another learning rate needs another run.
ANOTHER_RUN = "Start another run from the last good agent (--set start=FOLDER, another name)"


class LearningDiverged(RuntimeError):
    """A step gave metrics that are not finite. It was not taken, so the weights are those of the step before."""

    def __init__(self, model: str, step: int, metrics: Mapping[str, float]) -> None:
        """metrics: those of the step, some of which are not finite."""
        super().__init__(model, step, dict(metrics))  # what another process makes it from again

    def __str__(self) -> str:
        model, step, metrics = self.args
        bad = ", ".join(f"{name} {value}" for name, value in metrics.items() if not abs(value) < float("inf"))
        return (
            f"{model}: step {step + 1} was not taken: {bad}. {ANOTHER_RUN}, with a lower learning rate, or look for "
            "rewards and log-probabilities that are no numbers."
        )


def orthogonal(matrices: torch.Tensor) -> torch.Tensor:
    """Return matrices [..., a, b] with singular values brought near 1 (0.7 to 1.2) by Newton-Schulz iteration."""
    one, three, five = _COEFFICIENTS
    x = matrices.bfloat16()
    turned = x.shape[-2] > x.shape[-1]
    if turned:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        gram = x @ x.mT
        x = one * x + (three * gram + five * gram @ gram) @ x
    return (x.mT if turned else x).to(matrices.dtype)


class Optimizer:
    """Updates a network's weights from their gradients."""

    def __init__(
        self,
        network: nn.Module,
        learning_rate: float,
        weight_decay: float,
        muon: bool,
        other_rate: float | None = None,
        max_grad_norm: float = math.inf,
        faster: tuple[torch.Tensor, float] | None = None,
    ) -> None:
        """muon: use it for convolutions. other_rate: learning rate of the other weights, if another one.

        max_grad_norm: maximum norm of the gradient, over all weights together. faster: a view of some of the weights
        that learn at another rate, and the factor on the rate.
        """
        self._faster = faster
        named = dict(network.named_parameters())
        self._convolutions = {name: weight for name, weight in named.items() if muon and weight.ndim == 4}
        self._momentum = {name: torch.zeros_like(weight) for name, weight in self._convolutions.items()}
        others = [weight for name, weight in named.items() if name not in self._convolutions]
        self._rate, self._other_rate = learning_rate, learning_rate if other_rate is None else other_rate
        self._adamw = torch.optim.AdamW(others, lr=self._other_rate, weight_decay=weight_decay, fused=True)
        self._weights: list[torch.Tensor] = list(named.values())
        self._decay, self._longest = weight_decay, max_grad_norm
        self.steps = 0

    def divide_gradients(self, by: float, peers: Peers) -> float:
        """Turn summed gradients into means over `by` decisions, clip them, and return the norm before clipping."""
        gradients = [weight.grad for weight in self._weights if weight.grad is not None]
        peers.add_up(gradients)
        for gradient in gradients:
            gradient.div_(by)
        return float(nn.utils.clip_grad_norm_(self._weights, self._longest))

    def signal_share(self) -> float:
        """Return the share of this gradient g predicted by the mean m of earlier ones: <g, m> / <g, g>; at first 0.

        If each decision is learned from once, the noise in a gradient is independent of earlier gradients. The mean of
        this metric over many steps is then the signal's share of the squared gradient: 1 / (1 + gradient noise scale),
        with the noise scale of McCandlish et al. 2018 (arXiv:1812.06162) in batches. m is the optimizer's own moving
        average, over about ten steps (Muon: 20).
        """
        if not self.steps:
            return 0.0
        so_far = 1 - _MOMENTUM**self.steps
        means = {weight: self._momentum[name] / so_far for name, weight in self._convolutions.items()}
        (group,) = self._adamw.param_groups
        for weight in group["params"]:
            means[weight] = self._adamw.state[weight]["exp_avg"] / (1 - group["betas"][0] ** self.steps)
        products = []
        for weight, mean in means.items():
            assert weight.grad is not None
            products.append(torch.stack([(weight.grad * mean).sum(), (weight.grad**2).sum()]))
        predicted, squared = torch.stack(products).sum(dim=0).tolist()
        return predicted / squared if squared else 0.0

    def step(self, factor: float = 1.0) -> None:
        """Take a step at the learning rates x factor, and clear the gradients."""
        before = self._faster[0].clone() if self._faster else None
        self._adamw.param_groups[0]["lr"] = self._other_rate * factor
        self._adamw.step()
        if self._convolutions:
            self._muon_step(self._rate * factor)
        if self._faster is not None and before is not None:
            part, times = self._faster
            part.sub_(before).mul_(times).add_(before)
        self.steps += 1
        self.clear()

    @torch.no_grad()
    def _muon_step(self, rate: float) -> None:
        """Update the convolutions, [filters, channels, h, w], and their momentum; those of a shape together."""
        alike: dict[torch.Size, list[tuple[torch.Tensor, torch.Tensor]]] = defaultdict(list)
        for name, weight in self._convolutions.items():
            assert weight.grad is not None
            momentum = self._momentum[name].lerp_(weight.grad, 1 - _MOMENTUM)
            alike[weight.shape].append((weight, weight.grad.lerp_(momentum, _MOMENTUM)))  # Nesterov momentum
        for shape, pairs in alike.items():
            rows = torch.stack([ahead.permute(0, 2, 3, 1).reshape(len(ahead), -1) for _, ahead in pairs])  # by filter
            length = rate * _LIKE_ADAMW * max(rows.shape[1:]) ** 0.5
            for (each, _), change in zip(pairs, orthogonal(rows), strict=True):
                each.mul_(1 - rate * self._decay)
                each.add_(change.view(shape[0], *shape[2:], -1).permute(0, 3, 1, 2), alpha=-length)

    def clear(self) -> None:
        """Clear the gradients."""
        for weight in self._weights:
            weight.grad = None

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return what a resumed run needs besides the number of steps, by name; empty before the first step."""
        if not self.steps:
            return {}
        adamw = {f"adamw.{number}": each for number, each in self._adamw.state_dict()["state"].items()}
        return joined({"momentum": self._momentum} | adamw)

    def load_tensors(self, tensors: dict[str, torch.Tensor], steps: int) -> None:
        """Resume from what `tensors` returned after `steps` steps; raises KeyError if something is missing."""
        self.steps = steps
        if not steps:
            return
        for name, each in self._momentum.items():
            each.copy_(tensors[f"momentum.{name}"])
        state = {}
        for number, each in enumerate(self._adamw.param_groups[0]["params"]):
            saved = tensors_below(tensors, f"adamw.{number}.")
            # A moment must have its weight's memory layout: the fused step walks by address.
            moments = {name: torch.empty_like(each).copy_(saved[name]) for name in ("exp_avg", "exp_avg_sq")}
            state[number] = {"step": saved["step"].clone(), **moments}
        self._adamw.load_state_dict(self._adamw.state_dict() | {"state": state})
