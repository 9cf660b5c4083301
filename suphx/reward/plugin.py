"""The kinds of reward that come with the package."""

from suphx.reward.kinds import REWARDS, RewardKind


def _round() -> type[RewardKind]:
    from suphx.reward.rounds import RoundReward

    return RoundReward


def _phi() -> type[RewardKind]:
    from suphx.reward.rounds import PhiReward

    return PhiReward


REWARDS.register("round", "the points gained in it (RL-basic)", _round)
REWARDS.register("phi", "the change of the game's expected reward (RL-1)", _phi)
