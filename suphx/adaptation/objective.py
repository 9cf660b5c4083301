"""Formula 6 and its gradient, on the questions of rollouts.

The paper maximises the sum over rollouts tau of R(tau) p(tau) / p_o(tau), where p is the policy that adapts and p_o the
original policy, which played. The deal and the other seats' actions are equally likely under both, so the ratio of a
rollout is the product of pi(a|s) / pi_o(a|s) over the seat's own answers. There are two forms:

- `rollout`, the formula as it stands: the gradient of an answer's log-probability is weighted with the product of all
  ratios of its rollout, whose variance grows exponentially with the number of answers.
- `decision`, with the ratio of that answer alone. Leaving out the others causes a bias of second order in the distance
  of the policies, but much less variance. While the policy is still the original one, both forms are the same.

A baseline causes no bias if it does not depend on the rollout's own answers: here it is the mean reward of the *other*
rollouts, either of all deals or of the same deal, which also removes the luck of the deal.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch

from suphx.learning.policy_gradient import LARGEST_LOG_WEIGHT

Form = Literal["decision", "rollout"]


def advantages(rewards: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return f64[n]: each rollout's reward minus the mean reward of the others in its group.

    rewards: f64[n]; groups: integer[n]. Raises ValueError for a group with a single rollout.
    """
    _, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) and sizes.min() < 2:
        raise ValueError("a rollout that is alone in its group has no baseline")
    sums = np.bincount(group, rewards, len(sizes))
    return rewards - (sums[group] - rewards) / (sizes[group] - 1)


def ratios(log_ratio: torch.Tensor, path: torch.Tensor, form: Form) -> torch.Tensor:
    """Return f32[n]: the importance weight of each answer, by form; no gradient flows through it.

    log_ratio: f32[n], log pi - log pi_o of the answers taken. path: i64[n], the rollout that each belongs to; form
    `rollout` needs all answers of each rollout.
    """
    log_weight = log_ratio.detach()
    if form == "rollout":
        of_rollout = log_weight.new_zeros(int(path.max()) + 1 if len(path) else 0)
        log_weight = of_rollout.index_add_(0, path, log_weight)[path]
    return log_weight.clamp(max=LARGEST_LOG_WEIGHT).exp()


def surrogate(log_policy: torch.Tensor, weight: torch.Tensor, advantage: torch.Tensor) -> torch.Tensor:
    """Return a surrogate objective whose gradient is that of formula 6, summed over the given answers.

    log_policy: f32[n], log pi of the answers taken. weight: f32[n] as from `ratios`. advantage: f32[n], that of each
    answer's rollout. Values for parts of the answers add up.
    """
    return (weight * advantage * log_policy).sum()
