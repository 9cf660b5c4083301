"""The files of a training: what it begins with, and its folder, whose contents are always complete."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from suphx.agent.registry import weights_folder
from suphx.networks.models import MODEL_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.networks.weights import load_agent, load_card, save_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength, read_strength, write_strength

AGENT_FOLDER = "agent"
CHECKPOINT_NAME = "checkpoint.safetensors"
#: Result of a measurement: the last agent's in the run's folder, the best agent's in its own folder.
STRENGTH_NAME = "strength.json"


class RunFolder:
    """Paths in a run's folder, and the agents saved there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / CHECKPOINT_NAME
        self.agent = path / AGENT_FOLDER
        """The five networks, as of the last checkpoint."""
        self.best = path / "best"
        """A copy of the best agent measured so far, with its measurement."""
        self.tensorboard = path / "tensorboard"
        self.games = path / "games"
        self.evaluation = path / "evaluation"
        self.strength = path / STRENGTH_NAME
        """The last measurement."""

    @property
    def last_good(self) -> str:
        """A sentence that says which agent and checkpoint there are."""
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
        """Write the agent, without hidden planes; games: played so far."""
        plain = {model: network.with_planes(MODEL_PLANES[model]) for model, network in networks.items()}
        about = {"start": config.start, "games": f"{games:,}", "config": config.model_dump_json()}
        starts, temperatures = [weights_folder(config.start)], temperatures_of(config)
        save_agent(self.agent, plain, config.name, about, starts=starts, temperatures=temperatures)

    def best_strength(self) -> Strength | None:
        """Return the best agent's measurement; None if no agent has been measured to be as good as the start."""
        return read_strength(self.best / STRENGTH_NAME)

    def keep_if_best(self, agent: Path, strength: Strength) -> None:
        """Keep a copy of the agent, unless it is worse than the start or an agent measured earlier was better.

        A best agent with as many games as this one or more was left by a run that has since gone back to a checkpoint
        or was restarted; it is replaced.
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
    temperatures = load_card(weights_folder(config.start)).temperatures
    wanted = {model: config.learning.temperature_for(model) for model in config.learning.models}
    return temperatures | {model: value for model, value in wanted.items() if value is not None}
