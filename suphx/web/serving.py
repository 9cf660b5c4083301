"""Where the page is served, and how a browser is sent there."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import webbrowser

import uvicorn
from fastapi import FastAPI

from suphx.errors import InputError


class PageServer(uvicorn.Server):
    """Serves the page; when it is told to end, pages that listen are told so first, and need not be cut off."""

    def __init__(self, app: FastAPI) -> None:
        """app: as `create_app` returns it."""
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", server_header=False, limit_concurrency=100, timeout_graceful_shutdown=1
            )
        )
        self._end_streams = app.state.end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._end_streams()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a socket that listens, and the page's address; raises InputError where that cannot be."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(f"--host {host}: {error.strerror}") from error
    except UnicodeError as error:
        raise InputError(f"--host {host}: no name that a host can have") from error
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(where)
        found.listen()
    except OSError as error:
        found.close()
        raise InputError(f"cannot listen on {host}, port {port}: {error.strerror}; --port chooses another") from error
    if not ipaddress.ip_address(where[0]).is_loopback:
        print(f"suphx: whoever reaches {host} can use this page; it is made for one person", file=sys.stderr)
    name = f"[{host}]" if ":" in host else host
    return found, f"http://{name}:{found.getsockname()[1]}/"


def open_page(address: str) -> None:
    """Open the page in the browser where there is a desktop; in a terminal a browser of text would be in the way."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address)
