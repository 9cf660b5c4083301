"""`suphx report`: a page about a run of the main job, and a picture of trainings beside each other."""

from pathlib import Path
from typing import Annotated

import typer

from suphx.commands.options import AsJson


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER...", help="Folder with what training has left.")],
    curves: Annotated[
        Path | None,
        typer.Option(
            help="Draw the curves of trainings into this PNG or SVG instead; FOLDER is then a run of `suphx train`."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write report.md with pictures into the folder of a run: what was done, the results, and what to do next.

    It covers the parts that are there: supervised training, the reward predictor, self-play, the measurements. With
    --curves it draws the curves of several self-play trainings in one picture instead.
    """
    if curves is not None:
        from suphx.report.pictures import plot_trainings
        from suphx.report.reading import read_trainings

        plot_trainings(curves, read_trainings(folders))
        print(curves)
        return
    if len(folders) > 1:
        raise typer.BadParameter("one folder, or --curves for several trainings", param_hint="FOLDER")
    from suphx.report.page import REPORT_NAME, write_report

    found = write_report(folders[0])
    print(found.model_dump_json() if as_json else folders[0] / REPORT_NAME)
