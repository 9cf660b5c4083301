"""`suphx bench simulator`: play, shanten, scoring, verifying and start-up, beside the peers."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer


def simulator(
    logs: Annotated[
        list[Path] | None, typer.Option(help="Logs to verify for the rate; without, games made for the purpose.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 4.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure the table on one core, taking turns with riichienv, mahjong and xiangting (extra `bench`).

    Names with `ratio` hold between machines: ours over the better peer, or two processes over one. The machine
    should have nothing else to do.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.simulator import bench_simulator

    screen = Console(stderr=True)
    numbers = {}
    for part, found in bench_simulator(list(logs or []), seconds):
        if not as_json:
            screen.print(f"measured {part}", style="dim")
        numbers.update(found)
    numbers["cores"] = os.cpu_count() or 1
    if as_json:
        print(json.dumps({name: float(f"{value:.5g}") for name, value in numbers.items()}))
        return
    table = Table("measured", "value")
    for name, value in numbers.items():
        table.add_row(name, f"{value:,.4g}" if value < 1000 else f"{value:,.0f}")
    Console().print(table)
