"""`suphx bench scaling`: what clusters would do, by a simulation of the queues between the roles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

#: Columns of the screen that the tables need.
_WIDTH = 190


def scaling(
    selfplay: Annotated[
        Path | None, typer.Option(help="What `suphx bench selfplay --json` printed; by default that of docs/results.")
    ] = None,
    learner: Annotated[
        Path | None, typer.Option(help="What `suphx bench learner --json` printed; by default that of docs/results.")
    ] = None,
    machines: Annotated[str, typer.Option(help="Numbers of machines, with commas.")] = "1,2,5,10,20,50,100,200,500",
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Simulate clusters with costs that were measured on one machine; docs/scaling.md explains what is assumed."""
    from dataclasses import asdict

    from rich.console import Console
    from rich.table import Table

    from suphx.selfplay.scaling.report import SHOWN, checks, measurements, scenarios

    found = measurements(selfplay, learner)
    counts = [int(each) for each in machines.split(",")]
    rows = dict(scenarios(found, counts))
    if as_json:
        values = {name: [asdict(each) for each in forecasts] for name, forecasts in rows.items()}
        print(json.dumps({"check": checks(found), **_rounded(values)}))
        return
    screen = Console(width=max(Console().width, _WIDTH))
    for name, forecasts in rows.items():
        table = Table(*SHOWN, title=name, title_justify="left")
        for each in forecasts:
            table.add_row(*(show(each) for show in SHOWN.values()))
        screen.print(table)


def _rounded(values: dict[str, list[dict]]) -> dict[str, list[dict]]:
    return {
        name: [{key: float(f"{v:.4g}") if isinstance(v, float) else v for key, v in row.items()} for row in rows]
        for name, rows in values.items()
    }
