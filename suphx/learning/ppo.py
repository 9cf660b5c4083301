"""Proximal policy optimization: the clipped objective (Schulman et al. 2017, arXiv:1707.06347, equation 7).

It is meant for data that is used several times (`replay.reuse`); an advantage should come from a critic.
"""

import torch

from suphx.learning.algorithms import Objective
from suphx.learning.config import LearningConfig
from suphx.learning.distributions import log_weights


def ppo(
    log_probability: torch.Tensor, behavior: torch.Tensor, advantage: torch.Tensor, config: LearningConfig
) -> Objective:
    """Return the smaller of weight x advantage and clipped weight x advantage; all decisions are accepted."""
    weight = log_weights(log_probability, behavior).exp()
    clipped = weight.clamp(1 - config.clip, 1 + config.clip)
    gain = torch.minimum(weight * advantage, clipped * advantage)
    return Objective(gain, torch.ones_like(gain, dtype=torch.bool))
