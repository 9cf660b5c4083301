"""Rewards: the kinds by name, which a plugin registers without importing what computes one; and their predictor."""

from typing import TYPE_CHECKING

from suphx.plugins import Registry

if TYPE_CHECKING:
    from suphx.reward.kinds import RewardKind

#: The configuration class of each kind.
REWARDS: "Registry[type[RewardKind]]" = Registry("reward")
