"""Agents by name: rule-based players, networks, networks that adapt, and other people's bots."""

from __future__ import annotations

import hashlib
from importlib.metadata import version

from simulator.players import PLAYERS, player
from suphx.adaptation.named import ADAPTED, adapted_agent, parse
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Sampling
from suphx.agent.in_turns import TURNS, InTurns
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.named_networks import SHIPPED, UNTRAINED, load_networks, names_networks, weights_folder
from suphx.agent.network_agent import NetworkAgent
from suphx.errors import InputError
from suphx.mjai.host.specs import external_agent, is_external
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.weights import load_card


def load_agent(
    name: str,
    seed: int = 0,
    temperature: float | None = None,
    precision: Precision | None = None,
    fixed_passes: bool = False,
) -> Agent:
    """Return the agent of a name.

    name: one of `simulator.players.PLAYERS`; networks (`agent.named_networks`); `adapted:AGENT` for one that adapts
    (`adaptation.named`); an external bot (`mjai.host.specs`); several of these but bots, between them `|`, which take
    turns by the number of the game (`agent.in_turns`). seed: of its random choices (and of fresh weights).
    temperature, precision, fixed_passes: of networks; by default the likeliest answers, what a probe finds fastest, and
    passes of as many positions as there are. Raises InputError for a name that is none of these and weights that cannot
    be used.
    """
    if name in PLAYERS:
        return RuleAgent(player(name, seed))
    if is_external(name):
        return external_agent(name)
    precision = precision or choose_precision()
    if TURNS in name:
        parts = [load_agent(each, seed, temperature, precision, fixed_passes) for each in in_turn(name)]
        return InTurns(name, parts)
    if name.startswith(ADAPTED):
        return adapted_agent(name, seed, temperature, precision, fixed_passes)
    if not names_agent(name):
        known = ", ".join((*PLAYERS, *SHIPPED, UNTRAINED, f"{ADAPTED}AGENT", "majiang", "bot:COMMAND"))
        raise InputError(f"no agent {name!r}: neither one of {known}, nor a folder of weights")
    title, networks = load_networks(name, seed)
    return NetworkAgent(title, networks, PlaneEncoder(), precision, Sampling(temperature, seed), fixed_passes)


def names_agent(name: str) -> bool:
    """Return whether a name is one of those that `load_agent` takes; it may still name weights that cannot be used."""
    if name in PLAYERS or is_external(name):
        return True
    if TURNS in name:
        return all(map(names_agent, name.split(TURNS)))
    return name.startswith(ADAPTED) or names_networks(name)


def in_turn(name: str) -> list[str]:
    """Return the agents that take turns under a name, as a rule one; raises InputError for bots among several."""
    if is_external(name) or TURNS not in name:
        return [name]
    names = name.split(TURNS)
    if any(map(is_external, names)):
        raise InputError(f"{name}: a bot that lives outside cannot take turns with others")
    return names


def has_networks(name: str) -> bool:
    """Return whether an agent of this name decides by networks of ours."""
    return any(each not in PLAYERS and not is_external(each) for each in in_turn(name))


def fingerprint(name: str) -> str:
    """Return what tells whether an agent of this name is still the same one: for weights, a hash of their files.

    Raises InputError for weights that cannot be used; for other names the name and the program's version say it.
    """
    if len(names := in_turn(name)) > 1:
        return TURNS.join(map(fingerprint, names))
    if name.startswith(ADAPTED):
        agent, config = parse(name)
        return ", ".join([fingerprint(agent), config.model_dump_json(), *config.adaptation.fingerprints().values()])
    if names_networks(name) and name.partition(":")[0] != UNTRAINED:
        card = load_card(weights_folder(name))
        return hashlib.sha256(repr(sorted(card.sha256.items())).encode()).hexdigest()[:16]
    return f"{name}, {version('suphx')}"
