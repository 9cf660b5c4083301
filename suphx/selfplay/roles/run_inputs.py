"""What a run by roles starts from, read from files once, where the run is started, and sent to all roles."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

import ray

from simulator.rules import Rules
from suphx.agent.registry import UNTRAINED, has_networks, weights_folder
from suphx.errors import InputError
from suphx.features.layout import ORACLE_VERSION, VERSION
from suphx.networks.policy import PolicyNetwork
from suphx.networks.weights import load_agent
from suphx.reward.kinds import RoundRewards
from suphx.selfplay.config import LEARNER, TrainConfig
from suphx.selfplay.play import load_opponents


@dataclass(frozen=True)
class Networks:
    """Networks that do not change in a run, by model."""

    start: dict[str, PolicyNetwork]
    """The five that the learner starts from."""
    opponents: dict[str, dict[str, PolicyNetwork]]
    """Those of opponents, by name and model; rule-based opponents are left out."""


@dataclass(frozen=True)
class RunInputs:
    """What a run starts from."""

    config: TrainConfig
    program: str
    """Version of the program and of its planes, which must be the same on every machine."""
    networks: bytes
    """Ray reference to Networks, which a machine gets once, and only if networks are there. Serialized: then Ray keeps
    them as long as the process that starts the run, and does not warn that they could be gone at a restart."""
    opponents: tuple[str, ...]
    """Names of the opponents with networks."""
    rewards: RoundRewards
    """The rewards of rounds."""

    def number_of(self, name: str) -> int:
        """Return the number of an opponent among the players that networks answer for."""
        return LEARNER + 1 + self.opponents.index(name)

    def check(self) -> RunInputs:
        """Raise InputError, naming this machine, if it has a different program."""
        if self.program != program():
            raise InputError(f"the machine {socket.gethostname()} has {program()}, the run is of {self.program}")
        return self

    def load_networks(self) -> Networks:
        """Return copies of the networks; raises InputError as `check`."""
        networks: Networks = ray.get(ray.cloudpickle.loads(self.check().networks))
        return networks


def program() -> str:
    """Return the versions that must be equal for programs to work together."""
    return f"suphx {version('suphx')}, planes {VERSION}, hidden planes {ORACLE_VERSION}"


def read_networks(config: TrainConfig, start: Mapping[str, PolicyNetwork]) -> Networks:
    """Return the networks of a run; raises InputError if an opponent cannot be used.

    start: the networks it starts from, by model.
    """
    against = {}
    for name in dict.fromkeys(config.table.opponents):
        if name.partition(":")[0] == UNTRAINED:
            raise InputError(f"{name}: fresh networks cannot sit at the tables of a distributed training")
        if has_networks(name):
            against[name] = load_agent(weights_folder(name))
        else:
            load_opponents((name,), config.seed)  # it can be loaded, and can sit at these tables
    return Networks(dict(start), against)


def publish_run_inputs(config: TrainConfig, start: Mapping[str, PolicyNetwork]) -> RunInputs:
    """Return what a run starts from, with networks where Ray can hand them out; raises InputError as `read_networks`.

    Also raises it if the reward cannot be used.
    """
    networks, rewards = read_networks(config, start), config.reward.load(Rules.preset(config.rules))
    reference = ray.cloudpickle.dumps(ray.put(networks))
    return RunInputs(config, program(), reference, tuple(networks.opponents), rewards)
