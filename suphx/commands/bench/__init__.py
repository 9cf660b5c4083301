"""`suphx bench`: how fast it is, beside others in the same run; and what training gains, before a match could tell."""

from collections.abc import Callable
from functools import wraps
from inspect import cleandoc

import typer

from suphx.commands.bench.adapt import adapt
from suphx.commands.bench.direction import direction
from suphx.commands.bench.duel import duel
from suphx.commands.bench.equilibrium import equilibrium, rules
from suphx.commands.bench.evaluate import evaluate
from suphx.commands.bench.features import features
from suphx.commands.bench.learner import learner
from suphx.commands.bench.networks import networks
from suphx.commands.bench.poker import poker
from suphx.commands.bench.pretrain import pretrain
from suphx.commands.bench.selfplay import selfplay
from suphx.commands.bench.simulator import simulator

bench = typer.Typer(
    no_args_is_help=True, help="Measure speed, compared with others in the same run, and what a training gained."
)


def _announced(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that first says what it will measure: the first paragraph of its help, on standard error."""

    @wraps(command)
    def announce(*arguments: object, **options: object) -> None:
        from rich.console import Console

        words = " ".join(cleandoc(command.__doc__ or "").split("\n\n")[0].split())
        Console(stderr=True).print(words, style="dim", highlight=False)
        command(*arguments, **options)

    return announce


for each in (
    simulator,
    features,
    networks,
    pretrain,
    evaluate,
    selfplay,
    learner,
    adapt,
    direction,
    equilibrium,
    rules,
    poker,
    duel,
):
    bench.command()(_announced(each))
