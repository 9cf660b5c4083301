"""`suphx outlook`: train the outlook network, and measure it on held-out games."""

import typer

from suphx.commands.outlook.evaluate import evaluate
from suphx.commands.outlook.train import train

outlook = typer.Typer(
    no_args_is_help=True, help="The outlook: what each discard risks, and what a position is worth; train and measure."
)
outlook.command()(train)
outlook.command()(evaluate)
