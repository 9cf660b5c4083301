"""Load agents by name: rule-based players, networks, and what plugins register (run-time adaptation, external bots)."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from simulator.players import PLAYERS, player
from suphx.agent.flow import PlaneEncoder, Sampling
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.network_agent import INCLUDED, UNTRAINED, NetworkAgent, fingerprint_of_networks, load_networks
from suphx.errors import InputError
from suphx.networks.precision import Precision, choose_precision
from suphx.plugins import Registry


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


def _name_and_version(name: str) -> str:
    return f"{name}, {version('suphx')}"


@dataclass(frozen=True)
class AgentKind:
    """The agents that are registered under a name: with that name, or with it, a colon and more."""

    load: Callable[[str, AgentSettings], Agent]
    """Load the agent with a full name; raises InputError for an unusable one."""
    fingerprint: Callable[[str], str] = _name_and_version
    """Return a string that changes when the agent behind a full name changes; raises InputError as `load`."""
    has_networks: bool = False
    """Whether it decides with this project's own networks."""
    is_external: bool = False
    """Whether its decisions are made by another program, which has timeouts and plays few games side by side."""


#: All agents but folders of weights; plugins add theirs. A description begins with the form of names if there is one.
AGENTS: Registry[AgentKind] = Registry("agent")

_PLAYERS = {
    "random": "any legal action",
    "tsumogiri": "discards what it draws",
    "sensible": "rule-based: builds its hand, calls and folds",
    "never_folds": "`sensible` without folding",
    "never_calls": "`sensible` without calls",
}
_NETWORKS = {
    "tuned": "the included weights",
    "sl": "these before they were tuned to play as the strongest AIs",
    "sl-weak": "`sl` with under-trained discards",
    UNTRAINED: "untrained:SIZE, fresh weights",
}


def _load_player(name: str, settings: AgentSettings) -> Agent:
    return RuleAgent(player(name, settings.seed))


def _load_networks(name: str, settings: AgentSettings) -> Agent:
    title, networks = load_networks(name, settings.seed)
    precision = settings.precision or choose_precision()
    sampling = Sampling(settings.temperature, settings.seed)
    return NetworkAgent(title, networks, PlaneEncoder(), precision, sampling, settings.batch_invariant)


_RULE_PLAYER = AgentKind(_load_player)
_WEIGHTS = AgentKind(_load_networks, fingerprint_of_networks, has_networks=True)
for each in PLAYERS:
    AGENTS.register(each, _PLAYERS[each], lambda: _RULE_PLAYER)
for each in (*INCLUDED, UNTRAINED):
    AGENTS.register(each, _NETWORKS[each], lambda: _WEIGHTS)


def kind_of(name: str) -> AgentKind | None:
    """Return the kind of agent with a name, which may still be unusable; None if there is none."""
    for key in (name, name.partition(":")[0]):
        if key in AGENTS:
            return AGENTS[key]
    return _WEIGHTS if os.path.isdir(name) else None


def _known(name: str) -> AgentKind:
    kind = kind_of(name)
    if kind is None:
        names = ", ".join(entry.name for entry in AGENTS)
        raise InputError(f"no agent {name!r}: neither one of {names}, nor a folder of weights")
    return kind


def load_agent(
    name: str,
    seed: int = 0,
    temperature: float | None = None,
    precision: Precision | None = None,
    batch_invariant: bool = False,
    timeout: float | None = None,
) -> Agent:
    """Load the agent with a name: an entry of `AGENTS` or a folder of weights.

    For the other arguments see `AgentSettings`. Raises InputError for an unknown name or unusable weights.
    """
    return _known(name).load(name, AgentSettings(seed, temperature, precision, batch_invariant, timeout))


def has_networks(name: str) -> bool:
    """Return whether the agent with a name decides with this project's own networks."""
    kind = kind_of(name)
    return kind is not None and kind.has_networks


def is_external(name: str) -> bool:
    """Return whether a name stands for an external bot."""
    kind = kind_of(name)
    return kind is not None and kind.is_external


def fingerprint(name: str) -> str:
    """Return a string that changes when the agent behind a name changes; raises InputError as `load_agent`."""
    return _known(name).fingerprint(name)
