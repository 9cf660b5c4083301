"""Policy gradient with importance weights (formulas 1 and 2), question by question.

Whoever steps adds the terms up: sum over kept questions of gain + alpha x entropy - coefficient x divergence. A
question's terms depend on nothing else in its batch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

#: Importance weights are cut off here, far above any that is kept: an infinite one would make a zero gradient NaN.
LARGEST_LOG_WEIGHT = 20.0


@dataclass(frozen=True)
class Terms:
    """What each question contributes; gradients flow through `gain` and `entropy`."""

    gain: torch.Tensor
    """f32[n]: importance weight x advantage (formula 1), or PPO's lower bound of it"""
    entropy: torch.Tensor
    """f32[n]: of the policy over possible answers, nats"""
    weight: torch.Tensor
    """f32[n]: importance weight of the answer taken, policy / policy that played; no gradient"""
    kept: torch.Tensor
    """bool[n]: not rejected for too high a weight"""
    clipped: torch.Tensor
    """bool[n]: the clip took its gradient away"""
    behaviour_kl: torch.Tensor
    """f32[n]: weight - 1 - log(weight), at least 0; its mean over what was played is KL(policy that played, policy)"""


def legal_answers(legal: np.ndarray, answers: int) -> np.ndarray:
    """Return bool[n, answers] for the bits of uint64[n]."""
    return (legal[:, None] >> np.arange(answers, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)


def log_probabilities(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return log pi f32[n, m] of possible answers, -inf for the others; logits f32[n, m], legal bool[n, m]."""
    return logits.masked_fill(~legal, -torch.inf).log_softmax(dim=1)


def terms_of(
    log_policy: torch.Tensor,
    answer: torch.Tensor,
    played: torch.Tensor,
    advantage: torch.Tensor,
    highest_weight: float,
    clip: float | None = None,
) -> Terms:
    """Return each question's terms.

    log_policy: f32[n, m] of `log_probabilities`. answer: i64[n], what was answered, which was possible. played: f32[n],
    log-probability of that under the policy that played. advantage: f32[n], a constant. highest_weight: questions
    above it are rejected. clip: PPO's epsilon (Schulman et al. 2017, arXiv:1707.06347).
    """
    log_weight = log_policy.gather(1, answer[:, None]).squeeze(1) - played
    log_weight = log_weight.clamp(max=LARGEST_LOG_WEIGHT)
    weight = log_weight.exp()
    gain = weight * advantage
    clipped = torch.zeros_like(weight, dtype=torch.bool)
    if clip is not None:
        bound = weight.clamp(1 - clip, 1 + clip) * advantage
        clipped = (bound < gain).detach()
        gain = torch.minimum(gain, bound)
    fixed = weight.detach()
    return Terms(
        gain=gain,
        entropy=-_expected(log_policy, log_policy),
        weight=fixed,
        kept=~(fixed > highest_weight),  # what is no number is not rejected: it must be seen
        clipped=clipped,
        behaviour_kl=fixed - 1 - log_weight.detach(),
    )


def divergence(log_first: torch.Tensor, log_second: torch.Tensor) -> torch.Tensor:
    """Return KL(first, second) f32[n] in nats, summed over possible answers; both f32[n, m] of `log_probabilities`."""
    possible = log_first != -torch.inf
    difference = log_first.masked_fill(~possible, 0) - log_second.masked_fill(~possible, 0)
    return _expected(log_first, difference)


def _expected(log_policy: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return the mean of values f32[n, m] under a policy; what is not possible counts nothing."""
    possible = log_policy != -torch.inf
    return (log_policy.exp() * values.masked_fill(~possible, 0)).sum(dim=1)
