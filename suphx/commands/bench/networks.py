"""`suphx bench networks`: inference and training rates of the network sizes, and of the layouts considered."""

import json
from typing import Annotated

import typer


def networks(
    sizes: Annotated[str, typer.Option(help="Network sizes, with commas: small, base, paper.")] = "small,base",
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads on a CPU; by default all cores.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each measurement.")] = 3.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure the networks from packed planes to logits and to training steps, in float32 and bfloat16.

    `first_layer_share` is the part of inference from packed planes to what the first layer makes of them. Below, one
    convolution of the trunk in each layout. The machine should have nothing else to do.
    """
    from rich.console import Console
    from rich.table import Table

    from suphx.bench.networks import bench_networks
    from suphx.networks.precision import choose_precision
    from suphx.networks.sizes import size_named

    wanted = [size_named(name.strip()).name for name in sizes.split(",")]
    chosen = choose_precision(device, threads=threads)
    precisions = [choose_precision(device, dtype, threads) for dtype in ("bfloat16", "float32")]
    screen = Console(stderr=True)
    numbers: dict[str, object] = {"precision": str(chosen), "threads": chosen.threads}
    table = Table("", "measured", "value")
    for part, found in bench_networks(wanted, precisions, seconds):
        screen.print(f"measured {part}", style="dim")
        numbers[part] = {name: float(f"{value:.4g}") for name, value in found.items()}
        for name, value in found.items():
            table.add_row(part, name, f"{value:.3f}" if name.endswith("share") else f"{value:,.0f}")
    if as_json:
        print(json.dumps(numbers))
        return
    Console().print(f"chosen here: {chosen}")
    Console().print(table)
