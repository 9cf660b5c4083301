"""`suphx report`: a page about a run of the main job, or the curves of several trainings in one plot."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option


def report(
    folders: Annotated[list[Path], Argument(metavar="FOLDER...", help="Folder of a run.")],
    curves: Annotated[Path | None, Option(help="Draw the curves of trainings into this PNG or SVG instead.")] = None,
) -> None:
    """Write report.md with plots into the folder of a run of the main job, or of `suphx train`.

    It covers the parts that are there: supervised training, the reward predictor, self-play, the match.
    """
    if curves is not None:
        from suphx.report.plots import plot_trainings, read_trainings

        plot_trainings(curves, read_trainings(folders))
        print(curves)
        return
    if len(folders) > 1:
        raise typer.BadParameter("one folder, or --curves for several trainings", param_hint="FOLDER")
    from suphx.report.page import REPORT_NAME, write_report

    write_report(folders[0])
    print(folders[0] / REPORT_NAME)
