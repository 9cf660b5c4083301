"""What a run by roles starts from, read from files once, on the machine that has them, and sent to all roles."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import ray
from ray.exceptions import ObjectLostError

from simulator.rules import Rules
from suphx.agent.registry import UNTRAINED, has_networks, weights_folder
from suphx.errors import InputError
from suphx.features.layout import ORACLE_VERSION, VERSION
from suphx.networks.policy import PolicyNetwork
from suphx.networks.weights import load_agent
from suphx.reward.kinds import RoundRewards
from suphx.selfplay.config import LEARNER, TrainConfig
from suphx.selfplay.play import load_opponents
from suphx.selfplay.roles.role import ask, find

#: Seconds to wait for a monitor that has died and is being restarted.
_AGAIN_SECONDS = 0.5


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

    program: str
    """Version of the program and of its planes, which must be the same on every machine."""
    networks: Any
    """Ray reference to Networks, which a machine gets once, and only if networks are there."""
    opponents: tuple[str, ...]
    """Names of the opponents with networks."""
    rewards: RoundRewards
    """The rewards of rounds."""

    def number_of(self, name: str) -> int:
        """Return the number of an opponent among the players that networks answer for."""
        return LEARNER + 1 + self.opponents.index(name)


def program() -> str:
    """Return the versions that must be equal for programs to work together."""
    return f"suphx {version('suphx')}, planes {VERSION}, hidden planes {ORACLE_VERSION}"


def read_run_inputs(config: TrainConfig, start: Mapping[str, PolicyNetwork]) -> tuple[Networks, RoundRewards]:
    """Return what a run starts from, and its rewards.

    start: the networks it starts from, by model. Raises InputError if an opponent or the reward cannot be used.
    """
    against = {}
    for name in dict.fromkeys(config.table.opponents):
        if name.partition(":")[0] == UNTRAINED:
            raise InputError(f"{name}: fresh networks cannot sit at the tables of a distributed training")
        if has_networks(name):
            against[name] = load_agent(weights_folder(name))
        else:
            load_opponents((name,), config.seed)  # it can be loaded, and can sit at these tables
    rewards = config.reward.load(Rules.preset(config.rules))
    return Networks(dict(start), against), rewards


def publish_run_inputs(config: TrainConfig, start: Mapping[str, PolicyNetwork]) -> RunInputs:
    """Read what a run starts from, and return it, with networks where Ray can hand them out."""
    networks, rewards = read_run_inputs(config, start)
    return RunInputs(program(), ray.put(networks), tuple(networks.opponents), rewards)


def run_inputs() -> RunInputs:
    """Return what this run starts from; raises InputError, naming this machine, if it has a different program."""
    inputs: RunInputs = ask(find("monitor").run_inputs)
    if inputs.program != program():
        raise InputError(f"the machine {socket.gethostname()} has {program()}, the run is of {inputs.program}")
    return inputs


def run_inputs_with_networks() -> tuple[RunInputs, Networks]:
    """Return what this run starts from, and copies of its networks."""
    while True:
        inputs = run_inputs()
        try:
            return inputs, ray.get(inputs.networks)
        except ObjectLostError:  # the monitor has died since; the new one reads them again
            time.sleep(_AGAIN_SECONDS)
