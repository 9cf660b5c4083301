"""What all roles have in common: their names in a run, requests to each other, and errors that keep their type."""

import functools
from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError


class Role:
    """A process of a run.

    Ray passes on only the text of an error in the constructor. So the error is stored, and raised, with its type, by
    the next use of what the process lacks; the run calls `ready` of all processes regularly.
    """

    _failed: Exception | None = None

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

    def ready(self) -> Any:  # nothing, which an asynchronous process may have to wait for
        """Return if the constructor was successful; otherwise raise its error."""
        if self._failed is not None:
            raise self._failed


def _keeping_errors(constructor: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(constructor)
    def construct(self: Role, *arguments: object, **named: object) -> None:
        try:
            constructor(self, *arguments, **named)
        except Exception as error:
            self._failed = self._failed or error

    return construct


def name_of(role: str, number: int) -> str:
    """Return the name of a process; numbers start at 0."""
    return f"{role} {number + 1}"


def find(role: str, number: int = 0) -> Any:
    """Return the handle of a process of this run, on any machine; it stays valid when the process is restarted."""
    return ray.get_actor(name_of(role, number))


def find_all(role: str, count: int) -> list[Any]:
    """Return the handles of the first `count` processes of a role."""
    return [find(role, number) for number in range(count)]


def ask(method: Any, *arguments: object) -> Any:
    """Return the answer of a process of this run; one that is being restarted answers once it is back.

    method: of its handle. It may be called more than once.
    """
    return ray.get(method.options(max_task_retries=-1).remote(*arguments))


def is_answered(request: Any) -> bool:  # a reference, or None
    """Return whether a request whose result nobody waits for has been answered or is None; raises its error.

    A request to a process that has died since counts as answered: the process is restarted.
    """
    if request is None:
        return True
    if not ray.wait([request], timeout=0)[0]:
        return False
    try:
        ray.get(request)
    except RayTaskError:
        raise
    except RayError:
        pass
    return True


def cause_of(error: BaseException) -> BaseException:
    """Return the error that a role raised, where Ray has passed it on, perhaps through other roles."""
    while isinstance(error, RayTaskError) and isinstance(error.cause, BaseException):
        error = error.cause
    return error
