"""What all roles have in common: their names in a run, what they tell its monitor, and errors that keep their type."""

import functools
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

import ray
from ray.exceptions import RayTaskError

from suphx.networks.precision import Precision, choose_precision
from suphx.plugins import load_plugins
from suphx.selfplay.config import RoleConfig

#: Name of a method of the run's monitor (`selfplay/monitor.py`), and arguments.
Message: TypeAlias = tuple[str, tuple[Any, ...]]


class Role:
    """A process of a run.

    Ray passes on only the text of an error in the constructor. So the error is stored, and raised, with its type, by
    the next use of what the process lacks; the run calls `pulse` of all processes regularly.
    """

    _failed: Exception | None = None
    _messages: deque[Message]

    def __init_subclass__(cls) -> None:
        """Keep errors of the constructor of a subclass."""
        super().__init_subclass__()
        if "__init__" in cls.__dict__:
            cls.__init__ = _keeping_errors(cls.__init__)  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Any:
        """Raise the error of the constructor for what it has not set."""
        if self._failed is not None:
            raise self._failed
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def tell(self, method: str, *arguments: object) -> None:
        """Have a method of the run's monitor called soon, unless this process dies before."""
        self._messages.append((method, arguments))

    def pulse(self) -> Any:  # list[Message], which an asynchronous process may have to wait for
        """Return what there is to tell since the last call; raises the error of the constructor."""
        messages = []
        with suppress(IndexError):  # there is none left; another thread may take some at the same time
            while True:
                messages.append(self._messages.popleft())
        return messages


def _keeping_errors(constructor: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(constructor)
    def construct(self: Role, *arguments: object, **named: object) -> None:
        try:
            load_plugins()
            constructor(self, *arguments, **named)
            self._messages = deque()
        except Exception as error:
            self._failed = self._failed or error

    return construct


def precision_for(role: RoleConfig) -> Precision:
    """Return the device and precision that a process of a role computes with, and set its number of threads."""
    return choose_precision("cuda" if role.gpus else "cpu", None, role.threads)


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


def cause_of(error: BaseException) -> BaseException:
    """Return the error that a role raised, where Ray has passed it on, perhaps through other roles."""
    while isinstance(error, RayTaskError) and isinstance(error.cause, BaseException):
        error = error.cause
    return error
