"""The table as an environment, an extra (`pip install suphx[env]`): `aec` for PettingZoo, `vector` for Gymnasium.

Both show a seat `simulator.planes` (u8[ROWS, 34]) and take the table's actions (`Discrete(121)`) under a mask. A
round's points are rewarded as they are paid, or final points at the end: `REWARDS`.
"""

from typing import Literal

#: `"score"`: thousands of points gained with each round; `"final_points"`: final points, uma and oka included.
Reward = Literal["score", "final_points"]
REWARDS: tuple[Reward, ...] = ("score", "final_points")


def checked_reward(reward: str) -> Reward:
    """Return a kind of reward; raises ValueError if there is none of that name."""
    for known in REWARDS:
        if reward == known:
            return known
    raise ValueError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")
