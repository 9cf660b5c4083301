"""`suphx web`: the local page."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from suphx.agent import DEFAULT_AGENT
from suphx.commands.options import EXIT_INTERRUPTED, Reviewer

if TYPE_CHECKING:
    from fastapi import FastAPI

#: As many as there are tiles, behind an 8.
DEFAULT_PORT = 8136


def web(
    port: Annotated[int, Option(min=0, max=65535, help="The port; 0 takes a free one.")] = DEFAULT_PORT,
    host: Annotated[str, Option(help="Address; anything but loopback lets others in.")] = "127.0.0.1",
    agent: Reviewer = DEFAULT_AGENT,
    logs: Annotated[Path | None, Option(help="Folder or archive of Tenhou's logs; by default it is fetched.")] = None,
    games: Annotated[Path | None, Option(help="Folder of games to watch, as from `evaluate --logs`.")] = None,
    open_browser: Annotated[bool, Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Serve a page to play against agents, review games, and watch agents play.

    The last 200 reviews and games are saved in the folder of runs. By default only this machine can reach the page; the
    network is used only to fetch a log by its address at Tenhou. It needs the extra `web`.
    """
    from suphx.errors import InputError
    from suphx.web.serving import PageServer, listen, open_page

    for folder, kind in ((logs, "folder or archive"), (games, "folder")):
        if folder is not None and not folder.exists():
            raise InputError(f"{folder}: no such {kind}")

    def load() -> "FastAPI":
        from suphx.run_folder import runs_folder
        from suphx.web.app import create_app
        from suphx.web.shelf import SHELF_NAME

        return create_app(agent, logs, games, shelf=runs_folder() / SHELF_NAME)

    listener, address = listen(host, port)
    print(f"The page is at {address}; Ctrl-C ends it", flush=True)
    if open_browser:
        open_page(address)
    try:
        PageServer(load, [host]).run([listener])
    except KeyboardInterrupt:  # everything is saved and closed, but a thread that compiles would still be waited for
        os._exit(EXIT_INTERRUPTED)
