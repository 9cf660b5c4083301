"""Players that share an agent's five networks: greedy, sampling discards, or with another discard network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event

import numpy as np

from simulator.tables import Decisions
from suphx.adaptation.steps import n_shared_blocks
from suphx.agent.flow import Flow, Network, PlaneEncoder, Sampling
from suphx.agent.interface import AgentOutput
from suphx.errors import InputError
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork, Trunk
from suphx.networks.precision import Precision
from suphx.threads import Stopped

#: The network that adapts.
DISCARD = "discard"


class StoppableFlow(Flow):
    """A decision flow, until the `stop` of its original is set."""

    def __init__(
        self, original: OriginalAgent, networks: Mapping[str, Network], sampling: Mapping[str, Sampling] | None
    ) -> None:
        super().__init__(networks, PlaneEncoder(), Sampling(), sampling, original.name)
        self._original = original

    def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
        """Choose an action for each decision; raises Stopped once `stop` is set."""
        if self._original.stop.is_set():
            raise Stopped
        return super().act(games, decisions)


@dataclass(frozen=True)
class PolicyCopy:
    """A discard network in place of the original's."""

    network: PolicyNetwork
    evaluator: Evaluator


class OriginalAgent:
    """The agent to adapt; its own networks stay unchanged."""

    def __init__(
        self, name: str, networks: Mapping[str, PolicyNetwork], precision: Precision, batch_invariant: bool = True
    ) -> None:
        """networks: by model; batch_invariant: as in `Evaluator`; few rollouts are faster, but vary, without.

        Raises InputError if the discard network is not a residual one, of which the last blocks can learn.
        """
        if not isinstance(networks[DISCARD], Trunk):
            raise InputError(f"{name} cannot adapt: its discard network, {networks[DISCARD].size}, is not residual")
        self.name = name
        self.precision = precision
        self._batch_invariant = batch_invariant
        self.stop = Event()
        """While it is set, all players of this agent raise Stopped."""
        self.networks = {model: networks[model].to(precision.device) for model in MODELS}
        evaluators = {model: Evaluator(each, precision, batch_invariant) for model, each in self.networks.items()}
        self._logits = {model: each.logits for model, each in evaluators.items()}
        self.policy = PolicyCopy(self.networks[DISCARD], evaluators[DISCARD])
        self.greedy = self.player(self.policy)
        """The unchanged agent as a player, which takes the most likely actions."""

    def copy(self, network: PolicyNetwork) -> PolicyCopy:
        """Return a copy of this agent's policy with another network; first blocks that both share are used by both."""
        blocks = n_shared_blocks(network, self.policy.network)
        like = None if blocks is None else (self.policy.evaluator, blocks)
        return PolicyCopy(network, Evaluator(network, self.precision, self._batch_invariant, like))

    def player(self, copy: PolicyCopy, sampling: Mapping[str, Sampling] | None = None) -> StoppableFlow:
        """Return a player with a copy, greedy except for the models in `sampling`."""
        return StoppableFlow(self, self._logits | {DISCARD: copy.evaluator.logits}, sampling)

    def sampling(self, temperature: float, seed: int = 0) -> StoppableFlow:
        """Return the unchanged agent as a player that samples its discards."""
        return self.player(self.policy, {DISCARD: Sampling(temperature, seed)})
