"""A process of the parameter server: it learns from its part of each minibatch."""

import copy
from collections.abc import Mapping

import numpy as np
import torch

from suphx.learning.learner import Learner, LearnerState
from suphx.learning.peers import Peers, TorchPeers
from suphx.networks.precision import keep_memory
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.resources import precision_for
from suphx.selfplay.roles.run_inputs import run_inputs_with_networks


class LearningWorker:
    """One process of the parameter server."""

    def __init__(self, rank: int, config: TrainConfig) -> None:
        keep_memory()
        self._rank, self._config = rank, config
        self.precision = precision_for(config.roles.servers)
        _, self._networks = run_inputs_with_networks()
        self.learner = self._make(Peers())
        self.minibatch: np.ndarray
        """What the next step is about."""

    def _make(self, peers: Peers) -> Learner:
        learning = self._config.learning
        starts = {model: copy.deepcopy(self._networks.start[model]) for model in learning.models}
        return Learner(starts, learning, self.precision, self._config.seed, peers)

    def ready(self) -> None:
        """Return once it has started."""

    def join(self, host: str, port: int) -> None:
        """Share every step from now on, connecting through the store at an address; return once all have joined."""
        size = self._config.roles.servers.count
        self.learner = self._make(TorchPeers(self._rank, size, host, port, self.precision.device))

    def load(self, state: LearnerState, tensors: Mapping[str, np.ndarray]) -> None:
        """Resume from a checkpoint."""
        self.learner.load(state, {name: torch.from_numpy(each.copy()) for name, each in tensors.items()})

    def count_games(self, games: int) -> None:
        """Count games that have ended, for the schedules."""
        self.learner.count_games(games)

    def take(self, *rows: np.ndarray) -> None:
        """Receive this process's part of the minibatch for the next step."""
        self.minibatch = np.concatenate(rows)  # copied, since arrays that Ray passes are read-only

    def step(self, model: str, version: int, games: int) -> dict[str, dict[str, float]]:
        """Take a step on what was received last; return the metrics of `Learner.learn`.

        version: of the weights that play now. games: number of games that have ended since the last step.
        """
        self.learner.count_games(games)
        return self.learner.learn(model, self.minibatch, version)
