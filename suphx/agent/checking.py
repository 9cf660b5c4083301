"""Any agent as a player of `simulator.check_run`, which plays many games and checks every one."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from simulator.tables import Decisions
from suphx.agent.interface import Agent
from suphx.agent.loading import load_agent
from suphx.networks.precision import choose_precision


class AgentPlayer:
    """An agent by name (`load_agent`); it goes to another process as its name, and is loaded there when first asked."""

    def __init__(self, name: str, seed: int = 0, temperature: float | None = None, threads: int | None = None) -> None:
        self._name, self._seed, self._temperature, self._threads = name, seed, temperature, threads

    def __getstate__(self) -> dict:
        return {key: value for key, value in self.__dict__.items() if key != "agent"}

    @cached_property
    def agent(self) -> Agent:
        """The agent; raises InputError if there is none of that name."""
        return load_agent(self._name, self._seed, self._temperature, choose_precision(threads=self._threads))

    def __call__(
        self, games: np.ndarray, index: np.ndarray, seats: np.ndarray, legal: np.ndarray, seed: int, actions: np.ndarray
    ) -> None:
        """Write an action for each decision into actions i64[n]; the agent's own seed is used, not `seed`."""
        actions[:] = self.agent.act(games, Decisions(index, seats, games["phase"][index], legal)).actions
