"""`suphx compare`: agents that were measured on the same deals, side by side, without playing again."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from suphx.commands.options import AsJson, CsvFile, Pictures, Prizes


def compare(
    measured: Annotated[
        list[Path],
        Argument(help="Matches on the same deals with one field: folders of `evaluate --out`, or counts.safetensors."),
    ],
    deals: Annotated[str | None, Option(help="Count only deals FROM:TO:STEP, such as 25000: or :25000.")] = None,
    plots: Pictures = None,
    csv: CsvFile = None,
    tensorboard: Annotated[Path | None, Option(help="Folder for the numbers as TensorBoard scalars.")] = None,
    prizes: Prizes = None,
    career: Annotated[bool, Option("--career", help="Also simulate careers on Tenhou's ladder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compare agents that `suphx evaluate` measured one by one, deal by deal, each with the first one.

    The matches must agree in field, seed, rules, temperature, precision, device, and the time of bots in the field.
    Deals that all have are compared.
    """
    from rich.console import Console

    from suphx.evaluation.counts import joined, read_counts
    from suphx.evaluation.measures import read_prizes
    from suphx.evaluation.outputs import counts_report, draw, show, warn_of_few
    from suphx.evaluation.report import write_csv, write_scalars

    paid = read_prizes(prizes) if prizes else None
    counted = joined({str(path): read_counts(path) for path in measured})
    if deals:
        counted = counted.on_deals(deals)
    results = {"deals_of": deals, **counts_report(counted, paid, career)}
    warn_of_few(Console(stderr=True), results["deals"])
    if plots:
        draw(plots, results, counted.units)
    if csv:
        write_csv(csv, results)
    if tensorboard:
        write_scalars(tensorboard, results, results["games"])
    show(results, as_json)
