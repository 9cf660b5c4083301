"""Names of the roles' processes in a run's namespace, through which they find each other."""

from __future__ import annotations

from typing import Any

import ray


def name_of(role: str, number: int) -> str:
    """Return the name of a process; numbers start at 0."""
    return f"{role} {number + 1}"


def find(role: str, number: int = 0) -> Any:
    """Return the handle of a process of this run, on any machine; it stays valid when the process is restarted."""
    return ray.get_actor(name_of(role, number))


def ask(method: Any, *arguments: object) -> Any:
    """Return the answer of a process of this run; one that is being restarted answers once it is back.

    method: of its handle. It may be called more than once.
    """
    return ray.get(method.options(max_task_retries=-1).remote(*arguments))


def find_all(role: str, count: int) -> list[Any]:
    """Return the handles of the first `count` processes of a role."""
    return [find(role, number) for number in range(count)]
