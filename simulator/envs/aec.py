"""The table as a PettingZoo AEC environment: `env()`.

```
env = simulator.envs.aec.env(reward="score")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    action = None if terminated else env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

The agents are `seat_0` to `seat_3`; an episode is a game. If several seats may claim a discard, they are asked one
after the other in turn order from the discarder. None sees the answers of the others, and the game continues when all
have answered.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from simulator.envs import SMALL, Reward, checked_reward, no_choice
from simulator.game import Game, rules_given
from simulator.record import ACTIONS, SEATS
from simulator.rules import Rules
from simulator.tables import IllegalAction
from simulator.views.planes import encode_one

RENDER_MODES = ("human", "ansi")
AGENTS = tuple(f"seat_{seat}" for seat in range(SEATS))
Observed = dict[str, np.ndarray]


def env(**arguments: Any) -> AECEnv:
    """Return the environment with PettingZoo's usage checks; arguments as for `RawEnv`."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(RawEnv(**arguments)))


class RawEnv(AECEnv[str, Observed, int], EzPickle):
    """One game for four agents.

    An observation is `{"observation": u8[ROWS, 34], "action_mask": i8[121]}`; the mask of every agent except the one to
    act is PASS alone. An action outside the mask raises IllegalAction: a bug in the agent, not a losing move.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "name": "riichi_mahjong_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, rules: Rules | str | None = None, reward: Reward = "final_points", render_mode: str | None = None
    ) -> None:
        """Make the environment; `reset` deals.

        rules: or the name of a preset; Tenhou's by default. reward: see `simulator.envs`. render_mode: `"human"` prints
        the table after every step, `"ansi"` returns it as text. Raises ValueError for an unknown reward or mode.
        """
        EzPickle.__init__(self, rules, reward, render_mode)
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"no render mode {render_mode!r}; there are {', '.join(RENDER_MODES)}")
        self.rules = rules_given(rules)
        self.reward = checked_reward(reward)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._generator = np.random.default_rng()
        self.observation_spaces = {
            agent: spaces.Dict({"observation": SMALL.space, "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8)})
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game: the first one of `seed`, or without it the next one of the last seed's sequence."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self.game = Game(self.rules, int(self._generator.integers(1 << 63)))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._scores = self.game.scores
        self._answers: dict[int, int] = {}
        self._select()

    def _select(self) -> None:
        """Select the next seat in turn order, after the one at turn, that is asked and has not answered."""
        first = int(self.game.record["turn"])
        waiting = [seat for seat in self.game.seats_to_act if seat not in self._answers]
        self.agent_selection = AGENTS[min(waiting, key=lambda seat: (seat - first - 1) % SEATS)]

    def observe(self, agent: str) -> Observed:
        """Return what an agent sees."""
        seat = AGENTS.index(agent)
        may_act = agent == self.agent_selection and not self.game.over
        mask = self.game.mask(seat) if may_act else no_choice()
        return {"observation": encode_one(self.game.record, seat), "action_mask": mask.astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Play the selected agent's action; raise IllegalAction for an action outside its mask."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = AGENTS.index(agent)
        mask = self.game.mask(seat)
        if action is None or not 0 <= action < ACTIONS or not mask[action]:
            raise IllegalAction(0, seat, -1 if action is None else int(action), mask)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._answers[seat] = int(action)
        if len(self._answers) == len(self.game.seats_to_act):
            self._play()
        if not self.game.over:
            self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _play(self) -> None:
        """Carry out the answers; set the rewards and terminations if they end a round or the game."""
        result = self.game.step(self._answers)
        self._answers = {}
        if result is None:
            return
        if self.reward == "score":
            gains = [(now - before) / 1000 for now, before in zip(result.scores, self._scores, strict=True)]
            self._scores = result.scores
            self.rewards = dict(zip(AGENTS, gains, strict=True))
        elif result.game_over:
            self.rewards = dict(zip(AGENTS, self.game.final_points or (), strict=True))
        if result.game_over:
            self.terminations = dict.fromkeys(AGENTS, True)

    def render(self) -> str | None:
        """Print the table with all hands open, or return it as text, by `render_mode`."""
        if self.render_mode == "ansi":
            return str(self.game)
        if self.render_mode == "human":
            print(self.game)
        return None


raw_env = RawEnv
