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
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision, choose_precision
from suphx.networks.sizes import size_named
from suphx.networks.weights import load_agent as load_weights
from suphx.networks.weights import load_card

UNTRAINED = "untrained"
#: How the name of an agent that adapts begins (`suphx.adaptation.named`, which stands on agents).
ADAPTED = "adapted:"
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
    default `small`); `adapted:AGENT` for one that adapts (`adaptation.named`); an external bot (`mjai.host.specs`);
    otherwise a folder of weights. seed: of its random choices (and of fresh weights). temperature, precision,
    fixed_passes: of networks; by default the likeliest answers, what a probe finds fastest, and passes of as many
    positions as there are. Raises InputError for a name that is none of these and weights that cannot be used.
    """
    if name in PLAYERS:
        return RuleAgent(player(name, seed))
    if is_external(name):
        return external_agent(name)
    precision = precision or choose_precision()
    if name.startswith(ADAPTED):
        from suphx.adaptation.named import adapted_agent

        return adapted_agent(name, seed, temperature, precision, fixed_passes)
    title, networks = load_networks(name, seed)
    return NetworkAgent(title, networks, PlaneEncoder(), precision, Sampling(temperature, seed), fixed_passes)


def load_networks(name: str, seed: int = 0) -> tuple[str, dict[str, PolicyNetwork]]:
    """Return the title and the five networks of an agent of ours, by model.

    name: as for `load_agent`, of an agent that has networks. seed: of fresh weights. Raises InputError for other names
    and weights that cannot be used.
    """
    kind, _, size = name.partition(":")
    if kind == UNTRAINED:
        return name, untrained_networks(size_named(size or "small"), seed)
    if name in SHIPPED or Path(name).is_dir():
        folder = weights_folder(name)
        return load_card(folder).name, load_weights(folder)
    if name in PLAYERS or is_external(name):
        raise InputError(f"{name}: an agent without networks of ours")
    known = ", ".join((*PLAYERS, *SHIPPED, UNTRAINED, "adapted:AGENT", "majiang", "bot:COMMAND"))
    raise InputError(f"no agent {name!r}: neither one of {known}, nor a folder of weights")


def has_networks(name: str) -> bool:
    """Return whether an agent of this name decides by networks of ours."""
    return name not in PLAYERS and not is_external(name)


def fingerprint(name: str) -> str:
    """Return what tells whether an agent of this name is still the same one: for weights, a hash of their files.

    Raises InputError for weights that cannot be used; for other names the name and the program's version say it.
    """
    if name.startswith(ADAPTED):
        from suphx.adaptation.named import parse

        agent, config = parse(name)
        return f"{fingerprint(agent)}, {config.model_dump_json()}"
    if name in SHIPPED or Path(name).is_dir():
        card = load_card(weights_folder(name))
        return hashlib.sha256(repr(sorted(card.sha256.items())).encode()).hexdigest()[:16]
    return f"{name}, {version('suphx')}"
