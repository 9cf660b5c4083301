"""The Ray that this process works on: a cluster that is there, or one of this machine alone, closed to all others."""

from __future__ import annotations

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

#: Names the cluster to join, as Ray has it.
ADDRESS_VARIABLE = "RAY_ADDRESS"
#: Seconds that a head node may take to answer a knock.
_KNOCK_SECONDS = 5.0
#: Ray binds 127.0.0.1 only where it believes that no cluster can be; otherwise it takes the machine's outer address.
_NO_CLUSTER_VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


def join_or_start(
    address: str | None, cpus: int, gpus: int = 0, object_store: int | None = None, namespace: str | None = None
) -> None:
    """Join the Ray cluster at an address, or else the one that RAY_ADDRESS names; or start Ray on this machine alone.

    What Ray's ports are sent is run. So on this machine alone every port is bound to the loopback address and asks for
    the user's token.
    cpus, gpus, object_store: what it then has; bytes. Raises InputError if there is no such cluster.
    """
    ray_worker.print_to_stdstream = _print_to_stderr
    address = address or os.environ.get(ADDRESS_VARIABLE) or None
    if address:
        if ":" in address and not answers(address.rpartition("/")[2]):
            raise InputError(f"no Ray cluster at {address}: nobody answers there")
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, namespace=namespace)
        except ConnectionError as error:
            raise InputError(
                f"no Ray cluster at {address} that lets this process in ({error}). If it asks for a token, set "
                "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH"
            ) from error
        return
    _make_token(Path.home() / ".ray" / "auth_token")
    os.environ[_NO_CLUSTER_VARIABLE] = "0"  # for the processes that are started
    ray_constants.ENABLE_RAY_CLUSTER = False  # for this one, which has read the variable
    ray.init(
        "local",  # not one that somebody else has started on this machine
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
    """Print what Ray has to say; it would print errors of its own among a program's results on standard output."""
    _print_by_ray(data | {"is_err": True}, ignore_prefix=ignore_prefix)


def answers(address: str) -> bool:
    """Whether anybody answers at HOST:PORT at all; Ray itself would wait for it for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True


def _make_token(path: Path) -> None:
    """Make the token that Ray asks for on this machine, unless there is one; Ray itself would let others read it."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        path.chmod(0o600)
