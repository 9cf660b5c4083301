"""The objects that roles send each other, as plain arrays: networks, experience, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from suphx.learning.advantages import Moments
from suphx.learning.experience import Batch
from suphx.learning.learner import Learner
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.sizes import CRITIC, NetworkSize
from suphx.selfplay.play import Counts

#: The learner's number among the players of an engine; opponents with networks are numbered from 1 on.
LEARNING_PLAYER = 0


@dataclass(frozen=True)
class Parcel:
    """A network: its kind and its weights."""

    model: str
    """One of the five models, or CRITIC."""
    size: NetworkSize
    planes: int
    weights: dict[str, np.ndarray]
    """f32 arrays by name"""

    @property
    def bytes(self) -> int:
        """Size of the weights in bytes."""
        return sum(each.nbytes for each in self.weights.values())


def pack(network: PolicyNetwork | ValueNetwork) -> Parcel:
    """Return a network as a parcel, with copies of its weights."""
    weights = {name: each.detach().float().cpu().numpy().copy() for name, each in network.state_dict().items()}
    return Parcel(network.model, network.size, network.planes, weights)


def pack_networks(networks: Mapping[str, PolicyNetwork]) -> dict[str, Parcel]:
    """Return networks as parcels, by model."""
    return {model: pack(network) for model, network in networks.items()}


def pack_all(learner: Learner) -> dict[str, Parcel]:
    """Return the networks of a learner as parcels, by model, including the critic if there is one."""
    critic = {} if learner.critic is None else {CRITIC: pack(learner.critic.network)}
    return pack_networks(learner.networks) | critic


def unpack_policy(parcel: Parcel) -> PolicyNetwork:
    """Return the policy network of a parcel, with weights of its own."""
    network = PolicyNetwork(parcel.model, parcel.size, parcel.planes)
    network.load_state_dict(_tensors(parcel))
    return network


def unpack(parcel: Parcel) -> PolicyNetwork | ValueNetwork:
    """Return the network of a parcel, with weights of its own."""
    if parcel.model != CRITIC:
        return unpack_policy(parcel)
    network = ValueNetwork(parcel.size, parcel.planes)
    network.load_state_dict(_tensors(parcel))
    return network


def _tensors(parcel: Parcel) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(each.copy()) for name, each in parcel.weights.items()}


@dataclass(frozen=True)
class Published:
    """New weights for play."""

    version: int
    gamma: float
    """Share of the hidden information that is shown (`oracle.py`)."""
    at: float
    """Wall-clock time of the publication, in seconds."""
    networks: dict[str, Parcel]
    """The learning networks by model, and the critic if there is one."""
    earlier: list[tuple[int, Any]] = field(default_factory=list)
    """For each place of an earlier version: what identifies its weights, and a Ray reference to dict[str, Parcel]."""


@dataclass(frozen=True)
class Shipment:
    """Rounds that a simulator sends to a buffer."""

    batch: Batch
    raw: dict[str, np.ndarray]
    """f64[n] by model: advantages from `raw_advantages`."""
    counts: Counts


@dataclass
class Share:
    """What one buffer gives to a minibatch, and figures of the buffer."""

    pieces: dict[int, Any]
    """Ray references to rows, by process of the parameter server; empty if there were too few questions."""
    counts: Counts
    """Counts of what the buffer received since it last told."""
    figures: dict[str, float]


@dataclass
class LessonParts:
    """A minibatch of one model, drawn from all buffers, with a part for each process of the parameter server."""

    model: str | None
    """None: no model had enough questions."""
    shares: list[Share]
    """Of all buffers, or if there is no minibatch, of the one that was asked."""
    moments: Moments
    """Those of the buffer that was asked."""

    def part(self, rank: int) -> list[Any]:
        """Return the pieces of a process's part, as Ray references to rows."""
        return [share.pieces[rank] for share in self.shares if rank in share.pieces]
