"""An agent's five networks as several players that share them: as it plays, drawing its answers, with some replaced."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from simulator.tables import Decisions
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Network, Sampling
from suphx.agent.interface import Choice
from suphx.agent.named_networks import load_networks
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


class Copy:
    """Networks that stand for those of the original; none for the original itself."""

    def __init__(self, networks: Mapping[str, PolicyNetwork], precision: Precision, fixed_passes: bool = True) -> None:
        """networks: by model. fixed_passes: as of `Evaluator`."""
        self.networks = dict(networks)
        self._evaluators = {model: Evaluator(each, precision, fixed_passes) for model, each in networks.items()}

    def __bool__(self) -> bool:
        return bool(self.networks)

    @property
    def calls(self) -> dict[str, Network]:
        """The networks, ready to answer, by model."""
        return {model: evaluator.logits for model, evaluator in self._evaluators.items()}


class Original:
    """The agent that is adapted: its networks stay as they are."""

    def __init__(
        self, name: str, networks: Mapping[str, PolicyNetwork], precision: Precision, fixed_passes: bool = True
    ) -> None:
        """networks: by model, all of `MODELS`.

        fixed_passes: as of `Evaluator`; with them everything that is made of a seed can be had again, without them a
        few rollouts are played faster.
        """
        self.name = name
        self.networks = {model: networks[model] for model in MODELS}
        self.precision = precision
        self._fixed_passes = fixed_passes
        self.itself = self.copy({})
        self._calls = self.copy(self.networks).calls
        self.playing = self.player()
        """It as it plays: the likeliest answers."""

    def copy(self, networks: Mapping[str, PolicyNetwork]) -> Copy:
        """Return networks, by model, as what stands for those of this agent."""
        return Copy(networks, self.precision, self._fixed_passes)

    def logits(self, model: str, planes: np.ndarray) -> np.ndarray:
        """Return what a network of the original says, f32[n, 34 or 2], of planes uint64[n, planes]."""
        return self._calls[model](planes)

    def player(
        self, changed: Copy | None = None, drawn: Collection[str] = (), temperature: float = 1.0, seed: int = 0
    ) -> FlowAgent:
        """Return a player with these networks.

        changed: copies that stand for some of them. drawn: models whose answers are drawn, at a temperature; the others
        give their likeliest. seed: of what is drawn.
        """
        networks = self._calls | (changed.calls if changed else {})
        drawing = dict.fromkeys(drawn, Sampling(temperature, seed))
        return FlowAgent(self.name, Flow(networks, PlaneEncoder(), Sampling(), drawing))


def load_original(name: str, precision: Precision, fixed_passes: bool = True) -> Original:
    """Return the agent of a name as one that can be adapted; raises InputError where it has no networks of ours."""
    return Original(*load_networks(name), precision, fixed_passes)
