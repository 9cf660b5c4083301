"""Policy gradient with importance weights (formulas 1 and 2), decision by decision.

The caller adds the terms up to the objective: the sum over kept decisions of gain + alpha x entropy - coefficient x
divergence. A decision's terms do not depend on the rest of its batch.
"""

from dataclasses import dataclass

import numpy as np
import torch

#: Upper bound of log importance weights, far above any that is kept: an infinite weight would turn a zero gradient into
#: NaN.
LARGEST_LOG_WEIGHT = 20.0


@dataclass(frozen=True)
class Terms:
    """What each decision contributes; gradients flow through `gain` and `entropy`."""

    gain: torch.Tensor
    """f32[n]: importance weight x advantage (formula 1)"""
    entropy: torch.Tensor
    """f32[n]: entropy of the policy over possible answers, in nats"""
    weight: torch.Tensor
    """f32[n]: importance weight of the answer taken, policy / policy that played; no gradient"""
    kept: torch.Tensor
    """bool[n]: not rejected for too high a weight"""
    behaviour_kl: torch.Tensor
    """f32[n]: weight - 1 - log(weight), at least 0; its mean over the answers played estimates
    KL(policy that played, policy)"""


def legal_answers(legal: np.ndarray, answers: int) -> np.ndarray:
    """Return bool[n, answers], unpacked from the bits of uint64[n]."""
    return (legal[:, None] >> np.arange(answers, dtype=np.uint64) & np.uint64(1)).astype(np.bool_)


def legal_bits(legal: np.ndarray) -> np.ndarray:
    """Return uint64[n], packed from bool[n, answers]: bit a is set if answer a is possible."""
    return legal @ (np.uint64(1) << np.arange(legal.shape[1], dtype=np.uint64))


def log_probabilities(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return log pi f32[n, m] of possible answers, -inf for the others; logits f32[n, m], legal bool[n, m]."""
    return logits.masked_fill(~legal, -torch.inf).log_softmax(dim=1)


def terms_of(
    log_policy: torch.Tensor,
    answer: torch.Tensor,
    played: torch.Tensor,
    advantage: torch.Tensor,
    max_importance_weight: float,
) -> Terms:
    """Return each decision's terms.

    log_policy: f32[n, m] from `log_probabilities`. answer: i64[n], the answer given, which must have been possible.
    played: f32[n], its log-probability under the policy that played. advantage: f32[n], without gradient.
    max_importance_weight: decisions with a higher importance weight are rejected.
    """
    log_weight = log_policy.gather(1, answer[:, None]).squeeze(1) - played
    log_weight = log_weight.clamp(max=LARGEST_LOG_WEIGHT)
    weight = log_weight.exp()
    gain = weight * advantage
    fixed = weight.detach()
    return Terms(
        gain=gain,
        entropy=-_expected(log_policy, log_policy),
        weight=fixed,
        kept=~(fixed > max_importance_weight),  # keeps NaN, so that the learner notices it
        behaviour_kl=fixed - 1 - log_weight.detach(),
    )


def divergence(log_first: torch.Tensor, log_second: torch.Tensor) -> torch.Tensor:
    """Return KL(first, second) f32[n] in nats over possible answers; both are f32[n, m] from `log_probabilities`."""
    possible = log_first != -torch.inf
    difference = log_first.masked_fill(~possible, 0) - log_second.masked_fill(~possible, 0)
    return _expected(log_first, difference)


def _expected(log_policy: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return the mean of values f32[n, m] under a policy; answers that are not possible are left out."""
    possible = log_policy != -torch.inf
    return (log_policy.exp() * values.masked_fill(~possible, 0)).sum(dim=1)
