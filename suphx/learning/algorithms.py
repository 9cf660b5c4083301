"""Algorithms: what a learning policy maximizes, decision by decision; each is a function, registered by name.

To the gain of an algorithm the learner adds the entropy (alpha x entropy) and the pull to the start, and takes the mean
over the accepted decisions. `docs/extending.md` adds an algorithm from a user's file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch

from suphx.learning.distributions import log_weights
from suphx.plugins import Registry

if TYPE_CHECKING:  # which names the algorithms registered here
    from suphx.learning.config import LearningConfig


@dataclass(frozen=True)
class Objective:
    """What each decision contributes; it does not depend on the rest of its batch."""

    gain: torch.Tensor
    """f32[n]: what is maximized, through which gradients flow."""
    accepted: torch.Tensor
    """bool[n]: which decisions take part in the step."""


#: log pi f32[n] of the actions taken, with gradient; the same of the policy that played; advantages f32[n]; settings.
Algorithm: TypeAlias = "Callable[[torch.Tensor, torch.Tensor, torch.Tensor, LearningConfig], Objective]"


def policy_gradient(
    log_probability: torch.Tensor, behavior: torch.Tensor, advantage: torch.Tensor, config: LearningConfig
) -> Objective:
    """Return importance weight x advantage (the paper's formulas 1 and 2).

    Decisions with a weight no higher than `max_importance_weight` are accepted.
    """
    weight = log_weights(log_probability, behavior).exp()
    accepted = ~(weight.detach() > config.max_importance_weight)  # accepts NaN, so that the learner notices it
    return Objective(weight * advantage, accepted)


def ppo(
    log_probability: torch.Tensor, behavior: torch.Tensor, advantage: torch.Tensor, config: LearningConfig
) -> Objective:
    """Return the smaller of weight x advantage and clipped weight x advantage; all decisions are accepted.

    The clipped objective (Schulman et al. 2017, arXiv:1707.06347, equation 7) is meant for data that is used several
    times (`replay.reuse`); an advantage should come from a critic.
    """
    weight = log_weights(log_probability, behavior).exp()
    clipped = weight.clamp(1 - config.clip, 1 + config.clip)
    gain = torch.minimum(weight * advantage, clipped * advantage)
    return Objective(gain, torch.ones_like(gain, dtype=torch.bool))


ALGORITHMS: Registry[Algorithm] = Registry("algorithm")
ALGORITHMS.register("policy_gradient", "importance-weighted policy gradient, as in the paper", lambda: policy_gradient)
ALGORITHMS.register("ppo", "the clipped objective of proximal policy optimization", lambda: ppo)
