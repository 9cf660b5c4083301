"""What the roles may use of the machines, by configuration."""

from __future__ import annotations

from pydantic import Field, model_validator

from suphx.config import Config
from suphx.networks.precision import Precision, choose_precision


class RoleConfig(Config):
    """The processes of one role."""

    count: int = Field(default=1, ge=1)
    """How many of them."""
    cpus: float = Field(default=1.0, ge=0)
    """Cores that each one claims. On a small machine all roles share the cores, so each claims a share of one."""
    gpus: float = Field(default=0.0, ge=0)
    """GPUs that each one claims; a share lets several processes use one GPU."""
    threads: int = Field(default=1, ge=1)
    """Threads that each one computes with, where it computes on a CPU."""


def precision_for(role: RoleConfig) -> Precision:
    """Return where a process of a role computes, and set its threads."""
    return choose_precision("cuda" if role.gpus else "cpu", None, role.threads)


class RolesConfig(Config):
    """The processes of a distributed training."""

    simulators: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """They play `side_by_side` games each, in two halves: while one waits for the engines, the other plays."""
    engines: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """They answer for the networks at the tables."""
    buffers: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.0))
    """They keep experience: `learning.replay.bytes` of memory each."""
    servers: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """The parameter server: it learns. Several processes share each step's questions and add up gradients."""
    monitor: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.0))
    """It writes all files, and measures the agent on as many threads as it has."""
    ahead: int = Field(default=3, ge=1)
    """Minibatches of every model that wait in a buffer before simulators are made to wait: data stay fresh where
    learning is the slower part."""
    start_seconds: float = Field(default=300, gt=0)
    """A role that has not come up after so long is named, and the run ends."""
    restarts: int = Field(default=20, ge=-1)
    """How often each process may die and come up again before the run ends; -1 for any number."""
    object_store_gib: float = Field(default=1.0, gt=0)
    """Memory of Ray's object store, where Ray is started on this machine."""

    @model_validator(mode="after")
    def _fits(self) -> RolesConfig:
        for name in ("simulators", "buffers", "monitor"):
            if getattr(self, name).gpus:
                raise ValueError(f"{name}.gpus: this role computes nothing on a GPU")
        if self.monitor.count > 1:
            raise ValueError("monitor.count: there is one, where the run's folder is")
        return self
