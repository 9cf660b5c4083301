"""The table as a reinforcement learning environment: `aec` for PettingZoo, `vector` for Gymnasium.

Needs the extra `pip install suphx[env]`. In both, observations are `simulator.views.planes` (u8[ROWS, 34]) of a seat,
and actions are the table's (`Discrete(121)`) with a mask. The reward is either the points gained in each round, paid at
its end, or the final points, paid at the end of the game: `REWARDS`.
"""

from typing import Literal

#: `"score"`: points gained in each round, in thousands; `"final_points"`: final points, including uma and oka.
Reward = Literal["score", "final_points"]
REWARDS: tuple[Reward, ...] = ("score", "final_points")


def checked_reward(reward: str) -> Reward:
    """Return `reward` if it is one of `REWARDS`; raise ValueError otherwise."""
    for known in REWARDS:
        if reward == known:
            return known
    raise ValueError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")
