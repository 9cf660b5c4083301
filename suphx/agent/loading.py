"""Agents by name: rule-based players, untrained networks, and folders of weights."""

from __future__ import annotations

from pathlib import Path

from simulator.players import PLAYERS, player
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Sampling
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.network_agent import NetworkAgent, untrained_networks
from suphx.errors import InputError
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"


def load_agent(name: str, seed: int = 0, temperature: float | None = None, precision: Precision | None = None) -> Agent:
    """Return the agent of a name.

    name: one of `simulator.players.PLAYERS`; `untrained` or `untrained:SIZE` for fresh networks (by default
    `small`); otherwise a folder of weights. seed: of its random choices (and of fresh weights). temperature,
    precision: of networks; by default the likeliest answers, and what a probe finds fastest. Raises InputError for a
    name that is none of these, and for weights that cannot be used.
    """
    if name in PLAYERS:
        return RuleAgent(player(name, seed))
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        networks, title = untrained_networks(size_named(size or "small"), seed), name
    elif Path(name).is_dir():
        networks, title = load_weights(Path(name)), load_card(Path(name)).name
    else:
        known = ", ".join((*PLAYERS, UNTRAINED))
        raise InputError(f"no agent {name!r}: neither one of {known}, nor a folder of weights")
    return NetworkAgent(title, networks, PlaneEncoder(), precision or choose_precision(), Sampling(temperature, seed))
