"""Who may play on the page, and what several agents at one table choose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simulator.players import PLAYERS
from simulator.tables import Decisions
from suphx.agent.interface import Agent
from suphx.agent.named_networks import SHIPPED
from suphx.agents import load_agent
from suphx.errors import InputError
from suphx.review.analysis import clean

#: Largest seed of a game: every number up to it is exact in a browser.
MAX_SEED = (1 << 53) - 1


class Players:
    """Who may play: agents that come with the package, and the one that reviews; a page can name no command or file."""

    def __init__(self, reviewer: str) -> None:
        """reviewer: the agent that was named when the page was started."""
        self.names = list(dict.fromkeys([*SHIPPED, *PLAYERS, reviewer]))
        self._networks: dict[str, Agent] = {}

    def check(self, names: list[str], wanted: int) -> None:
        """Raise InputError for names that nobody has, and for another number of them than is wanted."""
        if len(names) != wanted:
            raise InputError(f"name {wanted} agents, one for each of their seats; {len(names)} are named")
        for name in names:
            if name not in self.names:
                raise InputError(f"no agent {clean(name)!r}; there are {', '.join(self.names)}")

    def agents(self, names: list[str], seed: int) -> list[Agent]:
        """Return the agents of names; the same name is the same agent. For one thread only. Networks are loaded once.

        seed: of the random choices of those that make any.
        """
        found = {name: self._agent(name, seed) for name in names}
        return [found[name] for name in names]

    def _agent(self, name: str, seed: int) -> Agent:
        if name in PLAYERS:
            return load_agent(name, seed)
        if name not in self._networks:
            self._networks[name] = load_agent(name)
        return self._networks[name]


def shown_name(name: str) -> str:
    """Return an agent's name without the folders before it."""
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def choose(agents: Mapping[int, Agent], games: np.ndarray, asked: Decisions) -> np.ndarray:
    """Return an action i64[n] for each decision, each by who sits there; an agent is asked for all its seats at once.

    agents: by seat. games: GAME[...], which `asked.game` indexes.
    """
    actions = np.empty(len(asked), np.int64)
    seated = [agents[seat] for seat in asked.seat.tolist()]
    for agent in dict.fromkeys(seated):
        rows = [n for n, each in enumerate(seated) if each is agent]
        theirs = Decisions(asked.game[rows], asked.seat[rows], asked.situation[rows], asked.legal[rows])
        actions[rows] = agent.act(games, theirs).actions
    return actions
