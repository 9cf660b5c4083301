"""`suphx poker`: equity, endgames, counterfactual value networks, and hold'em for two to six players."""

import typer

from suphx.equilibrium.commands.poker.encodings import encodings
from suphx.equilibrium.commands.poker.equity import equity
from suphx.equilibrium.commands.poker.match import match
from suphx.equilibrium.commands.poker.play import play
from suphx.equilibrium.commands.poker.samples import samples
from suphx.equilibrium.commands.poker.solve import solve
from suphx.equilibrium.commands.poker.train import train

poker = typer.Typer(
    no_args_is_help=True, help="Poker: equity, endgames, counterfactual values, hold'em for two to six players."
)
poker.command()(equity)
poker.command()(solve)
poker.command()(samples)
poker.command()(encodings)
poker.command()(train)
poker.command()(match)
poker.command()(play)
