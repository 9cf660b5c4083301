"""`suphx bench selfplay`: how fast games are played and learned from, beside the bare networks."""

import json
import os
from typing import Annotated

import typer


def selfplay(
    sizes: Annotated[str, typer.Option(help="Network sizes, with commas: small, base, paper.")] = ("small,base"),
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 5.0,
    games: Annotated[int, typer.Option(min=2, help="Games side by side, of each simulator.")] = 512,
    batch: Annotated[int, typer.Option(min=1, help="Questions of a step of learning.")] = 1024,
    roles: Annotated[bool, typer.Option(help="Also measure the roles on Ray, on one and two cores.")] = True,
    engines: Annotated[bool, typer.Option(help="Also measure the roles with inference engines.")] = False,
    device: Annotated[
        str | None,
        typer.Option(help="cpu or cuda; by default a GPU if there is one. Roles are measured on a CPU alone."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure play in one process and by roles, play and learning together, and what the networks alone would do.

    Networks are fresh. By default it takes some four minutes. Ratios are of questions to networks. On a machine that
    has other work too those of the collector hold, and `ratio_busy` of the roles nearly so; for the rest the machine
    should have nothing else to do.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.roles import LAYOUTS, bench_selfplay, parts_of
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named

    wanted = [size_named(name.strip()) for name in sizes.split(",")]
    precision = choose_precision(device, threads=1)
    screen = Console(stderr=True)
    numbers: dict[str, object] = {"precision": str(precision), "machine_cores": os.cpu_count() or 1}
    table = Table("size", "of", "measured", "value")
    parts = parts_of(precision, roles, engines)
    words = f"of {', '.join(size.name for size in wanted)}: {', '.join(parts)}"
    screen.print(f"{words}; up to {3 * seconds:g} s each, and some to start", style="dim", highlight=False)
    for size in wanted:
        found: dict[str, dict[str, float]] = {}
        for part, figures in bench_selfplay(size, precision, seconds, games, batch, roles, engines):
            learned_nothing = part in LAYOUTS and "ratio" not in figures
            why = "; no round had ended to learn from: more --seconds or fewer --games" if learned_nothing else ""
            screen.print(f"measured {size.name}: {part}{why}", style="dim", highlight=False)
            found[part] = {name: float(f"{value:.4g}") for name, value in figures.items()}
            for name, value in found[part].items():
                table.add_row(size.name, part, name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}")
        numbers[size.name] = found
    if as_json:
        print(json.dumps(numbers))
        return
    Console().print(table)
