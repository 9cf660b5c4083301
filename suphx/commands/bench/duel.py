"""`suphx bench duel`: the speed of two-player mahjong."""

import json
from typing import Annotated

import typer


def duel(
    games: Annotated[int, typer.Option(min=1, help="Games between each two plans.")] = 20_000,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations of CFR.")] = 2_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure games of fixed plans, iterations of CFR and an evaluation on 3,000 deals, in CPU time of one thread."""
    from suphx.bench.duel import bench_duel

    numbers = {}
    for name, value in bench_duel(games, iterations):
        numbers[name] = float(f"{value:.4g}")
        if not as_json:
            print(f"{name.replace('_', ' '):<32} {value:,.1f}", flush=True)
    if as_json:
        print(json.dumps(numbers))
