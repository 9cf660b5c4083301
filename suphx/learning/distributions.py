"""Distributions over legal actions: log-probabilities, entropy, divergence and importance weights."""

import torch

#: Upper bound of log importance weights, far above any that is accepted: an infinite weight would turn a zero gradient
#: into NaN.
LARGEST_LOG_WEIGHT = 20.0


def log_probabilities(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return log pi f32[n, m] of legal actions, -inf for the others; logits f32[n, m], legal bool[n, m]."""
    return logits.masked_fill(~legal, -torch.inf).log_softmax(dim=1)


def log_weights(log_probability: torch.Tensor, behavior: torch.Tensor) -> torch.Tensor:
    """Return the log importance weights f32[n] of actions: log-probabilities minus those under the policy that played.

    The mean of weight - 1 - log weight over the actions estimates KL(policy that played, policy).
    """
    return (log_probability - behavior).clamp(max=LARGEST_LOG_WEIGHT)


def entropy(log_policy: torch.Tensor) -> torch.Tensor:
    """Return the entropy f32[n] of policies f32[n, m] (`log_probabilities`), in nats."""
    return -_expected(log_policy, log_policy)


def divergence(log_first: torch.Tensor, log_second: torch.Tensor) -> torch.Tensor:
    """Return KL(first, second) f32[n] in nats over legal actions; both are f32[n, m] from `log_probabilities`."""
    legal = log_first != -torch.inf
    difference = log_first.masked_fill(~legal, 0) - log_second.masked_fill(~legal, 0)
    return _expected(log_first, difference)


def _expected(log_policy: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return the mean of values f32[n, m] under a policy; actions that are not legal are left out."""
    legal = log_policy != -torch.inf
    return (log_policy.exp() * values.masked_fill(~legal, 0)).sum(dim=1)
