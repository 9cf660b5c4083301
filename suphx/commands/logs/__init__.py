"""`suphx logs`: read, verify, show, measure, convert and write game logs."""

import typer

from suphx.commands.logs.convert import convert
from suphx.commands.logs.generate import generate
from suphx.commands.logs.show import show
from suphx.commands.logs.stats import stats
from suphx.commands.logs.verify import verify

logs = typer.Typer(no_args_is_help=True, help="Read, verify, show, measure, convert and write game logs.")
for command in (verify, show, stats, convert, generate):
    logs.command()(command)
