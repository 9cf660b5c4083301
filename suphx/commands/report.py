"""`suphx report`: a page about a run of the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run, as scripts/train.sh leaves it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Write report.md with pictures into the folder of a run: what was done, what it came to, and what could be next.

    It tells of the parts that are there: supervised training, the reward predictor, self-play, before and after.
    """
    from suphx.report.page import REPORT_NAME, write_report

    found = write_report(folder)
    print(found.model_dump_json() if as_json else folder / REPORT_NAME)
