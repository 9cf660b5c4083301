"""Any agent as a player of `simulator.check_run`, which plays many games and checks every one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from simulator.tables import Decisions
from suphx.agent.interface import Agent


class AgentPlayer:
    """An agent; it goes to another process as the call that makes it, which is made there when it is first asked."""

    def __init__(self, load: Callable[[], Agent]) -> None:
        self._load = load

    def __getstate__(self) -> dict:
        return {key: value for key, value in self.__dict__.items() if key != "agent"}

    @cached_property
    def agent(self) -> Agent:
        """The agent; raises what making it does."""
        return self._load()

    def __call__(
        self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, legal: np.ndarray, seed: int, actions: np.ndarray
    ) -> None:
        """Write an action for each decision into actions i64[n]; the agent's own seed is used, not `seed`."""
        actions[:] = self.agent.act(games, Decisions(index, seats, games["phase"][index], legal)).actions
