"""Adapter that runs any agent in `simulator.check.run`, which plays many games and checks every one."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from simulator.tables import Decisions
from suphx.agent.interface import Agent


class AgentPlayer:
    """An agent as a player; pickled without the agent, which each process loads when it is first needed."""

    def __init__(self, load: Callable[[], Agent]) -> None:
        self._load = load

    def __getstate__(self) -> dict:
        return {key: value for key, value in self.__dict__.items() if key != "agent"}

    @cached_property
    def agent(self) -> Agent:
        """The agent, loaded on first use; raises whatever loading it raises."""
        return self._load()

    def __call__(
        self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, legal: np.ndarray, seed: int, actions: np.ndarray
    ) -> None:
        """Write an action for each decision into actions i64[n]; `seed` is ignored in favor of the agent's own."""
        actions[:] = self.agent.act(games, Decisions(index, seats, games["phase"][index], legal)).actions
