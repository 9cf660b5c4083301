"""Configuration of the roles: how many processes each has, and what they may use of the machines."""

from __future__ import annotations

from pydantic import Field, model_validator

from suphx.config import Config
from suphx.networks.precision import Precision, choose_precision

#: Groups of a simulator's tables, where engines compute: while one waits, another plays.
GROUPS = 2
#: Most batches of each group that no buffer has taken in yet, and the decisions after which one is sent.
IN_FLIGHT, SENT_DECISIONS = 2, 1024


class RoleConfig(Config):
    """The processes of one role."""

    count: int = Field(default=1, ge=1)
    """Number of processes."""
    cpus: float = Field(default=1.0, ge=0)
    """Cores that each process claims. On a small machine all roles share the cores, so each claims part of one."""
    gpus: float = Field(default=0.0, ge=0)
    """GPUs that each process claims; with a fraction, several processes share one GPU."""
    threads: int = Field(default=1, ge=1)
    """Threads that each process computes with on a CPU."""


class EnginesConfig(RoleConfig):
    """The inference engines."""

    count: int = Field(default=0, ge=0)
    """Number of processes; 0: every simulator computes its networks itself, which is faster without a GPU."""


def precision_for(role: RoleConfig) -> Precision:
    """Return the device and precision that a process of a role computes with, and set its number of threads."""
    return choose_precision("cuda" if role.gpus else "cpu", None, role.threads)


class RolesConfig(Config):
    """The processes of a distributed training."""

    simulators: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """Simulators play `side_by_side` games each; with engines in two groups: while one waits, the other plays."""
    engines: EnginesConfig = Field(default_factory=lambda: EnginesConfig(cpus=0.5))
    """Inference engines compute the answers of the networks at the tables, for machines with GPUs."""
    buffers: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.0))
    """Replay buffers keep experience, up to `learning.replay.bytes` of memory each; all give their share of every
    minibatch."""
    servers: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.5))
    """The parameter server learns. Several processes share each step's decisions and add up their gradients."""
    monitor: RoleConfig = Field(default_factory=lambda: RoleConfig(cpus=0.0))
    """The monitor writes all files, and measures the agent with its `threads`."""
    ahead: int = Field(default=3, ge=1)
    """Minibatches of every model that the buffers hold together before simulators must wait. This keeps experience
    fresh if learning is slower than play."""
    start_seconds: float = Field(default=300, gt=0)
    """Seconds that roles have to start; after that, the run ends with an error that names those missing."""
    restarts: int = Field(default=20, ge=-1)
    """How often each process may die and be restarted before the run ends; -1: any number of times."""
    object_store_gib: float = Field(default=1.0, gt=0)
    """Memory of Ray's object store, if Ray is started on this machine."""

    @model_validator(mode="after")
    def _fits(self) -> RolesConfig:
        for name in ("simulators", "buffers", "monitor"):
            if getattr(self, name).gpus:
                raise ValueError(f"{name}.gpus: this role does not compute on a GPU")
        for name in ("simulators", "buffers"):
            if getattr(self, name).threads > 1:
                raise ValueError(f"{name}.threads: this role uses one thread; use more processes")
        if self.engines.gpus and not self.engines.count:
            raise ValueError("engines.gpus: engines.count is 0, so that simulators compute, on CPUs")
        if self.monitor.count > 1:
            raise ValueError("monitor.count: there can only be one, on the machine with the run's folder")
        return self

    @property
    def groups(self) -> int:
        """Groups of a simulator's tables."""
        return GROUPS if self.engines.count else 1
