"""`suphx evaluate`: one agent against three others, on the same deals from all four seats."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer


def evaluate(
    challenger: Annotated[
        str, typer.Option(help="Who is measured: sl, sl-weak, sensible, random, untrained, or a folder of weights.")
    ] = "sl",
    field: Annotated[
        list[str] | None, typer.Option(help="Who it plays against: one name for all three seats, or three.")
    ] = None,
    games: Annotated[int, typer.Option(min=8, help="Hanchan; four to a deal.")] = 1000,
    rules: Annotated[str, typer.Option(help="Rules: the name of a preset.")] = "tenhou",
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Names the deals.")] = 0,
    temperature: Annotated[
        float | None, typer.Option(help="Draw networks' answers at this temperature; without, the likeliest are taken.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Games side by side.")] = 256,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure an agent against a field (by default three `sensible`): rank rates, average rank, stable rank.

    The challenger plays every deal from all four seats. Intervals are 95 %, by bootstrap over deals.
    """
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Table

    from simulator.rules import Rules
    from suphx.agent.loading import load_agent
    from suphx.evaluation.arena import play_match
    from suphx.evaluation.statistics import summary
    from suphx.networks.precision import choose_precision

    if games % 4:
        raise typer.BadParameter(f"{games} games are not four to a deal", param_hint="--games")
    names = field or ["sensible"]
    if len(names) not in (1, 3):
        raise typer.BadParameter(f"{len(names)} are named; name one, or three", param_hint="--field")
    precision = choose_precision()
    agents = {name: load_agent(name, seed, temperature, precision) for name in (challenger, *names)}
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    started = time.perf_counter()
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("playing", total=games, rate="")

        def watch(done: int) -> None:
            rate = done / (time.perf_counter() - started)
            progress.update(bar, completed=done, rate=f"{rate:,.1f} games/s")

        field_agents = [agents[name] for name in names]
        match = play_match(agents[challenger], field_agents, games // 4, seed, Rules.preset(rules), batch, watch)
    seconds = time.perf_counter() - started
    numbers = summary(match)
    if as_json:
        head = {"challenger": challenger, "field": names, "rules": rules, "seed": seed, "seconds": round(seconds, 1)}
        print(json.dumps({**head, **numbers}, allow_nan=False))
        return
    title = f"{challenger} against {', '.join(names)}: {games:,} games, seed {seed}, {games / seconds:.1f} games/s"
    table = Table(title=title, box=SIMPLE)
    for name in ("", "value", "95 % interval"):
        table.add_column(name, justify="left" if not name else "right")
    places = ("first", "second", "third", "fourth")
    rows = dict(zip(places, numbers.pop("rank_rates"), strict=True))
    rows |= {name.replace("_", " "): value for name, value in numbers.items() if isinstance(value, dict)}
    for name, number in rows.items():
        cells = [_words(name, value) for value in (number["value"], *number["interval"])]
        table.add_row(name, cells[0], f"{cells[1]} to {cells[2]}")
    Console().print(table)


def _words(name: str, value: float | None) -> str:
    if value is None:
        return "never fourth"
    if name == "points":
        return f"{value:,.0f}"
    return f"{value:.2%}" if name in ("first", "second", "third", "fourth") else f"{value:.3f}"
