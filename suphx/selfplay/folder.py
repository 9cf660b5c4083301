"""The folder of a run: where everything is, and how it gets there whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from suphx.agent.named_networks import weights_folder
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.sizes import MODEL_PLANES
from suphx.networks.weights import save_agent, save_critic, save_network
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.oracle import narrow
from suphx.selfplay.rewards import worth_of

AGENT_FOLDER = "agent"
CHECKPOINT_NAME = "checkpoint.safetensors"
CRITIC_NAME = "critic.safetensors"


class RunFolder:
    """Names of what is in a run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / CHECKPOINT_NAME
        self.agent = path / AGENT_FOLDER
        """The five networks, as of the last checkpoint."""
        self.oracle = path / "oracle"
        """Networks that still see what is hidden."""
        self.critic = path / CRITIC_NAME
        """Of the last checkpoint, where one learns."""
        self.tensorboard = path / "tensorboard"
        self.games = path / "games"
        self.evaluation = path / "evaluation"

    @property
    def last_good(self) -> str:
        """Which agent and checkpoint there are, in a sentence."""
        if not self.checkpoint.exists():
            return "No checkpoint has been written yet."
        return f"The last good agent is {self.agent}, its checkpoint {self.checkpoint}."

    def save_agent(self, config: TrainConfig, networks: Mapping[str, PolicyNetwork], games: int) -> None:
        """Write the agent, without what is hidden, and apart from it the networks that see it; games: behind it."""
        plain = {model: _narrowed(network) for model, network in networks.items()}
        about = {"start": config.start, "games": f"{games:,}", "config": config.model_dump_json()}
        start = weights_folder(config.start)
        save_agent(self.agent, plain, config.name, about, seen=np.zeros(0, np.uint64), start=start)
        for model, network in networks.items():
            if network.planes > MODEL_PLANES[model]:
                self.oracle.mkdir(exist_ok=True)
                save_network(self.oracle / f"{model}.safetensors", network)

    def save_critic(self, config: TrainConfig, network: ValueNetwork) -> None:
        """Write the critic: no part of the agent, but for whoever goes on learning, such as one that adapts."""
        save_critic(self.critic, network, worth_of(config.reward))


def _narrowed(network: PolicyNetwork) -> PolicyNetwork:
    """Return a network as it plays without what is hidden."""
    more = network.planes - MODEL_PLANES[network.model]
    return narrow(network, more) if more else network
