"""The Ray that this process works on: a cluster that is there, or one of this machine alone, closed to all others."""

from __future__ import annotations

import logging
import os

import ray
from ray._private import ray_constants

#: Names the cluster to join, as Ray has it.
ADDRESS_VARIABLE = "RAY_ADDRESS"
#: Ray binds 127.0.0.1 only where it believes that no cluster can be; otherwise it takes the machine's outer address.
_NO_CLUSTER_VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


def join_or_start(
    address: str | None, cpus: int, gpus: int = 0, object_store: int | None = None, namespace: str | None = None
) -> None:
    """Join the Ray cluster at an address, or else the one that RAY_ADDRESS names; or start Ray on this machine alone.

    On this machine alone every port is bound to the loopback address: what Ray's ports are sent is run.
    cpus, gpus, object_store: what it then has; bytes. Raises ConnectionError if there is no such cluster.
    """
    address = address or os.environ.get(ADDRESS_VARIABLE) or None
    if address:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, namespace=namespace)
        return
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
