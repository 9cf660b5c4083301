"""The algorithms that come with the package."""

from suphx.learning.algorithms import ALGORITHMS, Algorithm


def _policy_gradient() -> Algorithm:
    from suphx.learning.policy_gradient import policy_gradient

    return policy_gradient


def _ppo() -> Algorithm:
    from suphx.learning.ppo import ppo

    return ppo


ALGORITHMS.register("policy_gradient", "importance-weighted policy gradient, as in the paper", _policy_gradient)
ALGORITHMS.register("ppo", "the clipped objective of proximal policy optimization", _ppo)
