"""Connect this process to Ray: join an existing cluster, or start a private instance on this machine alone."""

import logging
import os
import secrets
import socket
from pathlib import Path
from typing import Any

import ray
from ray._private import ray_constants
from ray._private import worker as ray_worker

from suphx.errors import InputError

#: The environment variable in which Ray expects the address of the cluster to join.
ADDRESS_VARIABLE = "RAY_ADDRESS"
#: Timeout for connecting to a head node, in seconds.
_KNOCK_SECONDS = 5.0
#: Ray binds to 127.0.0.1 only where it believes that clusters are impossible; otherwise to the machine's outer address.
_NO_CLUSTER_VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


def join_or_start(
    address: str | None, cpus: int, gpus: int = 0, object_store: int | None = None, namespace: str | None = None
) -> None:
    """Join the Ray cluster at an address, by default that in RAY_ADDRESS; without either, start Ray on this machine.

    Anyone who can reach Ray's ports can run code, so a Ray started here binds every port to the loopback address and
    requires the user's token.
    cpus, gpus, object_store: resources of a Ray started here; object_store in bytes. Raises InputError if there is no
    such cluster.
    """
    ray_worker.print_to_stdstream = _print_to_stderr
    address = address or os.environ.get(ADDRESS_VARIABLE) or None
    if address:
        if ":" in address and not answers(address.rpartition("/")[2]):
            raise InputError(f"no Ray cluster at {address}: nobody answers at that address")
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, namespace=namespace)
        except ConnectionError as error:
            raise InputError(
                f"no Ray cluster at {address} that accepts this process ({error}). If it requires a token, set "
                "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH"
            ) from error
        return
    _make_token(Path.home() / ".ray" / "auth_token")
    os.environ[_NO_CLUSTER_VARIABLE] = "0"  # for the processes that Ray starts
    ray_constants.ENABLE_RAY_CLUSTER = False  # for this process, which has already read the variable
    ray.init(
        "local",  # never an instance that somebody else has started on this machine
        num_cpus=cpus,
        num_gpus=gpus,
        object_store_memory=object_store,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        namespace=namespace,
    )


_print_by_ray = ray_worker.print_to_stdstream


def _print_to_stderr(data: dict[str, Any], ignore_prefix: bool) -> None:
    """Print Ray's messages to standard error; Ray itself would mix them with a program's results on standard output."""
    _print_by_ray(data | {"is_err": True}, ignore_prefix=ignore_prefix)


def answers(address: str) -> bool:
    """Return whether anything accepts connections at HOST:PORT; Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True


def _make_token(path: Path) -> None:
    """Create Ray's token for this machine unless there is one; Ray itself would make it readable by other users."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        path.chmod(0o600)
