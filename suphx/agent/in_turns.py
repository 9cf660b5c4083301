"""Several agents combined into one, such as the seeds of one training: the game number selects which one plays."""

from collections.abc import Sequence
from threading import Event

import numpy as np

from simulator.tables import Decisions
from suphx.agent.interface import Agent, AgentOutput, Counting, Interruptible, act_each

#: Separates the names of agents that take turns.
TURNS = "|"


class InTurns:
    """Agents that take turns by the game number, which in a match is the number of the deal."""

    def __init__(self, name: str, agents: Sequence[Agent]) -> None:
        self.name = name
        self._agents = agents

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision; outputs are left out, as they would mix several policies."""
        actions, _ = act_each(self._agents, games["number"][decisions.game] % len(self._agents), games, decisions)
        return AgentOutput(actions)

    def watch(self, stop: Event) -> None:
        """Let agents that may think for long watch this event."""
        for agent in self._agents:
            if isinstance(agent, Interruptible):
                agent.watch(stop)

    def take_counts(self, table: int) -> dict[str, float]:
        """Return the counts of all agents together at a table since the last call."""
        found: dict[str, float] = {}
        for agent in self._agents:
            counts = agent.take_counts(table) if isinstance(agent, Counting) else {}
            found |= {name: found.get(name, 0) + value for name, value in counts.items()}
        return found
