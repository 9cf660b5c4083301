"""`suphx logs`: read, verify, show, measure, convert and write game logs."""

import typer

from suphx.commands.logs.convert import convert
from suphx.commands.logs.generate import generate
from suphx.commands.logs.show import show
from suphx.commands.logs.stats import stats
from suphx.commands.logs.tamper import tamper
from suphx.commands.logs.verify import verify

logs = typer.Typer(no_args_is_help=True, help="Read, verify, show, measure, convert and write game logs.")
logs.command()(verify)
logs.command()(show)
logs.command()(stats)
logs.command()(tamper)
logs.command()(convert)
logs.command()(generate)
