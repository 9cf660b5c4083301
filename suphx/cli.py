"""The command line `suphx`: registers the subcommands and turns errors into one-line messages for the user.

Each command is a function in a module of `suphx.commands` that imports what it needs when it is called: nothing
here may import NumPy or Numba, so that `suphx --help` answers at once.
"""

import os
import re
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from suphx.bench.commands import bench
from suphx.commands.accuracy import accuracy
from suphx.commands.adapt import adapt
from suphx.commands.bot import bot
from suphx.commands.check import check
from suphx.commands.compare import compare
from suphx.commands.evaluate import evaluate
from suphx.commands.features import features
from suphx.commands.groups import with_plugins
from suphx.commands.logs import logs
from suphx.commands.match import match
from suphx.commands.outlook import outlook
from suphx.commands.pretrain import pretrain
from suphx.commands.quickstart import quickstart
from suphx.commands.report import report
from suphx.commands.review import review
from suphx.commands.reward import reward
from suphx.commands.train import train
from suphx.commands.warmup import warmup
from suphx.commands.web import web
from suphx.plugins import COMMANDS, PLUGINS_VARIABLE, load_plugins

_LINE_BREAK = re.compile(r"\s*\n\s*")  # libraries have some in their messages
EXIT_ERROR = 1  # an input is wrong or missing; a wrong command line exits with 2, Ctrl-C with 130

app = typer.Typer(
    name="suphx",
    cls=with_plugins(COMMANDS),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"suphx {version('suphx')}")
        raise typer.Exit


@app.callback()
def suphx(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The open Suphx: a Riichi Mahjong simulator, agents that play it, and their training.

    Agents are named by `tuned-large` (the included weights), `sl-large` (before they were tuned to play as the
    strongest AIs), `tuned` and `sl` (these with smaller discards: faster), `sl-weak` (with under-trained ones),
    `sensible`, `tsumogiri` or `random` (rule-based), or a folder of weights.
    """
    if os.environ.get(PLUGINS_VARIABLE):
        load_plugins()


_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Play and review": (review, web, match, bot),
    "Measure": (evaluate, compare, accuracy, adapt, report),
    "Train": (quickstart, pretrain, reward, train),
    "Look inside": (features, check, warmup),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
    if panel == "Measure":
        app.add_typer(bench, name="bench", rich_help_panel=panel)
    if panel == "Train":
        app.add_typer(outlook, name="outlook", rich_help_panel=panel)
app.add_typer(logs, name="logs", rich_help_panel="Look inside")


#: The extra of the installation that brings a package (`pyproject.toml`).
_EXTRAS = {
    **dict.fromkeys(("torch", "safetensors", "filelock"), "play"),
    **dict.fromkeys(("fastapi", "uvicorn", "httpx"), "web"),
    **dict.fromkeys(("ray", "tensorboard", "matplotlib"), "train"),
}


def _message(error: Exception) -> str | None:
    """Return the one-line message for a user's error, or None for a bug in the program (which shows its traceback)."""
    from simulator.logs.model import LogError
    from simulator.players import IllegalPlayer
    from simulator.rules import RulesError
    from simulator.tiles import NotationError
    from suphx.errors import InputError, words_of

    if isinstance(error, ModuleNotFoundError) and (extra := _EXTRAS.get((error.name or "").partition(".")[0])):
        return f"this needs {error.name}, which is not installed: pip install 'suphx[{extra}]'"
    if isinstance(error, OSError):
        return words_of(error)
    if isinstance(error, (InputError, LogError, RulesError, NotationError, IllegalPlayer)):
        return str(error)
    return None


def main() -> None:
    """Run the command line; exits with 0, EXIT_ERROR, 2 (wrong usage) or 130 (Ctrl-C)."""
    try:
        try:
            app(prog_name="suphx")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `| head`, wants no more; what is still to be written is discarded
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_ERROR)
    except Exception as error:
        message = _message(error)
        if message is None:
            raise
        from simulator.logs.model import shown_text

        print(f"suphx: {shown_text(_LINE_BREAK.sub('; ', message))}", file=sys.stderr)
        sys.exit(EXIT_ERROR)
