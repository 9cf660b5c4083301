"""`suphx duel`: two-player mahjong, its CFR over three plans, and what that is worth."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suphx.commands.options import AsJson
from suphx.errors import InputError

if TYPE_CHECKING:
    from suphx.equilibrium.duel.abstraction import DuelRules
    from suphx.equilibrium.duel.evaluation import Benchmark

_Table = Annotated[Path, typer.Argument(help="The npz file that `suphx duel train` wrote.")]
_Deals = Annotated[int, typer.Option(min=2, help="Deals of the benchmark, and as many others to fit responses on.")]
_COLUMNS = ("iterations", "nodes", "best of plans", "lower bound", "lower bound, average")

duel = typer.Typer(no_args_is_help=True, help="Two-player mahjong with 64 tiles: CFR over three plans of play.")


@duel.command()
def train(
    out: Annotated[Path, typer.Option("--out", "-o", help="The npz file of nodes; an existing one is resumed.")],
    iterations: Annotated[int, typer.Option(min=0, help="Iterations in total.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals.")] = 0,
    turns: Annotated[str, typer.Option(help="The own turns in which a plan is chosen.")] = "1,7,13",
    four_as_two: Annotated[bool, typer.Option(help="Whether four equal tiles are two of seven pairs.")] = True,
    epoch: Annotated[int, typer.Option(min=0, help="Iterations between evaluations; 0: none.")] = 0,
    deals: _Deals = 3000,
    as_json: AsJson = False,
) -> None:
    """Train by CFR on random deals. Interrupt it at any time; the same command resumes it."""
    from dataclasses import fields

    from suphx.equilibrium.duel.abstraction import DuelRules, turns_of
    from suphx.equilibrium.duel.evaluation import DuelEvaluation
    from suphx.equilibrium.duel.training import begin
    from suphx.equilibrium.duel.training import train as train_to
    from suphx.progress import progress

    nodes = begin(out, DuelRules(turns_of(turns), four_as_two), seed)
    benchmark = _benchmark(nodes.rules, deals, 0) if epoch else None
    started, first = time.perf_counter(), nodes.iterations
    with progress("training", iterations, done=first) as show:
        for done in train_to(nodes, out, iterations, epoch, benchmark):
            show(done, f"{len(nodes.rows):,} nodes")
    seconds = time.perf_counter() - started
    if as_json:
        names = ["iterations", "nodes", *(field.name for field in fields(DuelEvaluation))]
        curve = [dict(zip(names, point, strict=True)) for point in nodes.curve.tolist()]
        print(json.dumps({"iterations": nodes.iterations, "nodes": len(nodes.rows), "seed": seed, "turns": turns,
                          "seconds": seconds, "curve": curve}))  # fmt: skip
        return
    if len(nodes.curve):
        print(" | ".join(_COLUMNS))
    for point in nodes.curve:
        values = (f"{point[k]:.3f} ± {point[k + 1]:.3f}" for k in (2, 4, 6))
        print(" | ".join([f"{point[0]:,.0f}", f"{point[1]:,.0f}", *values]))
    print(f"{nodes.iterations:,} iterations, {nodes.iterations - first:,} of them new in {seconds:.1f} s; "
          f"{len(nodes.rows):,} nodes in {out}")  # fmt: skip


def _benchmark(rules: DuelRules, deals: int, seed: int) -> Benchmark:
    """Return the benchmark, with a progress bar while it grows."""
    from suphx.equilibrium.duel.evaluation import Benchmark
    from suphx.progress import progress

    with progress("dealing", 2 * deals) as show:
        return Benchmark(rules, deals, seed, show)


@duel.command()
def evaluate(
    table: _Table,
    deals: _Deals = 3000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Print what opponents win against the table, in points a game.

    "Best of plans" is the paper's measure: in each deal the best of three fixed plans. It bounds the exploitability on
    neither side. "Lower bound" is what a response wins that was fitted on other deals. "Normal plan" is what the normal
    plan in every turn wins on the same deals: unless that is below 0, the table has gained nothing over it.
    """
    from dataclasses import asdict

    from suphx.equilibrium.duel.nodes import load_nodes

    nodes, started = load_nodes(table), time.perf_counter()
    benchmark = _benchmark(nodes.rules, deals, seed)
    evaluation = asdict(benchmark.evaluate(nodes))
    evaluation["normal_plan"], evaluation["normal_plan_half_width"] = benchmark.won_by_normal(nodes)
    if as_json:
        counts = {"iterations": nodes.iterations, "nodes": len(nodes.rows), "deals": deals}
        print(json.dumps(evaluation | counts | {"seconds": time.perf_counter() - started}))
        return
    for name in ("best_of_plans", "lower_bound", "average_lower_bound", "normal_plan"):
        print(f"{name.replace('_', ' '):<20} {evaluation[name]:+.4f} ± {evaluation[f'{name}_half_width']:.4f}")


@duel.command()
def curves(
    trainings: Annotated[
        Path, typer.Argument(help="What `suphx duel train --json` printed, a line for each training.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The picture, .png or .svg.")],
) -> None:
    """Draw the curves of trainings: the paper's measure and both lower bounds over iterations."""
    from suphx.equilibrium.duel.evaluation import read_curves
    from suphx.equilibrium.plots import plot_duels

    plot_duels(out, read_curves(trainings))
    print(out)


@duel.command()
def node(
    table: _Table,
    key: Annotated[int, typer.Argument(help="The key of the node, as 734401.")],
    as_json: AsJson = False,
) -> None:
    """Print the data of a node (the paper's Table 4). Plans are in the order normal, pongs, pairs."""
    import numpy as np

    from suphx.equilibrium.duel.abstraction import features_of, options_of
    from suphx.equilibrium.duel.nodes import load_nodes

    nodes = load_nodes(table)
    row = nodes.row(key)
    played, average = (nodes.policies(np.array([key]), each)[0].tolist() for each in (False, True))
    numbers = {"encoding": key, **features_of(key)._asdict(), "legal actions": options_of(key),
               "regret sum": row["regret"].tolist(), "strategy sum": row["strategy"].tolist(),
               "policy": played, "average policy": average}  # fmt: skip
    if as_json:
        print(json.dumps({name.replace(" ", "_"): value for name, value in numbers.items()}))
        return
    for name, value in numbers.items():
        shown = "[" + ", ".join(f"{each:.3f}" for each in value) + "]" if isinstance(value, list) else value
        print(f"{name:<15} {shown}")


@duel.command()
def play(
    first: Annotated[str, typer.Argument(help="you, normal, pongs, pairs, random, or the npz file of a table.")],
    second: Annotated[str, typer.Argument(help="The same, but not you.")],
    deals: Annotated[int, typer.Option(min=1, help="Deals; each is played from both seats, by you from one.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals and of what tables draw.")] = 0,
    log: Annotated[Path | None, typer.Option(help="Write the games to this file, a line of JSON each.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play a match, and print what the first wins in points a game, with the 95 % interval over deals.

    Logs can be opened on the page of `suphx web`. When you play, type a move or its number, or q to stop.
    """
    import numpy as np
    from rich.console import Console
    from rich.progress import track

    from simulator.files import write_whole
    from suphx.equilibrium.duel.players import Person, match, player_named
    from suphx.equilibrium.terminal import Quit
    from suphx.intervals import half_width

    if log is not None and not log.parent.is_dir():
        raise InputError(f"there is no folder {log.parent}")
    is_person = first == "you"
    players = Person() if is_person else player_named(first), player_named(second)
    won, lines = list[float](), list[str]()
    playing = match(*players, deals, seed, both_seats=not is_person)
    shown = track(playing, "playing", deals, console=Console(stderr=True), transient=True, disable=is_person)
    try:
        for points, games in shown:
            won.append(points)
            lines += [json.dumps(game) for game in games]
            if is_person:
                print(f"you win {points:+g}, {sum(won):+g} in all\n")
    except Quit:
        pass
    if log is not None:
        write_whole(log, "".join(f"{line}\n" for line in lines).encode())
    if not won:
        return
    numbers = {"points": float(np.mean(won)), "half_width": half_width(np.array(won)), "deals": len(won)}
    if as_json:
        print(json.dumps(numbers))
    else:
        print(f"{first} against {second}: {numbers['points']:+.4f} ± {numbers['half_width']:.4f} points a game "
              f"over {len(lines):,} games ({len(won):,} deals)")  # fmt: skip
