"""What a run by roles starts from, read from files once, on the machine that has them, and sent to all roles."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import ray
from ray.exceptions import ObjectLostError

from suphx.errors import InputError
from suphx.features.layout import ORACLE_VERSION, VERSION
from suphx.reward.predictor import RewardPredictor
from suphx.selfplay.roles.names import ask, find
from suphx.selfplay.roles.parcels import LEARNING_PLAYER, Parcel

#: Seconds to wait for a monitor that has died and is being restarted.
_AGAIN_SECONDS = 0.5


@dataclass(frozen=True)
class Networks:
    """Networks that do not change in a run, by model."""

    start: dict[str, Parcel]
    """The five that the learner starts from."""
    opponents: dict[str, dict[str, Parcel]]
    """Those of opponents, by name and model; rule-based opponents are left out."""
    teachers: dict[str, Parcel] | None
    """Oracles to distil from."""


@dataclass(frozen=True)
class Beginning:
    """What a run starts from."""

    program: str
    """Version of the program and of its planes, which must be the same on every machine."""
    networks: Any
    """Ray reference to Networks, which a machine gets once, and only if it has an engine or learns."""
    opponents: tuple[str, ...]
    """Names of the opponents with networks."""
    predictor: RewardPredictor | None
    """The predictor of Phi, if that is the reward."""
    earlier: int = 0
    """Number of earlier versions among the opponents."""

    def number_of(self, name: str) -> int:
        """Return the number of an opponent among the players of an engine."""
        return LEARNING_PLAYER + 1 + self.opponents.index(name)

    def number_of_earlier(self, place: int) -> int:
        """Return the number of an earlier version among the players of an engine, by its place."""
        return LEARNING_PLAYER + 1 + len(self.opponents) + place

    def check(self) -> Beginning:
        """Return this object; raises InputError, naming this machine, if the program here is a different one."""
        if self.program != program():
            raise InputError(f"the machine {socket.gethostname()} has {program()}, the run is of {self.program}")
        return self


def program() -> str:
    """Return the versions that must be equal for programs to work together."""
    return f"suphx {version('suphx')}, planes {VERSION}, hidden planes {ORACLE_VERSION}"


def beginning() -> Beginning:
    """Return what this run starts from; raises InputError as `Beginning.check`."""
    found: Beginning = ask(find("monitor").beginning)
    return found.check()


def beginning_with_networks() -> tuple[Beginning, Networks]:
    """Return what this run starts from, and its networks, whose arrays are read-only."""
    while True:
        found = beginning()
        try:
            return found, ray.get(found.networks)
        except ObjectLostError:  # the monitor has died since; the new one reads them again
            time.sleep(_AGAIN_SECONDS)
