"""`suphx bench learner`: what a step of learning takes, beside the bare step of the same network."""

import json
from typing import Annotated

import typer


def learner(
    sizes: Annotated[
        str | None, typer.Option(help="Network sizes, with commas; by default small,base, and paper on a GPU.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 20.0,
    batch: Annotated[int, typer.Option(min=1, help="Questions of a step.")] = 1024,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads on a CPU.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure steps of the learner, with and without a critic, in turns with forward, backward and AdamW alone.

    On a GPU also questions answered a second and, of cards whose peak is known, the shares of it that are reached.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.learner import bench_card, bench_learner
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named

    precision = choose_precision(device, threads=threads)
    on_gpu = precision.device.type == "cuda"
    names = sizes or ("paper" if on_gpu else "small,base")
    screen = Console(stderr=True)
    numbers: dict[str, object] = {"precision": str(precision), "batch": batch}
    table = Table("size", "of", "measured", "value")
    for size in [size_named(name.strip()) for name in names.split(",")]:
        found = {
            "learner": bench_learner(size, precision, seconds, batch, with_critic=False),
            "learner_and_critic": bench_learner(size, precision, seconds, batch, with_critic=True),
        }
        if on_gpu:
            found["card"] = bench_card(size, precision, seconds, batch)
        screen.print(f"measured {size.name}", style="dim", highlight=False)
        rounded = {part: {name: float(f"{value:.4g}") for name, value in each.items()} for part, each in found.items()}
        numbers[size.name] = rounded
        for part, each in rounded.items():
            for name, value in each.items():
                table.add_row(size.name, part, name, f"{value:,.4g}" if value < 10_000 else f"{value:,.0f}")
    if as_json:
        print(json.dumps(numbers))
        return
    Console().print(table)
