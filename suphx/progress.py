"""How far a piece of work is, on the error stream: a bar on a terminal, elsewhere a line now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

#: Seconds between lines where the error stream is no terminal but, say, a log file.
LINE_SECONDS = 60.0
#: Columns of tables that go to a file or another program.
_PAGE = 200


def page() -> Console:
    """Return the standard output, for tables."""
    return Console(width=None if sys.stdout.isatty() else _PAGE, highlight=False)


class Show(Protocol):
    """A function that shows how much is done."""

    def __call__(self, done: float, words: str = "") -> None:
        """Show it; words: such as a rate."""


@contextmanager
def progress(what: str, total: float | None, screen: Console | None = None, done: float = 0) -> Iterator[Show]:
    """Yield a function that shows how much of some work is done; total: a count, None, or 1.0 for a share."""
    screen = screen or Console(stderr=True)
    count = TaskProgressColumn() if total == 1.0 else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), count, TextColumn("{task.fields[words]}", markup=False))
    last_line = time.monotonic()
    bars = Progress(*columns, TimeRemainingColumn(), console=screen, transient=True, disable=not screen.is_terminal)
    with bars:  # disabled, since it would leave an empty line in a log file
        bar = bars.add_task(what, total=total, words="")
        bars.update(bar, completed=done)

        def show(done: float, words: str = "") -> None:
            nonlocal last_line
            bars.update(bar, completed=done, words=words)
            if not screen.is_terminal and time.monotonic() - last_line > LINE_SECONDS:
                last_line = time.monotonic()
                part = f"{done:.0%}" if total == 1.0 else f"{done:,.0f}" + (f" of {total:,.0f}" if total else "")
                screen.print(f"{what}: {part}{', ' * bool(words)}{words}", markup=False, highlight=False)

        yield show
