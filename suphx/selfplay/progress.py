"""A training's status line on the error stream: games, speed, time left and metrics of the policy."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from suphx.selfplay.config import TrainConfig
from suphx.selfplay.training import TrainingReport

#: Seconds between lines when the output is not a terminal but, for instance, a log file.
_LINE_SECONDS = 60


@contextmanager
def training_line(config: TrainConfig, screen: Console) -> Iterator[Callable[[TrainingReport], None]]:
    """Yield a function that shows each report of a training; measurements get lines of their own."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[words]}"))
    with Progress(*columns, TimeRemainingColumn(elapsed_when_finished=True), console=screen) as progress:
        bar = progress.add_task(config.name, total=config.games, words="starting")
        last_line = time.monotonic()

        def watch(report: TrainingReport) -> None:
            nonlocal last_line
            if report.warning:
                screen.print(f"warning: {report.warning}", style="yellow", highlight=False)
                return
            if report.strength is not None:
                screen.print(_strength(config, report), highlight=False)
                if report.strength.is_worse:
                    bound = f"where all of the interval is above {config.learning.collapse.rank:g}"
                    words = f"the agent plays worse than its start; the run ends {bound} (learning.collapse.rank)"
                    screen.print(f"warning: {words}", style="yellow", highlight=False)
                return
            words = _words(config, report)
            progress.update(bar, completed=min(report.games, report.total), words=words)
            if not screen.is_terminal and time.monotonic() - last_line > _LINE_SECONDS:
                screen.print(f"{config.name}: {words}", highlight=False)
                last_line = time.monotonic()

        yield watch


def _words(config: TrainConfig, report: TrainingReport) -> str:
    model = config.learning.models[0]
    policy = ", ".join(
        f"{title} {report.metrics[f'{model}/{name}']:.3g}"
        for title, name in (("entropy", "entropy"), ("alpha", "alpha"), ("KL", "kl_behavior"))
        if f"{model}/{name}" in report.metrics
    )
    rate = f"{report.games_per_s:.2f} games/s, {report.decisions_per_s:,.0f} decisions/s"
    return f"{report.games:,} games, {rate}, version {report.version}, {model} {policy}"


def _strength(config: TrainConfig, report: TrainingReport) -> str:
    strength = report.strength
    assert strength is not None and config.evaluation is not None
    (low, high), (less_low, less_high) = strength.interval, strength.less_start_interval
    seeing = ""
    if strength.oracle_less_start is not None and strength.oracle_less_start_interval is not None:
        low_seeing, high_seeing = strength.oracle_less_start_interval
        seeing = f"; seeing what is hidden {strength.oracle_less_start:+.3f} ({low_seeing:+.3f} to {high_seeing:+.3f})"
    return (
        f"after {strength.games:,} games: average rank {strength.average_rank:.3f} ({low:.3f} to {high:.3f}) "
        f"against three {config.evaluation.opponent}; {strength.less_start:+.3f} ({less_low:+.3f} to {less_high:+.3f}) "
        f"to {config.start}{seeing}; less is better"
    )
