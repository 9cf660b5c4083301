"""Players that share an agent's five networks: playing greedily, sampling answers, or with some networks replaced."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from threading import Event

import numpy as np

from simulator.tables import Decisions
from suphx.adaptation.learned_part import blocks_in_common
from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Network, Sampling
from suphx.agent.interface import Choice
from suphx.agent.named_networks import load_networks
from suphx.networks.inference import Evaluator
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import MODELS
from suphx.threads import Stopped


class FlowAgent:
    """A decision flow as an agent, until the `stop` of its original is set."""

    def __init__(self, original: Original, flow: Flow) -> None:
        self.name = original.name
        self.flow = flow
        self._original = original

    def act(self, games: np.ndarray, asked: Decisions) -> Choice:
        """Choose an action for each decision; raises Stopped once `stop` is set."""
        if self._original.stop.is_set():
            raise Stopped
        return self.flow.act(games, asked)


class Copy:
    """Networks that replace some of the original's; empty for the original itself."""

    def __init__(
        self,
        networks: Mapping[str, PolicyNetwork],
        precision: Precision,
        batch_invariant: bool = True,
        original: Copy | None = None,
    ) -> None:
        """networks: by model name. batch_invariant: as in `Evaluator`.

        original: of what they were adapted from: its evaluators are shared as far as the networks' first blocks are.
        """
        self.networks = dict(networks)
        self._evaluators = {
            model: Evaluator(each, precision, batch_invariant, original._like(model, each) if original else None)
            for model, each in networks.items()
        }

    def _like(self, model: str, network: PolicyNetwork) -> tuple[Evaluator, int] | None:
        """Return the evaluator of a model, and how many first blocks a network shares with it; None if nothing."""
        blocks = blocks_in_common(network, self.networks[model])
        return None if blocks is None else (self._evaluators[model], blocks)

    def __bool__(self) -> bool:
        return bool(self.networks)

    @property
    def calls(self) -> dict[str, Network]:
        """The networks as functions, by model name."""
        return {model: evaluator.logits for model, evaluator in self._evaluators.items()}


class Original:
    """The agent to adapt; its own networks stay unchanged."""

    def __init__(
        self, name: str, networks: Mapping[str, PolicyNetwork], precision: Precision, batch_invariant: bool = True
    ) -> None:
        """networks: by model name, all of `MODELS`.

        batch_invariant: as in `Evaluator`; with it results are reproducible from the seed, without it small numbers of
        rollouts are faster.
        """
        self.name = name
        self.networks = {model: networks[model].to(precision.device) for model in MODELS}
        self.precision = precision
        self._batch_invariant = batch_invariant
        self.stop = Event()
        """While it is set, all players of this agent raise Stopped."""
        self._whole = Copy(self.networks, precision, batch_invariant)
        self._calls = self._whole.calls
        self.itself = self.copy({})
        self.playing = self.player()
        """The unchanged agent as a player, which takes the likeliest answers."""

    def copy(self, networks: Mapping[str, PolicyNetwork]) -> Copy:
        """Return a `Copy` with networks, by model name, that replace those of this agent."""
        return Copy(networks, self.precision, self._batch_invariant, self._whole)

    def logits(self, model: str, planes: np.ndarray) -> np.ndarray:
        """Return the logits f32[n, 34 or 2] of an original network for planes uint64[n, planes]."""
        return self._calls[model](planes)

    def player(
        self, changed: Copy | None = None, drawn: Collection[str] = (), temperature: float = 1.0, seed: int = 0
    ) -> FlowAgent:
        """Return a player with these networks.

        changed: networks that replace some of them. drawn: models whose answers are sampled, at the temperature; the
        others give their likeliest. seed: random seed of the sampling.
        """
        networks = self._calls | (changed.calls if changed else {})
        drawing = dict.fromkeys(drawn, Sampling(temperature, seed))
        return FlowAgent(self, Flow(networks, PlaneEncoder(), Sampling(), drawing))


def load_original(name: str, precision: Precision, batch_invariant: bool = True) -> Original:
    """Load the agent with a name for adaptation; raises InputError if it has no networks of ours."""
    return Original(*load_networks(name), precision, batch_invariant)
