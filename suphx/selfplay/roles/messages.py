"""The objects that roles send each other, as plain arrays: networks, experience, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch

from suphx.learning.advantages import Moments
from suphx.networks.models import CRITIC
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.sizes import NetworkSize, Size, build_network
from suphx.selfplay.play import PlayCounts


@dataclass(frozen=True)
class PackedNetwork:
    """A network: its kind and its weights."""

    model: str
    """One of the five models, or CRITIC."""
    size: Size
    planes: int
    weights: dict[str, np.ndarray]
    """f32 arrays by name"""


def pack(network: PolicyNetwork | ValueNetwork) -> PackedNetwork:
    """Return a network with copies of its weights."""
    weights = {name: each.detach().float().cpu().numpy().copy() for name, each in network.state_dict().items()}
    return PackedNetwork(network.model, network.size, network.planes, weights)


def pack_all(networks: Mapping[str, PolicyNetwork]) -> dict[str, PackedNetwork]:
    """Return networks packed, by model."""
    return {model: pack(network) for model, network in networks.items()}


def unpack(packed: PackedNetwork) -> PolicyNetwork | ValueNetwork:
    """Return the network, with weights of its own."""
    network: PolicyNetwork | ValueNetwork = (
        ValueNetwork(cast(NetworkSize, packed.size), packed.planes)
        if packed.model == CRITIC
        else build_network(packed.model, packed.size, packed.planes)
    )
    network.load_state_dict({name: torch.from_numpy(each.copy()) for name, each in packed.weights.items()})
    return network


def unpack_policies(packed: Mapping[str, PackedNetwork]) -> dict[str, PolicyNetwork]:
    """Return policy networks, by model."""
    return {model: cast(PolicyNetwork, unpack(each)) for model, each in packed.items()}


@dataclass(frozen=True)
class Published:
    """New weights for play."""

    version: int
    gamma: float
    """Share of the hidden information that is shown (`oracle.py`)."""
    at: float
    """Wall-clock time of the publication, in seconds."""
    networks: dict[str, PackedNetwork]
    """The learning networks by model, and the critic if there is one."""


@dataclass
class Minibatch:
    """A minibatch of one model, or a buffer's share of it, with a part for each process of the parameter server."""

    model: str | None
    """None: some buffer had too few decisions of every model."""
    parts: list[list[Any]]
    """Ray references to rows of experience, by process; all empty without a model."""
    counts: PlayCounts
    """PlayCounts of what the buffers received since they last told."""
    metrics: list[dict[str, float]]
    """Those of each buffer that has reported (`ReplayBuffer.metrics`)."""
    moments: Moments
    """Those of the buffer that gathered it."""

    def add(self, other: Minibatch) -> None:
        """Add another buffer's share; without its rows there is no minibatch."""
        self.model = self.model if other.model else None
        self.parts = [own + more for own, more in zip(self.parts, other.parts, strict=True)]
        self.counts += other.counts
        self.metrics += other.metrics
