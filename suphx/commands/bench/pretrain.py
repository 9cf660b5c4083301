"""`suphx bench pretrain`: whether training waits for its data."""

import json
from pathlib import Path
from typing import Annotated

import typer


def pretrain(
    logs: Annotated[
        list[Path] | None, typer.Option(help="Logs to load pairs from; without, games by `sensible`.")
    ] = None,
    sizes: Annotated[str, typer.Option(help="Network sizes, with commas: small, base, paper.")] = "small,base",
    turns: Annotated[int, typer.Option(min=1, help="How often bare steps, loading and both take turns.")] = 3,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure training of the discard model with the loader against bare steps on pairs that are there.

    `ratio` is the one over the other; on a CPU everything runs on one core, as when models are trained side by side.
    The machine should have nothing else to do.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.pretrain import bench_pretrain
    from suphx.dataset.logs import generated, open_prepared
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named

    wanted = {name.strip(): size_named(name.strip()) for name in sizes.split(",")}
    prepared = open_prepared(logs) if logs else generated(200)
    precision = choose_precision(device, threads=1)
    numbers: dict[str, object] = {"precision": str(precision)}
    table, screen = Table("size", "measured", "value"), Console(stderr=True)
    for name, found in bench_pretrain(prepared, wanted, precision, turns):
        screen.print(f"measured {name}", style="dim", highlight=False)
        numbers[name] = {key: float(f"{value:.4g}") for key, value in found.items()}
        for key, value in found.items():
            table.add_row(name, key, f"{value:.3f}" if key == "ratio" else f"{value:,.0f}")
    if as_json:
        print(json.dumps(numbers))
        return
    Console().print(table)
