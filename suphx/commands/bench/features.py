"""`suphx bench features`: encoding positions, beside riichienv."""

import json
from pathlib import Path
from typing import Annotated

import typer


def features(
    logs: Annotated[
        list[Path] | None, typer.Option(help="Logs to take positions from; without, games by `sensible`.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for the measurement.")] = 4.0,
    positions: Annotated[int, typer.Option(min=1, help="Positions to measure with, at least; whole games.")] = 2000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure the encoders on one core, taking turns with riichienv (extra `bench`) on the same positions.

    Ratios are riichienv's time over ours. The machine should have nothing else to do.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.features import bench_features

    numbers = bench_features(seconds, positions, logs or None)
    if as_json:
        print(json.dumps({name: float(f"{value:.5g}") for name, value in numbers.items()}))
        return
    table = Table("measured", "value")
    for name, value in numbers.items():
        table.add_row(name, f"{value:,.4g}" if value < 1000 else f"{value:,.0f}")
    Console().print(table)
