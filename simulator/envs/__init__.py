"""The table as a reinforcement learning environment: `single` and `vector` for Gymnasium, `aec` for PettingZoo.

Needs the extra `pip install suphx[env]`. In all of them actions are the table's (`Discrete(121)`), with a mask that is
never empty: who is not asked may only pass, and that is ignored. The reward is either the points gained in each round,
paid at its end, or the final points, paid at the end of the game: `REWARDS`. Observations are
`simulator.views.planes` (u8[ROWS, 34]) of a seat, or those of another `Encoding`.

To import this module registers `suphx/Riichi-v0` with Gymnasium, for `make` and for `make_vec`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import gymnasium
import numpy as np

from simulator.record import ACTIONS, PASS
from simulator.tiles import KINDS
from simulator.views.planes import ROWS, encode_batch

ID = "suphx/Riichi-v0"

#: `"score"`: points gained in each round, in thousands; `"final_points"`: final points, including uma and oka.
Reward = Literal["score", "final_points"]
REWARDS: tuple[Reward, ...] = ("score", "final_points")


@dataclass(frozen=True)
class Encoding:
    """How positions are shown to the agent."""

    shape: tuple[int, ...]
    high: int
    """The largest number in it; the smallest is 0."""
    encode: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    """(games GAME[m], index i64[n], seats u8[n]) to u8[n, *shape]: each position's game, and the seat that sees it."""

    @property
    def space(self) -> gymnasium.spaces.Box:
        """The space of one observation."""
        return gymnasium.spaces.Box(0, self.high, self.shape, np.uint8)


def _encode_rows(games: np.ndarray, index: np.ndarray, seats: np.ndarray) -> np.ndarray:
    out = np.empty((len(index), ROWS, KINDS), np.uint8)
    encode_batch(games, index, seats, out)
    return out


#: The small encoding of `simulator.views.planes`.
SMALL = Encoding((ROWS, KINDS), 255, _encode_rows)


def no_choice() -> np.ndarray:
    """Return bool[121], the mask of who is not asked: PASS alone."""
    mask = np.zeros(ACTIONS, np.bool_)
    mask[PASS] = True
    return mask


def checked_reward(reward: Reward) -> Reward:
    """Return `reward` if it is one of `REWARDS`; raise ValueError otherwise."""
    if reward not in REWARDS:
        raise ValueError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")
    return reward


gymnasium.register(ID, "simulator.envs.single:RiichiEnv", vector_entry_point="simulator.envs.vector:RiichiVectorEnv")
