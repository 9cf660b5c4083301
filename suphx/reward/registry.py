"""The kinds of reward by name, apart from them: a plugin registers one without importing what computes it."""

from typing import TYPE_CHECKING

from suphx.plugins import Registry

if TYPE_CHECKING:
    from suphx.reward.kinds import RewardKind

#: The configuration class of each kind.
REWARDS: "Registry[type[RewardKind]]" = Registry("reward")
