"""The agent that plays with the five networks: encoder, networks and decision flow."""

from collections.abc import Mapping

import torch

from suphx.agent.encoder import PlaneEncoder
from suphx.agent.flow import Flow, Sampling
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODELS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize


class NetworkAgent(Flow):
    """An agent that plays with five networks; it copies their weights."""

    def __init__(
        self,
        name: str,
        networks: Mapping[str, PolicyNetwork],
        encoder: PlaneEncoder,
        precision: Precision,
        sampling: Sampling | None = None,
        batch_invariant: bool = False,
    ) -> None:
        """networks: by model name, all of `MODELS`. sampling: by default the likeliest answer of each network.

        batch_invariant: as in `Evaluator`; with it an answer does not depend on the other decisions of its batch.
        """
        evaluators = {model: Evaluator(networks[model], precision, batch_invariant) for model in MODELS}
        calls = {model: evaluator.logits for model, evaluator in evaluators.items()}
        super().__init__(calls, encoder, sampling or Sampling(), name=name)


def untrained_networks(size: NetworkSize, seed: int = 0) -> dict[str, PolicyNetwork]:
    """Return the five networks with fresh weights, determined by the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return {model: PolicyNetwork(model, size) for model in MODELS}
