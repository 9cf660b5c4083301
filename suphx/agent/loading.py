"""Agents by name: rule-based players, untrained networks, folders of weights, and other people's bots."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from simulator.players import PLAYERS, player
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Sampling
from suphx.agent.interface import Agent, RuleAgent
from suphx.agent.network_agent import NetworkAgent, untrained_networks
from suphx.errors import InputError
from suphx.mjai.host.specs import external_agent, is_external
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"
#: Weights that come with the package, by name; the first is meant where no agent is named.
SHIPPED = {name: Path(__file__).parents[1] / "weights" / name for name in ("sl", "sl-weak")}


def weights_folder(name: str) -> Path:
    """Return the folder of weights that a name or path means; raises InputError if there is none."""
    folder = SHIPPED.get(name, Path(name))
    if not folder.is_dir():
        known = ", ".join(SHIPPED)
        raise InputError(f"no weights {name!r}: neither {known}, which come with the package, nor a folder of weights")
    return folder


def load_agent(
    name: str,
    seed: int = 0,
    temperature: float | None = None,
    precision: Precision | None = None,
    fixed_passes: bool = False,
) -> Agent:
    """Return the agent of a name.

    name: one of `simulator.players.PLAYERS`; one of `SHIPPED`; `untrained` or `untrained:SIZE` for fresh networks (by
    default `small`); an external bot (`mjai.host.specs`); otherwise a folder of weights. seed: of its random choices
    (and of fresh weights). temperature, precision, fixed_passes: of networks; by default the likeliest answers, what a
    probe finds fastest, and passes of as many positions as there are. Raises InputError for a name that is none of
    these and weights that cannot be used.
    """
    if name in PLAYERS:
        return RuleAgent(player(name, seed))
    if is_external(name):
        return external_agent(name)
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        networks, title = untrained_networks(size_named(size or "small"), seed), name
    elif name in SHIPPED or Path(name).is_dir():
        folder = weights_folder(name)
        networks, title = load_weights(folder), load_card(folder).name
    else:
        known = ", ".join((*PLAYERS, *SHIPPED, UNTRAINED, "majiang", "bot:COMMAND"))
        raise InputError(f"no agent {name!r}: neither one of {known}, nor a folder of weights")
    precision = precision or choose_precision()
    return NetworkAgent(title, networks, PlaneEncoder(), precision, Sampling(temperature, seed), fixed_passes)


def has_networks(name: str) -> bool:
    """Return whether an agent of this name decides by networks of ours."""
    return name not in PLAYERS and not is_external(name)


def fingerprint(name: str) -> str:
    """Return what tells whether an agent of this name is still the same one: for weights, a hash of their files.

    Raises InputError for weights that cannot be used; for other names the name and the program's version say it.
    """
    if name in SHIPPED or Path(name).is_dir():
        card = load_card(weights_folder(name))
        return hashlib.sha256(repr(sorted(card.sha256.items())).encode()).hexdigest()[:16]
    return f"{name}, {version('suphx')}"
