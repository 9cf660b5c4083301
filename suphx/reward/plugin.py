"""The kinds of reward that come with the package."""

from suphx.plugins import lazy
from suphx.reward import REWARDS

REWARDS.register("round", "the points gained in it (RL-basic)", lazy("suphx.reward.rounds", "RoundReward"))
REWARDS.register("phi", "the change of the game's expected reward (RL-1)", lazy("suphx.reward.rounds", "PhiReward"))
