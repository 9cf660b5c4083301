"""`suphx bench adapt`: how fast rollouts are beside the bare networks, steps, and playing by many copies."""

import json
from typing import Annotated

import typer


def adapt(
    sizes: Annotated[str, typer.Option(help="Network sizes, with commas: small, base, paper.")] = ("small,base"),
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 20.0,
    rollouts: Annotated[int, typer.Option(min=4, help="Rollouts that are played at a time.")] = 2048,
    questions: Annotated[int, typer.Option(min=20, help="Questions that a step is measured on.")] = 4096,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure rollouts a second on one core beside what the networks alone allow, gradient steps, and many copies.

    The machine should have nothing else to do.
    """
    from functools import partial

    from rich.console import Console
    from rich.table import Table

    from suphx.bench.adaptation import bench_copies, bench_rollouts, bench_steps
    from suphx.networks.memory import keep_memory
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named

    keep_memory()
    precision = choose_precision("cpu", threads=1)
    screen, found = Console(stderr=True), dict[str, dict[str, dict[str, float]]]()
    for size in [size_named(name.strip()) for name in sizes.split(",")]:
        found[size.name] = {}
        for part, measure in {
            "rollouts": partial(bench_rollouts, size, precision, seconds, rollouts),
            "steps": partial(bench_steps, size, precision, questions),
            "copies": partial(bench_copies, size, precision, seconds / 4),
        }.items():
            found[size.name][part] = measure()
            screen.print(f"measured {size.name}: {part}", style="dim", highlight=False)
    numbers = {
        size: {part: {name: float(f"{value:.4g}") for name, value in each.items()} for part, each in parts.items()}
        for size, parts in found.items()
    }
    if as_json:
        print(json.dumps({"precision": str(precision), **numbers}))
        return
    table = Table("size", "of", "measured", "value")
    for size_name, parts in numbers.items():
        for part, each in parts.items():
            for name, value in each.items():
                table.add_row(size_name, part, name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}")
    Console().print(table)
