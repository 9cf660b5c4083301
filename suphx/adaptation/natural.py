"""The natural gradient of the discard network's head: step size measured by the change of the policy, not of weights.

The head gives kind a the logit w . x_a, where x_a are the trunk's features for it. With the mean x of the features
under the policy, KL(w, w + d) is d F d / 2 to second order, where F is the mean over questions of
sum_a pi(a) (x_a - x)(x_a - x)'. For a given KL distance the direction F^-1 g gains most; along g itself the features
with the largest variance use up nearly all of it (Amari 1998). An offset of a kind's logit is one more feature of the
head: 1 for that kind.
"""

from __future__ import annotations

import torch

from simulator.tiles import KINDS

#: Damping added to F's diagonal, as a share of its mean, because directions of hardly any effect are not trusted.
DAMPING = 0.03


def information(features: torch.Tensor, log_policy: torch.Tensor, by_kind: bool = False) -> torch.Tensor:
    """Return F f32[m, m], summed over questions; m: filters, and with `by_kind` 34 more for the offsets of the kinds.

    features: [n, filters, 34], the input of the head. log_policy: f32[n, 34], -inf for illegal answers.
    """
    rows, share = features.float().transpose(1, 2), log_policy.exp()
    if by_kind:
        rows = torch.cat([rows, torch.eye(KINDS, device=rows.device).expand(len(rows), -1, -1)], dim=2)
    centred = rows - (share[:, :, None] * rows).sum(dim=1, keepdim=True)
    weighted = (centred * share.sqrt()[:, :, None]).flatten(0, 1)
    return weighted.t() @ weighted


def natural(gradient: torch.Tensor, matrix: torch.Tensor, filters: int | None = None) -> torch.Tensor:
    """Return F^-1 g f32[m]; gradient: f32[m]. matrix: F, as a mean over questions.

    filters: how many of the m belong to the trunk's features, which are damped apart from the offsets, as their scales
    differ; all by default.
    """
    parts = matrix.diagonal().tensor_split([len(matrix) if filters is None else filters])
    damping = torch.cat([part.mean().expand(len(part)) for part in parts if len(part)])
    return torch.linalg.solve(matrix + DAMPING * torch.diag(damping), gradient)


def without_scale(direction: torch.Tensor, weight: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """Remove from a direction f32[m] the part that only makes the policy more or less confident (orthogonal under F).

    weight: f32[m], the head's weights, 0 beyond its features: moving along it scales all logits alike. Confidence does
    not matter when the likeliest answers are played, but it would use up part of the distance.
    """
    across = matrix @ weight
    size = weight @ across
    return direction - (direction @ across / size) * weight if size > 0 else direction
