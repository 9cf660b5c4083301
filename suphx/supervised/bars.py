"""Progress bars for training and testing on stderr: pairs, rate, time left, and validation results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from suphx.supervised.config import PretrainConfig

if TYPE_CHECKING:
    from suphx.supervised.training import ChunkReport


def _progress(screen: Console) -> Progress:
    columns = (TextColumn("{task.description:8}"), BarColumn(), TextColumn("{task.fields[words]}"))
    return Progress(*columns, TimeRemainingColumn(elapsed_when_finished=True), console=screen)


@contextmanager
def training_bars(config: PretrainConfig, screen: Console) -> Iterator[Callable[[ChunkReport], None]]:
    """Yield a function that shows each training report in the bar of its model; it may be called from any thread."""
    with _progress(screen) as progress:
        bars: dict[str, TaskID] = {
            model: progress.add_task(model, total=plan.pairs, words="waiting") for model, plan in config.models.items()
        }
        validated: dict[str, str] = dict.fromkeys(config.models, "")

        def watch(report: ChunkReport) -> None:
            if report.validation is not None:
                metrics = report.validation.metrics
                validated[report.model] = f"validation {metrics['accuracy']:.2%}, loss {metrics['loss']:.4f}"
                if not screen.is_terminal:  # a log file gets lines instead of bars
                    line = f"{report.model}: {report.pairs:,} pairs, {report.pairs_per_s:,.0f}/s"
                    screen.print(f"{line}, {validated[report.model]}", highlight=False)
            words = f"{report.pairs_per_s:,.0f} pairs/s, loss {report.loss:.4f} {validated[report.model]}"
            progress.update(bars[report.model], completed=min(report.pairs, report.total), words=words)

        yield watch


@contextmanager
def testing_bars(screen: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows (model, pairs done, total pairs), with one bar for each model."""
    with _progress(screen) as progress:
        bars = {}

        def watch(model: str, done: int, total: int) -> None:
            if model not in bars:
                bars[model] = progress.add_task(model, total=total, words="testing")
            progress.update(bars[model], completed=done)

        yield watch
