"""`suphx poker`: equity, endgames, counterfactual value networks, and hold'em for two to six players."""

import typer

from suphx.commands.poker.encodings import encodings
from suphx.commands.poker.equity import equity
from suphx.commands.poker.samples import samples
from suphx.commands.poker.solve import solve

poker = typer.Typer(
    no_args_is_help=True, help="Poker: equity, endgames, counterfactual values, hold'em for two to six players."
)
poker.command()(equity)
poker.command()(solve)
poker.command()(samples)
poker.command()(encodings)
