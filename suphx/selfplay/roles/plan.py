"""What a configuration needs of the machines, role by role, and whether they have it, without starting anything."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from suphx.errors import InputError
from suphx.features.layout import ORACLE_PLANES
from suphx.networks.models import MODEL_PLANES
from suphx.selfplay.config import TrainConfig

GIB = 1 << 30
#: Memory of a process before it does anything: Python, NumPy, torch and the compiled rules. Measured.
_PROCESS_BYTES = 450 << 20
#: Decisions of rounds in progress at a table, over all learning models; nearly all are discards. Measured.
_DECISIONS_A_TABLE = 27
#: Bytes per decision for copies of its packed planes on the way into a step, and bytes per learning pass. Measured.
_STEP_BYTES = 900 * 8 * 5
_PASS_BYTES = 200 << 20


@dataclass(frozen=True)
class Node:
    """A machine."""

    cpus: float
    gpus: float = 0.0
    memory: int | None = None
    """Bytes; None: unknown"""


@dataclass(frozen=True)
class RolePlan:
    """The processes of one role."""

    name: str
    count: int
    cpus: float
    """Cores of each process."""
    gpus: float
    threads: int
    memory: int
    """Approximate memory of each process in bytes, without the weights."""
    does: str


@dataclass(frozen=True)
class ResourcePlan:
    """The processes of all roles."""

    roles: tuple[RolePlan, ...]

    def claims(self, what: str) -> float:
        """Return what all roles claim: `cpus`, `gpus` or `memory`."""
        return sum(role.count * float(getattr(role, what)) for role in self.roles)

    def check(self, nodes: Sequence[Node]) -> None:
        """Raise InputError, naming the role, if the processes do not fit these machines (first fit, largest first)."""
        left = [[node.gpus, node.cpus, float("inf") if node.memory is None else node.memory] for node in nodes]
        have = f"{len(nodes)} machine{'s' * (len(nodes) != 1)} with {sum(node.cpus for node in nodes):g} cores and "
        have += f"{sum(node.gpus for node in nodes):g} GPUs"
        memories = [node.memory for node in nodes if node.memory is not None]
        if len(memories) == len(nodes):
            have += f", {sum(memories) / GIB:.1f} GiB in all"
        for role in sorted(self.roles, key=lambda role: (role.gpus, role.cpus), reverse=True):
            for number in range(role.count):
                for each in left:
                    if each[0] >= role.gpus - 1e-9 and each[1] >= role.cpus - 1e-9 and each[2] >= role.memory:
                        each[0], each[1], each[2] = each[0] - role.gpus, each[1] - role.cpus, each[2] - role.memory
                        break
                else:
                    raise InputError(
                        f"roles.{role.name}: no room for process {number + 1} of {role.count} ({role.cpus:g} cores, "
                        f"{role.gpus:g} GPUs, some {role.memory / GIB:.1f} GiB) beside the others: they have {have}, "
                        f"and claim {self.claims('cpus'):g} cores, {self.claims('gpus'):g} GPUs and "
                        f"{self.claims('memory') / GIB:.1f} GiB. "
                        f"Lower roles.{role.name}.count, what each process claims, side_by_side or "
                        "learning.replay.bytes"
                    )


def plan_of(config: TrainConfig) -> ResourcePlan:
    """Return the plan of a configuration."""
    roles, learning = config.roles, config.learning
    planes = max(MODEL_PLANES[model] for model in learning.models) + ORACLE_PLANES * sum(config.hidden_planes.values())
    tables = config.side_by_side * _DECISIONS_A_TABLE * planes * 8
    batch = max(map(learning.batch_for, learning.models))
    step = batch * _STEP_BYTES // roles.servers.count
    does = f"in {roles.groups} groups" if roles.engines.count else "with networks of their own"
    roles_of_run = (
        RolePlan(
            "simulators", roles.simulators.count, roles.simulators.cpus, 0.0, 1, _PROCESS_BYTES + 2 * tables,
            f"play {config.side_by_side:,} games side by side each, {does}",
        ),
        RolePlan(
            "engines", roles.engines.count, roles.engines.cpus, roles.engines.gpus, roles.engines.threads,
            _PROCESS_BYTES + (200 << 20), "answer for the networks at the tables",
        ),
        RolePlan(
            "servers", roles.servers.count, roles.servers.cpus, roles.servers.gpus, roles.servers.threads,
            _PROCESS_BYTES + _PASS_BYTES + step + learning.replay.bytes,
            f"learn {', '.join(learning.models)} in steps of {batch:,} decisions, of "
            f"{learning.replay.bytes / GIB:.2g} GiB at most",
        ),
    )  # fmt: skip
    return ResourcePlan(tuple(role for role in roles_of_run if role.count))


def this_machine() -> Node:
    """Return this machine's cores, GPUs and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return Node(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, gpus, memory)


def parse_node(text: str) -> list[Node]:
    """Return the machines that a text such as `4x64c8g512` describes: four with 64 cores, 8 GPUs and 512 GiB each.

    Everything except the cores may be left out. Raises InputError for other texts.
    """
    match = re.fullmatch(r"(?:(\d+)x)?(\d+(?:\.\d+)?)c(?:(\d+)g(?:(\d+))?)?", text.strip())
    if match is None:
        raise InputError(f"{text!r} names no machines; write 4x64c8g512 for four with 64 cores, 8 GPUs and 512 GiB")
    count, cpus, gpus, gib = match.groups()
    return [Node(float(cpus), float(gpus or 0), int(gib) * GIB if gib else None)] * int(count or 1)
