"""`suphx poker`: equity, endgames, counterfactual value networks, and hold'em for two to six players."""

import typer

from suphx.equilibrium.commands.poker.endgames import equity, solve
from suphx.equilibrium.commands.poker.holdem import match, play, train
from suphx.equilibrium.commands.poker.values import encodings, samples

poker = typer.Typer(
    no_args_is_help=True, help="Poker: equity, endgames, counterfactual values, hold'em for two to six players."
)
for _command in (equity, solve, samples, encodings, train, match, play):
    poker.command()(_command)
