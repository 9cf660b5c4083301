"""What the roles send each other, as plain arrays: networks, experience, counts."""

from __future__ import annotations

import socket
from dataclasses import dataclass, fields
from importlib.metadata import version

import numpy as np
import torch

from suphx.errors import InputError
from suphx.features.layout import ORACLE_VERSION, VERSION
from suphx.networks.policy import PolicyNetwork, ValueNetwork
from suphx.networks.sizes import CRITIC, NetworkSize
from suphx.reward.predictor import RewardPredictor
from suphx.selfplay.advantage import Moments
from suphx.selfplay.learner import Learner
from suphx.selfplay.replay import Lesson
from suphx.selfplay.trajectory import Batch

#: The learner's number among the players of an engine; opponents that are networks follow from 1 on.
LEARNING_PLAYER = 0


@dataclass(frozen=True)
class Parcel:
    """A network: what it is, and its weights."""

    model: str
    """One of the five, or CRITIC."""
    size: NetworkSize
    planes: int
    weights: dict[str, np.ndarray]
    """f32 arrays by name"""

    @property
    def bytes(self) -> int:
        """How many bytes its weights take."""
        return sum(each.nbytes for each in self.weights.values())


def pack(network: PolicyNetwork | ValueNetwork) -> Parcel:
    """Return a network as a parcel, with copies of its weights."""
    weights = {name: each.detach().float().cpu().numpy().copy() for name, each in network.state_dict().items()}
    return Parcel(network.model, network.size, network.planes, weights)


def pack_all(learner: Learner) -> dict[str, Parcel]:
    """Return the networks of a learner as parcels, by model, the critic too if it has one."""
    critic = {} if learner.critic is None else {CRITIC: learner.critic.network}
    return {model: pack(network) for model, network in (learner.networks | critic).items()}


def unpack_policy(parcel: Parcel) -> PolicyNetwork:
    """Return the policy network of a parcel, with weights of its own."""
    network = PolicyNetwork(parcel.model, parcel.size, parcel.planes)
    network.load_state_dict(_tensors(parcel))
    return network


def unpack(parcel: Parcel) -> PolicyNetwork | ValueNetwork:
    """Return the network of a parcel, with weights of its own."""
    return unpack_critic(parcel) if parcel.model == CRITIC else unpack_policy(parcel)


def unpack_critic(parcel: Parcel) -> ValueNetwork:
    """Return the critic of a parcel, with weights of its own."""
    network = ValueNetwork(parcel.size, parcel.planes)
    network.load_state_dict(_tensors(parcel))
    return network


def _tensors(parcel: Parcel) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(each.copy()) for name, each in parcel.weights.items()}


@dataclass(frozen=True)
class Beginning:
    """What a run begins with, read from files once, where those are."""

    program: str
    """Version of the program and of its planes, which every machine must have."""
    start: dict[str, Parcel]
    """The five networks that the learner starts from, by model."""
    opponents: dict[str, dict[str, Parcel]]
    """Networks of opponents, by name; rule-based ones have none."""
    teachers: dict[str, Parcel] | None
    """Oracles to distil from, by model."""
    predictor: RewardPredictor | None
    """Of Phi, if it is the reward."""

    def number_of(self, name: str) -> int:
        """Return the number of an opponent among the players of an engine."""
        return LEARNING_PLAYER + 1 + list(self.opponents).index(name)

    def check(self) -> Beginning:
        """Return it; raises InputError, naming this machine, if the program here is another one."""
        if self.program != program():
            raise InputError(f"the machine {socket.gethostname()} has {program()}, the run is of {self.program}")
        return self


def program() -> str:
    """Return what tells programs apart that do not fit each other."""
    return f"suphx {version('suphx')}, planes {VERSION}, hidden planes {ORACLE_VERSION}"


@dataclass(frozen=True)
class Published:
    """Weights that play from now on."""

    version: int
    gamma: float
    """Share of what is hidden that is shown (`oracle.py`)."""
    at: float
    """Time of the clock when they were published, in seconds."""
    networks: dict[str, Parcel]
    """By model: those that learn, and the critic if there is one."""


@dataclass
class Counts:
    """What was played; sums of several are made with `+=`."""

    games: int = 0
    rounds: int = 0
    decisions: int = 0
    questions: int = 0
    reward: float = 0.0
    """Sum over paths."""
    reward_square: float = 0.0
    paths: int = 0
    phi_square: float = 0.0
    """Of Phi in games that are over, as in `rewards.Errors`."""
    phi_count: int = 0
    seconds: float = 0.0
    """Of collecting, over all halves of all simulators."""
    waiting: float = 0.0
    """... of them, for answers of inference engines."""
    held: float = 0.0
    """... of them, for a buffer that had enough."""

    def __iadd__(self, other: Counts) -> Counts:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self


@dataclass(frozen=True)
class Shipment:
    """Rounds that a simulator hands over."""

    batch: Batch
    raw: dict[str, np.ndarray]
    """f64[n] by model: advantages as `raw_advantages` returns them."""
    counts: Counts


@dataclass(frozen=True)
class LessonParts:
    """A minibatch of one model, in as many parts as the parameter server has processes, and news of the buffer."""

    model: str | None
    """None: there was not enough of any."""
    parts: list[object]
    """References to Lesson."""
    counts: Counts
    """Of what came in since the last answer."""
    figures: dict[str, float]
    moments: Moments


def own(lesson: Lesson) -> Lesson:
    """Return a lesson with arrays of its own: those that Ray hands over are read-only, in memory that others share."""
    return lesson.rows(np.arange(len(lesson)))


@dataclass(frozen=True)
class Saved:
    """All that a checkpoint holds, on its way to who writes it."""

    progress: str
    """`RolesProgress` as JSON."""
    tensors: dict[str, np.ndarray]
    learner: dict[str, Parcel]
    """The networks that learn, as they are, and the critic if there is one."""
    gamma: float = 0.0
