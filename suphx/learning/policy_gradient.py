"""Policy gradient with importance weights (the paper's formulas 1 and 2)."""

import torch

from suphx.learning.algorithms import Objective
from suphx.learning.config import LearningConfig
from suphx.learning.distributions import log_weights


def policy_gradient(
    log_probability: torch.Tensor, behavior: torch.Tensor, advantage: torch.Tensor, config: LearningConfig
) -> Objective:
    """Return importance weight x advantage, and which weights are no higher than `max_importance_weight`."""
    weight = log_weights(log_probability, behavior).exp()
    accepted = ~(weight.detach() > config.max_importance_weight)  # accepts NaN, so that the learner notices it
    return Objective(weight * advantage, accepted)
