"""`suphx poker`: equity, endgames, counterfactual value networks, and hold'em for two to six players."""

import typer

from suphx.commands.poker.encodings import encodings
from suphx.commands.poker.equity import equity
from suphx.commands.poker.match import match
from suphx.commands.poker.play import play
from suphx.commands.poker.samples import samples
from suphx.commands.poker.solve import solve
from suphx.commands.poker.train import train

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
