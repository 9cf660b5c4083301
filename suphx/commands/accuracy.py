"""`suphx accuracy`: the agreement of networks with human moves in logs."""

from pathlib import Path
from typing import Annotated

from typer import Option

from suphx.commands.options import CORES, AsJson, Device, Precision, Seed, Threads, Workers


def accuracy(
    logs: Annotated[list[Path], Option(help="Logs to measure on: files, folders, archives.")],
    weights: Annotated[str, Option(help="sl, tuned, sl-large, tuned-large, sl-weak, or a folder of weights.")] = "sl",
    player: Annotated[list[str] | None, Option(help="Only the decisions of the player of this name.")] = None,
    seen: Annotated[bool, Option("--seen", help="Also use games that the weights were trained on.")] = False,
    pairs: Annotated[int, Option(min=0, help="Maximum number of decisions of each model; 0 for all.")] = 100_000,
    seed: Seed = 0,
    device: Device = None,
    precision: Precision = None,
    threads: Threads = None,
    workers: Workers = CORES,
    as_json: AsJson = False,
) -> None:
    """Measure the agreement of weights with human moves in logs, on games that they were not trained on."""
    from rich.console import Console

    from suphx.dataset.logs import open_prepared
    from suphx.networks.precision import choose_precision
    from suphx.supervised.results import measure_weights, print_results

    screen = Console(stderr=True)
    computing = choose_precision(device, precision, threads)
    screen.print(f"computing in {computing}", style="dim", highlight=False)
    prepared = open_prepared(logs, workers)
    print_results(measure_weights(weights, prepared, player, seen, computing, seed, pairs or None, screen), as_json)
