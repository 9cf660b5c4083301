"""`suphx quickstart`: the main job, from nothing to an agent that has learned from its own games, with a report."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option


def quickstart(
    minutes: Annotated[float, Option(min=1, help="How long it may take; networks and games follow from it.")] = 10,
    logs: Annotated[
        list[Path] | None, Option(exists=True, help="Learn from these logs instead of games that are made here.")
    ] = None,
    games: Annotated[int | None, Option(min=1, help="How many games to make; by default as the time allows.")] = None,
    weights: Annotated[bool, Option("--weights", help="Only self-play, starting from the included weights.")] = False,
    seed: Annotated[int, Option(min=0, max=10**6, help="Random seed of all steps.")] = 0,
    out: Annotated[
        Path | None, Option(help="Folder of results; by default first, first-logs or first-weights in $SUPHX_RUNS.")
    ] = None,
) -> None:
    """From nothing to an agent that has learned from its own games: the main job.

    It makes games by a rule-based player, trains five networks on them, lets an agent that has seen little of that
    training and the one at its end learn from games with themselves, measures what each gained, and writes a page
    about it, report.md. Run the same command again to resume.
    """
    from rich.console import Console

    from suphx.report.job import MainJob
    from suphx.report.page import REPORT_NAME, write_report
    from suphx.run_folder import folder_lock, runs_folder

    if bool(logs) + (games is not None) + weights > 1:
        raise typer.BadParameter("--logs, --games and --weights exclude each other")
    name = "first" + ("-logs" if logs else "-weights" if weights else "")
    folder = (out or runs_folder() / name).resolve()
    with folder_lock(folder, "works here"):
        status = MainJob(folder, minutes, logs or [], games, weights, seed, Console(stderr=True)).run()
        if status:
            raise typer.Exit(status)
        write_report(folder)
    print(folder / REPORT_NAME)
