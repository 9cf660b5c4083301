"""The folder of a run: where everything is, and how it gets there whole."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from suphx.agent.named_networks import weights_folder
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.sizes import MODEL_PLANES
from suphx.networks.weights import save_agent, save_critic, save_network
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength, read_strength, write_strength
from suphx.selfplay.oracle import narrow
from suphx.selfplay.rewards import worth_of

AGENT_FOLDER = "agent"
CHECKPOINT_NAME = "checkpoint.safetensors"
CRITIC_NAME = "critic.safetensors"
#: What a measurement came to: of the last agent in the run's folder, of the best one in its own.
STRENGTH_NAME = "strength.json"


class RunFolder:
    """Names of what is in a run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / CHECKPOINT_NAME
        self.agent = path / AGENT_FOLDER
        """The five networks, as of the last checkpoint."""
        self.best = path / "best"
        """A copy of the agent that was measured best, with what it was measured to be."""
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
        if (best := self.best_strength()) is not None:
            last = f"the last checkpoint is {self.checkpoint}, its agent {self.agent}"
            return f"The best agent that was measured, after {best.games:,} games, is {self.best}; {last}."
        if self.evaluation.exists():
            last = f"The last agent is {self.agent}, its checkpoint {self.checkpoint}"
            return f"{last}; none has been measured to be as good as the start."
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

    def best_strength(self) -> Strength | None:
        """Return what the best agent was measured to be; None if there is none, or none as good as the start."""
        return read_strength(self.best / STRENGTH_NAME)

    def keep_if_best(self, agent: Path, strength: Strength) -> None:
        """Keep a copy of the agent in a folder, unless it is worse than the start or one measured before it was better.

        One of as many games or more than this one is of a run that went back to a checkpoint, or was begun anew.
        """
        fresh, before = self.path / ".best-new", self.path / ".best-before"
        if before.exists() and not self.best.exists():  # killed between the two renames below
            before.rename(self.best)
        best = self.best_strength()
        is_beaten = best is not None and best.games < strength.games and best.less_start <= strength.less_start
        if strength.is_worse or is_beaten:
            return
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(agent, fresh)
        write_strength(fresh / STRENGTH_NAME, strength)
        shutil.rmtree(before, ignore_errors=True)
        if self.best.exists():
            self.best.rename(before)
        fresh.rename(self.best)
        shutil.rmtree(before, ignore_errors=True)

    def save_critic(self, config: TrainConfig, network: ValueNetwork) -> None:
        """Write the critic: no part of the agent, but for whoever goes on learning, such as one that adapts."""
        save_critic(self.critic, network, worth_of(config.reward))


def _narrowed(network: PolicyNetwork) -> PolicyNetwork:
    """Return a network as it plays without what is hidden."""
    more = network.planes - MODEL_PLANES[network.model]
    return narrow(network, more) if more else network
