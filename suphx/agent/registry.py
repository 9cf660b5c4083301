"""Load agents by name: rule-based players, networks, and what plugins register (run-time adaptation, external bots)."""

import os

from simulator.players import PLAYERS, player
from suphx.agent import AGENTS, AgentKind, AgentSettings
from suphx.agent.flow import PlaneEncoder, Sampling
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.network_agent import INCLUDED, UNTRAINED, NetworkAgent, fingerprint_of_networks, load_networks
from suphx.errors import InputError
from suphx.networks.precision import Precision, choose_precision

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
