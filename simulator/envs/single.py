"""The table as a Gymnasium environment: one agent in one game against three opponents.

```
env = gymnasium.make("simulator.envs:suphx/Riichi-v0", opponents="sensible")
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
```
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from simulator.envs import SMALL, Encoding, Reward
from simulator.envs.vector import Opponents, RiichiVectorEnv
from simulator.players import ChooseFunction
from simulator.record import ACTIONS, SEATS
from simulator.rules import Rules


class RiichiEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One game, waiting for the agent: `vector.RiichiVectorEnv` with a single game, whose arguments it takes.

    `info` holds `action_mask` bool[121], `seat` and `seat_rewards` f64[4]; `action_masks` returns the mask for
    Stable-Baselines3's MaskablePPO. An action outside the mask raises IllegalAction and changes nothing.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}  # noqa: RUF012 - as the base class declares it

    def __init__(
        self, rules: Rules | str | None = None, opponents: Opponents | ChooseFunction = "sensible",
        seat: int | None = None, reward: Reward = "final_points", render_mode: str | None = None,
        encoding: Encoding = SMALL,
    ) -> None:  # fmt: skip
        """Make the environment; `reset` deals. seat: the agent's; by default each game draws one.

        Raises:
            ValueError: for unknown opponents, an invalid seat, or an unknown reward or render mode.
        """
        self._arguments: dict[str, Any] = {
            "rules": rules, "opponents": opponents, "reward": reward, "render_mode": render_mode, "encoding": encoding
        }  # fmt: skip
        self._seat = seat
        self._table = RiichiVectorEnv(1, seat=seat, **self._arguments)
        self.render_mode = render_mode
        self.observation_space = encoding.space
        self.action_space = spaces.Discrete(ACTIONS)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Start a new game: the first one of `seed`, or without it the next one of the last seed's sequence."""
        super().reset(seed=seed)
        seat = int(self.np_random.integers(SEATS)) if self._seat is None else self._seat
        self._table = RiichiVectorEnv(1, seat=seat, **self._arguments)
        observations, infos = self._table.reset(seed=int(self.np_random.integers(1 << 32)))
        return observations[0], self._info(infos)

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Carry out the agent's action and play on until it is asked again or the game is over."""
        observations, rewards, over, cut, infos = self._table.step(np.array([action]))
        return observations[0], float(rewards[0]), bool(over[0]), bool(cut[0]), self._info(infos)

    def _info(self, infos: dict[str, np.ndarray]) -> dict[str, Any]:
        self._mask = infos["action_mask"][0]
        return {name: each[0] for name, each in infos.items()}

    def action_masks(self) -> np.ndarray:
        """Return bool[121], the actions that are legal now."""
        return self._mask

    def render(self) -> Any:
        """Return the table as text as the agent sees it, or None without a render mode."""
        pictures = self._table.render()
        return None if pictures is None else pictures[0]
