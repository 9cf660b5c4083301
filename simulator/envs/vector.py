"""The table as a Gymnasium vector environment: `RiichiVectorEnv`.

```
envs = RiichiVectorEnv(256, opponents="sensible")
observations, infos = envs.reset(seed=1)
actions = (random.random((256, 121)) * infos["action_mask"]).argmax(1)
observations, rewards, terminations, truncations, infos = envs.step(actions)
```

Each sub-environment is one game. The agent plays one seat against opponents of its choice, or all four seats in
self-play (`opponents="self"`); in self-play each observation is that of the seat to act, `infos["seat"]`.
"""

from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from simulator.envs import SMALL, Encoding, Reward, checked_reward, no_choice
from simulator.game import rules_given
from simulator.players import ChooseFunction, choose_function
from simulator.record import ACTIONS, NO_ACTION, SEATS
from simulator.rules import Rules
from simulator.tables import Decisions, Ended, IllegalAction, Tables
from simulator.views.table import table_view

SELF = "self"
Opponents = Literal["random", "tsumogiri", "sensible", "never_folds", "never_calls", "self"]
Infos = dict[str, np.ndarray]


def _player(name: str | ChooseFunction) -> ChooseFunction | None:
    """Return the named compiled player, or None for self-play; raise ValueError for an unknown name."""
    if callable(name):
        return name
    if name not in get_args(Opponents):
        raise ValueError(f"no opponents {name!r}; there are {', '.join(get_args(Opponents))}")
    return None if name == SELF else choose_function(name)


class RiichiVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """n games side by side, each waiting for the agent.

    Observations are u8[n, ROWS, 34] (`simulator.views.planes`) or of another encoding, actions are i64[n] of the
    table's 121. Every `infos` holds `action_mask` bool[n, 121], `seat` u8[n] (the seat to act) and `seat_rewards`
    f64[n, 4]. An action outside the mask raises IllegalAction and changes nothing.

    When a game ends, its last state is returned with a mask of PASS alone; the next step ignores the action for that
    game and starts a new game (Gymnasium's `AutoresetMode.NEXT_STEP`).
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as the base class declares it
        "render_modes": ["ansi"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, num_envs: int, rules: Rules | str | None = None, opponents: Opponents | ChooseFunction = "sensible",
        seat: int | None = None, reward: Reward = "final_points", render_mode: str | None = None,
        encoding: Encoding = SMALL,
    ) -> None:  # fmt: skip
        """Make the environment; `reset` deals.

        Args:
            num_envs: number of games played side by side.
            rules: or the name of a preset; Tenhou's by default.
            opponents: the player of the other seats, by name or as a function (`simulator.players.ChooseFunction`;
                `suphx.agent.interface.AgentPlayer` makes one of an agent); `"self"`: the agent itself.
            seat: the agent's seat; by default seat g % 4 in game number g, so that no seat is favored.
            reward: see `simulator.envs`. The reward is that of the agent's seat; in self-play it is that of the seat
                that has just acted, so use `infos["seat_rewards"]` there.
            render_mode: `"ansi"`: `render` returns each table as text, as the agent sees it.
            encoding: how the agent is shown positions.

        Raises:
            ValueError: for unknown opponents, an invalid seat, or an unknown reward or render mode.
        """
        if seat is not None and not 0 <= seat < SEATS:
            raise ValueError(f"seat {seat} must be 0 to 3, or None")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"no render mode {render_mode!r}; there is ansi")
        self.num_envs = num_envs
        self.rules = rules_given(rules)
        self.reward = checked_reward(reward)
        self.render_mode = render_mode
        self._player = _player(opponents)
        self._fixed_seat = seat
        self._encoding = encoding
        self.single_observation_space = encoding.space
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, Infos]:
        """Start new games: the first ones of `seed`, or without it the next ones of the last seed's sequence."""
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(1 << 63))
        self._tables = Tables(self.num_envs, self.rules, self._seed, restart=False)
        self._over = np.zeros(self.num_envs, np.bool_)
        self._scores = np.zeros((self.num_envs, SEATS), np.int32)
        self._seats = np.zeros(self.num_envs, np.uint8)
        self._seat(np.arange(self.num_envs))
        seat_rewards = np.zeros((self.num_envs, SEATS))
        self._play_opponents(seat_rewards)
        return self._observe(), self._infos(seat_rewards)

    def _seat(self, index: np.ndarray) -> None:
        """Assign the agent's seats in new games and reset their scores; index: the games."""
        games = self._tables.games
        self._over[index] = False
        self._scores[index] = games["scores"][index]
        self._seats[index] = games["number"][index] % SEATS if self._fixed_seat is None else self._fixed_seat

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Carry out the agent's actions and play on until every game waits for the agent again or is over."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"{self.num_envs} games need one action each, not an array of shape {actions.shape}")
        acted, restarted = self._seats.copy(), np.flatnonzero(self._over)
        decisions = self._tables.decisions()
        mine = self._is_agents(decisions)
        chosen = np.full(len(decisions), NO_ACTION, np.int64)
        chosen[mine] = actions[decisions.game[mine]]
        wrong = mine & (chosen == NO_ACTION)
        if wrong.any():
            n = int(wrong.argmax())
            raise IllegalAction(int(decisions.game[n]), int(decisions.seat[n]), NO_ACTION, decisions.legal[n].copy())
        seat_rewards = np.zeros((self.num_envs, SEATS))
        self._pay(self._tables.step(chosen, may_wait=True), seat_rewards)
        if len(restarted):
            self._tables.restart(restarted)
            self._seat(restarted)
        self._play_opponents(seat_rewards)
        rewards = seat_rewards[np.arange(self.num_envs), acted]
        return self._observe(), rewards, self._over.copy(), np.zeros_like(self._over), self._infos(seat_rewards)

    def _is_agents(self, decisions: Decisions) -> np.ndarray:
        """Return bool[n]: whether each decision is for the seat that the agent currently acts for."""
        return decisions.seat == self._seats[decisions.game]

    def _play_opponents(self, seat_rewards: np.ndarray) -> None:
        """Play the opponents until only the agent is asked; in self-play set the seats that it acts for next."""
        while True:
            decisions = self._tables.decisions()
            if self._player is None:
                turn = self._tables.games["turn"][decisions.game]
                order = np.argsort((decisions.seat - turn - 1) % SEATS, kind="stable")[::-1]
                self._seats[decisions.game[order]] = decisions.seat[order]  # the last one written is the next in turn
                return
            others = np.flatnonzero(~self._is_agents(decisions))
            if not len(others):
                return
            chosen = np.full(len(decisions), NO_ACTION, np.int64)
            theirs = np.empty(len(others), np.int64)
            games, index, seats = self._tables.games, decisions.game[others], decisions.seat[others]
            self._player(games, index, seats, decisions.legal[others], self._seed, theirs)
            chosen[others] = theirs
            self._pay(self._tables.step(chosen, may_wait=True), seat_rewards)

    def _pay(self, ended: Ended, seat_rewards: np.ndarray) -> None:
        """Add the rewards of the rounds that ended, and mark the games that are over."""
        if not len(ended):
            return
        results, index = ended.results, ended.game
        if self.reward == "score":
            seat_rewards[index] += (results["scores"] - self._scores[index]) / 1000
            self._scores[index] = results["scores"]
        else:
            seat_rewards[index] += np.where(ended.finished[:, None], results["final_points"] / 10, 0)
        self._over[index] |= ended.finished

    def _observe(self) -> np.ndarray:
        return self._encoding.encode(self._tables.games, np.arange(self.num_envs), self._seats)

    def _infos(self, seat_rewards: np.ndarray) -> Infos:
        decisions = self._tables.decisions()
        mine = self._is_agents(decisions)
        masks = np.tile(no_choice(), (self.num_envs, 1))
        masks[decisions.game[mine]] = decisions.legal[mine]
        return {"action_mask": masks, "seat": self._seats.copy(), "seat_rewards": seat_rewards}

    def render(self) -> tuple[str, ...] | None:
        """Return each table as text as the agent sees it, or None without a render mode."""
        if self.render_mode is None:
            return None
        pairs = zip(self._tables.games, self._seats.tolist(), strict=True)
        return tuple(str(table_view(game, (seat,))) for game, seat in pairs)
