"""Average of agents: the mean of the weights of several trainings that began with the same weights.

Trainings by self-play differ mostly by chance, and what chance did to the weights partly cancels in their mean, while
what all have learned stays (model soups: Wortsman et al., 2022, arXiv:2203.05482).
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import harmonic_mean

import torch

from suphx.errors import InputError
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.weights import AgentCard, load_agent, load_card, save_agent


def average_networks(networks: Sequence[PolicyNetwork]) -> PolicyNetwork:
    """Return a network with the mean weights of networks of one model; raises InputError if their sizes differ."""
    first = networks[0]
    sizes = {(each.size.filters, each.size.blocks) for each in networks}
    if len(sizes) > 1:
        found = ", ".join(f"{filters} x {blocks}" for filters, blocks in sorted(sizes))
        raise InputError(f"{first.model}: networks of several sizes ({found}) have no average")
    states = [each.state_dict() for each in networks]
    mean = PolicyNetwork(first.model, first.size, first.planes)
    # In double precision equal weights stay as they are.
    mean.load_state_dict({name: torch.stack([each[name].double() for each in states]).mean(0) for name in states[0]})
    return mean


def average_agents(folders: Sequence[Path], out: Path, names: str) -> None:
    """Write the average of agents, network by network, into the folder `out`; names: what its card calls them.

    Raises InputError for unusable weights, for networks of different sizes, and if there is already something in `out`.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: there is something already; the average needs a new folder")
    agents = [load_agent(folder) for folder in folders]
    networks = {model: average_networks([agent[model] for agent in agents]) for model in MODELS}
    temperatures = _temperatures([load_card(folder) for folder in folders])
    save_agent(out, networks, out.resolve().name, {"average of": names}, starts=folders, temperatures=temperatures)


def _temperatures(cards: Sequence[AgentCard]) -> dict[str, float]:
    """Return the temperatures of the average, by model: the mean is of logits, which are multiplied by 1 / these."""
    models = dict.fromkeys(model for card in cards for model in card.temperatures)
    return {model: harmonic_mean([card.temperatures.get(model, 1.0) for card in cards]) for model in models}
