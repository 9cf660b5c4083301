"""A training from its start or its last checkpoint to a number of iterations."""

import time
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np

from suphx.equilibrium.duel.abstraction import DuelRules
from suphx.equilibrium.duel.evaluation import Benchmark
from suphx.equilibrium.duel.nodes import Nodes, load_nodes
from suphx.errors import InputError

#: Iterations between two reports of progress.
_STEP = 100
#: Seconds between two checkpoints.
_SAVED = 10.0


def begin(path: Path, rules: DuelRules, seed: int) -> Nodes:
    """Return the nodes of a file, or new ones; InputError if it is of another seed or rules, or has no folder."""
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}")
    if not path.exists():
        return Nodes(rules, seed)
    nodes = load_nodes(path)
    if (nodes.rules, nodes.seed) != (rules, seed):
        turns = ",".join(map(str, nodes.rules.turns))
        pairs = "two pairs" if nodes.rules.four_as_two else "one"
        settings = f"seed {nodes.seed}, turns {turns}, four equal tiles {pairs}"
        raise InputError(f"{path} is of {settings}: use these settings, or another file")
    return nodes


def train(nodes: Nodes, path: Path, until: int, epoch: int = 0, benchmark: Benchmark | None = None) -> Iterator[int]:
    """Train to a number of iterations, saving every few seconds and at the end, even after an error.

    With a benchmark, the table is evaluated after every `epoch` iterations, the start included, for its curve. Yields
    the iterations done.
    """
    saved = time.monotonic()
    try:
        while True:
            done = nodes.iterations
            if benchmark is not None and done % epoch == 0 and done not in nodes.curve[:, 0]:
                point = [done, len(nodes.rows), *astuple(benchmark.evaluate(nodes))]
                nodes.curve = np.concatenate([nodes.curve, [point]])
            if done >= until:
                return
            nodes.train(min(_STEP, until - done, epoch - done % epoch if benchmark is not None else until))
            if time.monotonic() - saved > _SAVED:
                nodes.save(path)
                saved = time.monotonic()
            yield nodes.iterations
    finally:
        nodes.save(path)
