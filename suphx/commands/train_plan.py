"""`suphx train --dry-run`: the plan of a distributed training, and whether machines can hold it."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import ray
from rich.console import Console
from rich.table import Table

from simulator.rules import Rules
from suphx.cluster import ADDRESS_VARIABLE
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import check_opponent
from suphx.selfplay.folder import load_start
from suphx.selfplay.pace import LONG_ROUND, TrainingPace
from suphx.selfplay.play import load_opponents
from suphx.selfplay.roles.plan import GIB, Node, ResourcePlan, parse_node, plan_of, this_machine
from suphx.selfplay.roles.run import nodes_of_cluster, start_ray
from suphx.selfplay.roles.run_inputs import read_networks


def show_plan(
    config: TrainConfig, pace: TrainingPace, address: str | None, words: Sequence[str], as_json: bool
) -> None:
    """Print the plan; raise InputError for what a run cannot begin with, and if the machines cannot hold it.

    pace: of the configuration. words: machines to check it against, as `parse_node` reads them; without, those of the
    cluster at the address, or this one.
    """
    plan, screen = plan_of(config), Console()
    nodes: list[Node] = [node for each in words for node in parse_node(each)]
    if not nodes and (address or os.environ.get(ADDRESS_VARIABLE)):
        start_ray(config, address)
        nodes = nodes_of_cluster()
        ray.shutdown()
    nodes = nodes or [this_machine()]
    if not as_json:
        _show(config, plan, nodes, screen)
        _show_pace(config, pace, screen)
    check_opponent(config.evaluation)
    read_networks(config, load_start(config))  # all of it can be read
    config.reward.load(Rules.preset(config.rules))
    if as_json:
        values: dict[str, Any] = {"roles": [asdict(role) for role in plan.roles], "nodes": [asdict(n) for n in nodes]}
        values |= {what: plan.claims(what) for what in ("cpus", "gpus", "memory")}
        print(json.dumps(values | {"pace": asdict(pace)}))
    plan.check(nodes)


def show_local_plan(config: TrainConfig, pace: TrainingPace, as_json: bool) -> None:
    """Print the pace of a training in one process; raise InputError for what it cannot begin with."""
    load_start(config)
    config.reward.load(Rules.preset(config.rules))
    load_opponents(config.table.opponents, config.seed)
    check_opponent(config.evaluation)
    if as_json:
        print(json.dumps({"pace": asdict(pace)}))
    else:
        screen = Console()
        screen.print(f"{config.name}: {config.games:,} games in this process.", highlight=False)
        _show_pace(config, pace, screen)


def _show(config: TrainConfig, plan: ResourcePlan, nodes: Sequence[Any], screen: Console) -> None:
    table = Table(title=f"{config.name}: {config.games:,} games", title_justify="left")
    table.add_column("role", no_wrap=True)
    for name in ("number", "cores", "GPUs", "threads", "memory"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("each will")
    for role in plan.roles:
        memory = f"{role.memory / GIB:.2f} GiB"
        numbers = (str(role.count), f"{role.cpus:g}", f"{role.gpus:g}", str(role.threads), memory)
        table.add_row(role.name, *numbers, role.does)
    screen.print(table)
    machines = f"{len(nodes)} machine{'s' * (len(nodes) != 1)}"
    cores, gpus, bytes_in_all = map(plan.claims, ("cpus", "gpus", "memory"))
    screen.print(
        f"In all {cores:g} cores, {gpus:g} GPUs, some {bytes_in_all / GIB:.1f} GiB, on {machines}.", highlight=False
    )


def _show_pace(config: TrainConfig, pace: TrainingPace, screen: Console) -> None:
    bound = config.learning.replay.staleness
    more = " or more, since nearly certain decisions are left out" if config.learning.max_confidence < 1 else ""
    words = (
        f"A version learns from {pace.games_a_version:,.0f} games{more}. On average experience is "
        f"{pace.versions_a_round:.1f} versions old when its round ends; more than {bound} would be too old."
    )
    if pace.versions_waiting:
        words += f" If learning is slower than play, it becomes up to {pace.versions_waiting:.1f} older while it waits."
    if LONG_ROUND * pace.versions_a_round + pace.versions_waiting > bound:
        words += " Long rounds will exceed that and be dropped; play fewer games side by side, or use larger batches."
    screen.print(words, highlight=False)
