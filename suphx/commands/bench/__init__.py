"""`suphx bench`: how fast it is, beside others in the same run; and what training gains, before a match could tell."""

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
bench.command()(simulator)
bench.command()(features)
bench.command()(networks)
bench.command()(pretrain)
bench.command()(evaluate)
bench.command()(selfplay)
bench.command()(learner)
bench.command()(adapt)
bench.command()(direction)
bench.command()(equilibrium)
bench.command()(rules)
bench.command()(poker)
bench.command()(duel)
