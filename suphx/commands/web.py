"""`suphx web`: the local page."""

import os
from pathlib import Path
from typing import Annotated

import typer

from suphx.agent import DEFAULT_AGENT
from suphx.commands.options import EXIT_INTERRUPTED, Reviewer

#: As many as there are tiles, behind an 8.
DEFAULT_PORT = 8136


def web(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; anything but loopback lets other machines in.")
    ] = "127.0.0.1",
    agent: Reviewer = DEFAULT_AGENT,
    logs: Annotated[
        Path | None, typer.Option(help="Folder or archive with the files of Tenhou addresses; else they are fetched.")
    ] = None,
    games: Annotated[
        Path | None, typer.Option(help="Folder of games to watch: of a training, or of `evaluate --logs`.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Serve a page on which to play against agents, review games, and watch agents play.

    Reviews and games outlive the command: the last 200 of each are kept in the folder of runs.
    By default the page can be reached from this machine only; the network is used only to fetch a log by its address at
    Tenhou. It needs the extra `web`.
    """
    from importlib.util import find_spec

    from suphx.errors import InputError
    from suphx.web.early import listen, open_page, page_alone

    for folder, kind in ((logs, "folder or archive"), (games, "folder")):
        if folder is not None and not folder.exists():
            raise InputError(f"{folder}: no such {kind}")
    for package in ("fastapi", "uvicorn", "torch"):  # found out before the page opens, without loading them
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    listening, address = listen(host, port)
    print(
        f"{address} is the page; it opens now, and in some seconds it can play and review (Ctrl-C ends it)", flush=True
    )
    with page_alone(listening):
        if open_browser:
            open_page(address)

        from suphx.runs import runs_folder
        from suphx.web.app import create_app
        from suphx.web.serving import PageServer
        from suphx.web.shelf import SHELF_NAME

        server = PageServer(create_app(agent, logs, [host], games, shelf=runs_folder() / SHELF_NAME))
    print("ready", flush=True)
    try:
        server.run([listening])
    except KeyboardInterrupt:  # all is kept and closed; a thread that compiles would still be waited for
        os._exit(EXIT_INTERRUPTED)
