#!/usr/bin/env python
"""Start several Ray nodes on this machine, run a command in that cluster, and take it down again.

It is for trying out what needs a cluster: `python deploy/local_cluster.py --nodes 3 suphx train configs/laptop.yaml`.
All ports are bound to loopback, and Ray asks for a token, made for this cluster alone.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

#: Bytes of each node's object store.
OBJECT_STORE = 200 * 1024 * 1024


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2, help="nodes, the head among them; by default 2")
    parser.add_argument("--cpus", type=int, default=1, help="CPUs that each node says it has; by default 1")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="by default it waits for Ctrl-C")
    return parser.parse_args()


def environment(folder: Path) -> dict[str, str]:
    """Write a new token into the folder, and return the variables that lead Ray to it and keep Ray on loopback."""
    token = folder / "auth_token"
    with open(os.open(token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32))
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        # Without it Ray takes 127.0.0.1 for the machine's outer address, and binds to every interface.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        # Where Ray notes which cluster is this machine's: other programs must not find this one.
        "RAY_TMPDIR": str(folder),
        "RAY_USAGE_STATS_ENABLED": "0",
    }


def start(nodes: int, cpus: int) -> Any:  # Ray's Cluster, which must not be imported before the environment is set
    """Start the nodes and return their cluster."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    for number in range(nodes):
        node = cluster.add_node(
            node_ip_address="127.0.0.1", num_cpus=cpus, object_store_memory=OBJECT_STORE, include_dashboard=False
        )
        raylet = node.all_processes["raylet"][0].process.pid
        print(f"{'a worker' if number else 'the head'} runs: kill -9 {raylet} loses it", file=sys.stderr)
    return cluster


def main() -> int:
    """Run the command in a cluster of its own, and return its exit status."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that nodes are taken down then, too
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:  # the path of a socket must be short
        os.environ |= environment(Path(folder))
        cluster = start(options.nodes, options.cpus)
        try:
            os.environ["RAY_ADDRESS"] = cluster.address
            if options.command:
                return subprocess.run(options.command, check=False).returncode
            names = [name for name in sorted(os.environ) if name.startswith("RAY_")]
            print(*(f"export {name}={shlex.quote(os.environ[name])}" for name in names), sep="\n")
            print("Ctrl-C takes the cluster down.", file=sys.stderr)
            signal.pause()
            return 0
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        finally:
            cluster.shutdown()


if __name__ == "__main__":
    sys.exit(main())
