"""The natural gradient of the discard network's head: steps that are alike in what they change, not in its numbers.

The head gives kind a the logit w . x_a, x_a being the trunk's features there. With the mean x of the features under the
policy, KL(w, w + d) is half of d F d up to second order, where F is the mean over questions of
sum_a pi(a) (x_a - x)(x_a - x)'. Along F^-1 g a given distance gains most; along g itself the features that vary most
take nearly all of it (Amari 1998). A logit of each kind's own is one more feature of the head: 1 for that kind.
"""

from __future__ import annotations

import torch

from simulator.tiles import KINDS

#: What is added to F's diagonal, as a share of its mean: directions that hardly change anything are not trusted.
DAMPING = 0.03


def information(features: torch.Tensor, log_policy: torch.Tensor, by_kind: bool = False) -> torch.Tensor:
    """Return F f32[m, m], summed over questions; m: filters, and with `by_kind` 34 more, of each kind's own logit.

    features: [n, filters, 34], what goes into the head. log_policy: f32[n, 34], -inf for what is not possible.
    """
    rows, share = features.float().transpose(1, 2), log_policy.exp()
    if by_kind:
        rows = torch.cat([rows, torch.eye(KINDS, device=rows.device).expand(len(rows), -1, -1)], dim=2)
    centred = rows - (share[:, :, None] * rows).sum(dim=1, keepdim=True)
    weighted = (centred * share.sqrt()[:, :, None]).flatten(0, 1)
    return weighted.t() @ weighted


def natural(gradient: torch.Tensor, matrix: torch.Tensor, filters: int | None = None) -> torch.Tensor:
    """Return F^-1 g f32[m]; gradient: f32[m]. matrix: F, as a mean over questions.

    filters: how many of the m belong to features, whose sizes are not those of the others; all of them by default.
    """
    parts = matrix.diagonal().tensor_split([len(matrix) if filters is None else filters])
    damping = torch.cat([part.mean().expand(len(part)) for part in parts if len(part)])
    return torch.linalg.solve(matrix + DAMPING * torch.diag(damping), gradient)


def without_scale(direction: torch.Tensor, weight: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """Return the part of a direction f32[m] that does not make the policy surer or less sure, as F measures angles.

    weight: f32[m], the head's, 0 beyond its features: all logits grow along it alike. Being surer changes nothing where
    likeliest answers are played, but it takes a share of the distance.
    """
    across = matrix @ weight
    size = weight @ across
    return direction - (direction @ across / size) * weight if size > 0 else direction
