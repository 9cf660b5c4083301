"""What a training begins with: the start's networks, its opponents, and fingerprints of all their files."""

from collections.abc import Sequence

from suphx.agent.interface import Agent, Follower
from suphx.agent.network_agent import weights_folder
from suphx.agent.registry import fingerprint
from suphx.agent.registry import load_agent as load_player
from suphx.errors import InputError
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.weights import load_agent, load_card
from suphx.selfplay.config import TrainConfig


def load_start(config: TrainConfig) -> dict[str, PolicyNetwork]:
    """Return the five networks that a training starts from, those that learn at `learning.start_temperature`.

    What was done to their logits before, by their folder's card, is not done again. Raises InputError for weights that
    cannot be used.
    """
    folder = weights_folder(config.start)
    networks, before = load_agent(folder), load_card(folder).temperatures
    for model, temperature in temperatures_of(config).items():
        if model in config.learning.models:
            networks[model].divide_logits(temperature / before.get(model, 1.0))
    return networks


def temperatures_of(config: TrainConfig) -> dict[str, float]:
    """Return the temperatures of a training's agents (`AgentCard`), by model; raises InputError as `load_start`."""
    before, wanted = load_card(weights_folder(config.start)).temperatures, config.learning.start_temperature
    return before if wanted is None else before | dict.fromkeys(config.learning.models, wanted)


def load_opponents(names: Sequence[str], seed: int, precision: Precision | None = None) -> list[Agent]:
    """Return the named opponents; raises InputError if one cannot be loaded."""
    agents = []
    for name in names:
        agent = load_player(name, seed, None, precision, batch_invariant=True)
        if isinstance(agent, Follower):
            agent.close()
            raise InputError(f"{name}: a bot that lives outside this program cannot sit at the tables of self-play")
        agents.append(agent)
    return agents


def fingerprints(config: TrainConfig) -> dict[str, str]:
    """Return hashes of the files' contents, by their part in the training.

    Raises InputError if a file cannot be read.
    """
    hashes = {"start": fingerprint(config.start)}
    hashes |= {f"opponent {name}": fingerprint(name) for name in config.table.opponents}
    return hashes | config.reward.fingerprints()
