"""`suphx logs show`: a game as text."""

from pathlib import Path
from typing import Annotated

import typer


def show(
    path: Annotated[Path, typer.Argument(help="A log, or an archive or folder of logs.")],
    most: Annotated[int, typer.Option(min=1, help="Games to print at most.")] = 1,
) -> None:
    """Print a game readably: hands, one line a turn (+ drawn, - discarded, * as drawn), results."""
    from itertools import islice

    from simulator.logs.archives import open_logs
    from simulator.logs.formats import read_logs
    from simulator.logs.model import LogError
    from simulator.logs.show import show_game

    for log in islice(read_logs(open_logs([path])), most):
        if isinstance(log, LogError):
            raise log
        for line in show_game(log):
            typer.echo(line)
