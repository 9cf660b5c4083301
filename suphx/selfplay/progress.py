"""A training's status line on the error stream: games, speed, time left and metrics of the policy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from suphx.progress import progress
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.training import TrainingReport


@contextmanager
def training_line(
    config: TrainConfig, to_all_games: bool, screen: Console
) -> Iterator[Callable[[TrainingReport], None]]:
    """Yield a function that shows each report of a training; measurements get lines of their own.

    to_all_games: the training ends after all games, not by the clock.
    """
    with progress(config.name, config.games if to_all_games else None, screen) as show:

        def watch(report: TrainingReport) -> None:
            if report.warning:
                screen.print(f"warning: {report.warning}", style="yellow", highlight=False)
            elif report.strength is not None:
                screen.print(_strength(config, report), highlight=False)
                if report.strength.is_worse:
                    bound = f"where all of the interval is above {config.learning.collapse.rank:g}"
                    words = f"the agent plays worse than its start; the run ends {bound} (learning.collapse.rank)"
                    screen.print(f"warning: {words}", style="yellow", highlight=False)
            else:
                show(min(report.games, report.total), _words(config, report))

        yield watch


def _words(config: TrainConfig, report: TrainingReport) -> str:
    model = config.learning.models[0]
    policy = ", ".join(
        f"{title} {report.metrics[f'{model}/{name}']:.3g}"
        for title, name in (("entropy", "entropy"), ("alpha", "alpha"), ("KL", "kl_behavior"))
        if f"{model}/{name}" in report.metrics
    )
    rate = f"{report.games_per_s:.2f} games/s, {report.decisions_per_s:,.0f} decisions/s"
    return f"{rate}, version {report.version}, {model} {policy}"


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
