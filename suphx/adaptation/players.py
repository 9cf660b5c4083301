"""An agent's five networks as several players that share them: as it plays, drawing its answers, with some replaced."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from simulator.tables import Decisions
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Network, Sampling
from suphx.agent.interface import Choice
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import MODELS


class FlowAgent:
    """A decision flow as an agent."""

    def __init__(self, name: str, flow: Flow) -> None:
        self.name = name
        self.flow = flow

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose for each decision."""
        return self.flow.decide(games, asked)


class Original:
    """The agent that is adapted: its networks stay as they are."""

    def __init__(self, name: str, networks: Mapping[str, PolicyNetwork], precision: Precision) -> None:
        """networks: by model, all of `MODELS`; they answer in passes of fixed size."""
        self.name = name
        self.networks = dict(networks)
        self.precision = precision
        self._evaluators = {model: Evaluator(networks[model], precision, fixed_passes=True) for model in MODELS}
        self.playing = self.player()
        """It as it plays: the likeliest answers."""

    def logits(self, model: str, planes: np.ndarray) -> np.ndarray:
        """Return what a network of the original says, f32[n, 34 or 2], of planes uint64[n, planes]."""
        return self._evaluators[model].logits(planes)

    def player(
        self,
        changed: Mapping[str, Network] | None = None,
        drawn: Collection[str] = (),
        temperature: float = 1.0,
        seed: int = 0,
    ) -> FlowAgent:
        """Return a player with these networks.

        changed: other networks, by model. drawn: models whose answers are drawn, at a temperature; the others give
        their likeliest. seed: of what is drawn.
        """
        networks = {model: evaluator.logits for model, evaluator in self._evaluators.items()} | dict(changed or {})
        drawing = dict.fromkeys(drawn, Sampling(temperature, seed))
        return FlowAgent(self.name, Flow(networks, PlaneEncoder(), Sampling(), drawing))
