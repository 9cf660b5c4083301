"""Agents by name: rule-based players, untrained networks, and folders of weights."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from simulator.lookup import get_lookup
from simulator.players.sensible import choose_sensible
from simulator.players.simple import choose_random, choose_tsumogiri
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Sampling
from suphx.agent.interface import Agent, ChooseFunction, RulePlayer
from suphx.agent.network_agent import NetworkAgent, untrained_networks
from suphx.errors import InputError
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

RULE_PLAYERS = ("random", "tsumogiri", "sensible")
UNTRAINED = "untrained"


def load_agent(name: str, seed: int = 0, temperature: float | None = None, precision: Precision | None = None) -> Agent:
    """Return the agent of a name.

    name: one of `RULE_PLAYERS`; `untrained` or `untrained:SIZE` for fresh networks (by default `small`); otherwise a
    folder of weights. seed: of its random choices (and of fresh weights). temperature, precision: of networks;
    by default the likeliest answers, and what a probe finds fastest. Raises InputError for a name that is none of
    these, and for weights that cannot be used.
    """
    if name in RULE_PLAYERS:
        return RulePlayer(name, _choose_function(name), seed)
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        networks, title = untrained_networks(size_named(size or "small"), seed), name
    elif Path(name).is_dir():
        networks, title = load_weights(Path(name)), load_card(Path(name)).name
    else:
        known = ", ".join((*RULE_PLAYERS, UNTRAINED))
        raise InputError(f"no agent {name!r}: neither one of {known}, nor a folder of weights")
    return NetworkAgent(title, networks, PlaneEncoder(), precision or choose_precision(), Sampling(temperature, seed))


def _choose_function(name: str) -> ChooseFunction:
    if name == "random":
        return choose_random
    if name == "tsumogiri":
        return choose_tsumogiri
    return partial(choose_sensible, get_lookup())
