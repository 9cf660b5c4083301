"""Agents: the decision flow over the five networks, and one interface for everything that makes decisions.

Nothing heavy is imported here, so that plugins can register agents at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from suphx.plugins import Registry

if TYPE_CHECKING:
    from suphx.agent.interface import Agent
    from suphx.networks.precision import Precision

#: The agent that plays and reviews where none is named: the strongest of the weights that come with the package.
DEFAULT_AGENT = "tuned-large"


@dataclass(frozen=True)
class AgentSettings:
    """How to set up an agent; each kind uses what concerns it."""

    seed: int = 0
    """Random seed of its choices, and of untrained weights."""
    temperature: float | None = None
    """Sampling temperature of networks; None takes the likeliest action."""
    precision: Precision | None = None
    """Of networks; None for the one that a probe finds fastest."""
    batch_invariant: bool = False
    """As in `Evaluator`."""
    timeout: float | None = None
    """Seconds an external bot has for a decision; None for its usual time."""


def name_and_version(name: str) -> str:
    """Return the fingerprint of an agent that only changes with the package."""
    return f"{name}, {version('suphx')}"


@dataclass(frozen=True)
class AgentKind:
    """The agents that are registered under a name: with that name, or with it, a colon and more."""

    load: Callable[[str, AgentSettings], Agent]
    """Load the agent with a full name; raises InputError for an unusable one."""
    fingerprint: Callable[[str], str] = name_and_version
    """Return a string that changes when the agent behind a full name changes; raises InputError as `load`."""
    has_networks: bool = False
    """Whether it decides with this project's own networks."""
    is_external: bool = False
    """Whether its decisions are made by another program, which has timeouts and plays few games side by side."""


#: All agents but folders of weights; plugins add theirs. A description begins with the form of names if there is one.
AGENTS: Registry[AgentKind] = Registry("agent")
