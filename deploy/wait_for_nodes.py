#!/usr/bin/env python
"""Wait until a number of nodes have joined the Ray cluster that RAY_ADDRESS names (`auto`: the one of this machine).

A training that finds too few nodes would refuse its plan: `python deploy/wait_for_nodes.py 3 && suphx train ...`.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time


def main() -> int:
    """Wait, and return 0 once all are there, 1 if they are not in time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", type=int, help="how many, the head among them")
    parser.add_argument("--timeout", type=float, default=600, help="seconds; by default 600")
    options = parser.parse_args()

    import ray

    ray.init(os.environ.get("RAY_ADDRESS", "auto"), log_to_driver=False, logging_level=logging.ERROR)
    last = time.monotonic() + options.timeout
    while (joined := sum(node["Alive"] for node in ray.nodes())) < options.nodes:
        if time.monotonic() > last:
            print(f"only {joined} of {options.nodes} nodes joined in {options.timeout:.0f} s", file=sys.stderr)
            return 1
        time.sleep(1)
    print(f"{joined} nodes, together {ray.cluster_resources()}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
