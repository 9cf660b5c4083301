"""The natural gradient of the discard network's head: steps that are alike in what they change, not in its numbers.

The head gives kind a the logit w . x_a, x_a being the trunk's features there. With the mean x of the features under the
policy, KL(w, w + d) is half of d F d up to second order, where F is the mean over questions of
sum_a pi(a) (x_a - x)(x_a - x)'. Along F^-1 g a given distance gains most; along g itself the features that vary most
take nearly all of it (Amari 1998).
"""

from __future__ import annotations

import torch

#: What is added to F's diagonal, as a share of its mean: directions that hardly change anything are not trusted.
DAMPING = 0.03


def information(features: torch.Tensor, log_policy: torch.Tensor) -> torch.Tensor:
    """Return F f32[filters, filters], summed over questions.

    features: [n, filters, 34], what goes into the head. log_policy: f32[n, 34], -inf for what is not possible.
    """
    rows, share = features.float().transpose(1, 2), log_policy.exp()
    centred = rows - (share[:, :, None] * rows).sum(dim=1, keepdim=True)
    weighted = (centred * share.sqrt()[:, :, None]).flatten(0, 1)
    return weighted.t() @ weighted


def natural(gradient: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """Return F^-1 g, shaped as the gradient; matrix: F, as a mean over questions."""
    damped = matrix + DAMPING * matrix.diagonal().mean() * torch.eye(len(matrix), device=matrix.device)
    return torch.linalg.solve(damped, gradient.flatten()).reshape(gradient.shape)
