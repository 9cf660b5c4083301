"""`suphx bench`: how fast it is, beside others in the same run; and what training gains, before a match could tell."""

import typer

from suphx.commands.bench.adapt import adapt
from suphx.commands.bench.direction import direction
from suphx.commands.bench.evaluate import evaluate
from suphx.commands.bench.features import features
from suphx.commands.bench.learner import learner
from suphx.commands.bench.networks import networks
from suphx.commands.bench.pretrain import pretrain
from suphx.commands.bench.selfplay import selfplay
from suphx.commands.bench.simulator import simulator
from suphx.commands.groups import announced, with_plugins
from suphx.plugins import BENCHES

bench = typer.Typer(
    cls=with_plugins(BENCHES),
    no_args_is_help=True,
    help="Measure speed, compared with others in the same run, and what a training gained.",
)


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
):
    bench.command()(announced(each))
