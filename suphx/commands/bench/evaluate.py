"""`suphx bench evaluate`: how fast the arena plays."""

import json
import os
from typing import Annotated

import typer


def evaluate(
    sizes: Annotated[str, typer.Option(help="Network sizes, with commas: small, base, paper.")] = ("small,base"),
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 15.0,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of network agents; by default all cores.")] = None,
    memory_games: Annotated[
        int, typer.Option(min=0, help="Also play so many games of `sensible` and see whether memory grows.")
    ] = 0,
    agreement_games: Annotated[
        int,
        typer.Option(min=0, help="Also see which share of `sl`'s decisions differ in bfloat16, in so many games."),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure hanchan a second: `sensible` on one core, and network agents beside what their networks alone allow.

    The network agents ask fresh networks about every decision of games that `sensible` plays. The machine should have
    nothing else to do.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.evaluation import bench_agreement, bench_memory, bench_networks, bench_sensible
    from suphx.networks.memory import keep_memory
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named
    from suphx.progress import progress

    keep_memory()
    wanted = [size_named(name.strip()) for name in sizes.split(",")]
    cores = threads or os.cpu_count() or 1
    screen = Console(stderr=True)
    found: dict[str, dict[str, float]] = {"sensible": bench_sensible(seconds)}
    for size in wanted:
        found[size.name] = bench_networks(size, seconds, cores)
        screen.print(f"measured {size.name}", style="dim")
    if memory_games:
        with progress("memory", memory_games, screen) as show:
            found["memory"] = bench_memory(memory_games, show)
    if agreement_games:
        found["agreement"] = bench_agreement("sl", choose_precision("cpu", "bfloat16", 1), agreement_games)
    numbers = {part: {name: float(f"{value:.4g}") for name, value in each.items()} for part, each in found.items()}
    if as_json:
        print(json.dumps({"threads": cores, **numbers}))
        return
    table = Table("", "measured", "value")
    for part, each in numbers.items():
        for name, value in each.items():
            table.add_row(part, name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}")
    Console().print(table)
