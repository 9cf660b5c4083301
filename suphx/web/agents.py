"""The agents that may play on the page."""

from functools import cache
from threading import Lock

from fastapi import HTTPException

from simulator.players import PLAYERS
from suphx.agent.interface import Agent
from suphx.agent.registry import INCLUDED, NetworkAgent, load_agent
from suphx.review.analysis import clean, reviewing

#: Largest seed of a game: JavaScript represents every integer up to it exactly.
MAX_SEED = (1 << 53) - 1


class Players:
    """The agents that may play: those of the package and the reviewer; a page cannot name a command or file."""

    def __init__(self, reviewer: str) -> None:
        """reviewer: name of the agent that reviews."""
        self.names = list(dict.fromkeys([*INCLUDED, *PLAYERS, reviewer]))
        self._networks = cache(load_agent)
        self._lock = Lock()
        self.reviewer_name = reviewer

        self.reviewers = list(dict.fromkeys([reviewer, *INCLUDED]))
        """Who may be chosen to review, the usual one first."""

    @property
    def reviewer(self) -> NetworkAgent:
        """The agent that reviews; raises InputError if it does not exist or cannot review."""
        return self.reviewer_named(self.reviewer_name)

    def reviewer_named(self, name: str) -> NetworkAgent:
        """Return an agent to review by; raises InputError as `reviewer` does."""
        return reviewing(self._networks(name), name)

    def check(self, names: list[str], wanted: int) -> None:
        """Raise HTTPException (422) if a name is unknown, or if the number of names is not `wanted`."""
        if len(names) != wanted:
            raise HTTPException(422, f"name {wanted} agents, one for each of their seats; {len(names)} are named")
        for name in names:
            if name not in self.names:
                raise HTTPException(422, f"no agent {clean(name)!r}; there are {', '.join(self.names)}")

    def agents(self, names: list[str], seed: int) -> list[Agent]:
        """Return the agents with these names, one instance per name; seed: of those that make random choices."""
        with self._lock:
            agents = {name: load_agent(name, seed) if name in PLAYERS else self._networks(name) for name in set(names)}
        return [agents[name] for name in names]
