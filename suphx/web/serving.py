"""Serving the page on a socket, and opening it in a browser."""

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
    """Serves the page; on shutdown it first ends the event streams, so that they need not be cut off."""

    def __init__(self, app: FastAPI) -> None:
        """app: as returned by `create_app`."""
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", server_header=False, limit_concurrency=100, timeout_graceful_shutdown=1
            )
        )
        self._end_streams = app.state.end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, then shut down."""
        self._end_streams()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a listening socket and the address of the page; raises InputError if that is impossible."""
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(f"--host {host}: {error.strerror}") from error
    except UnicodeError as error:
        raise InputError(f"--host {host}: not a valid host name") from error
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
    """Open the page in the browser if there is a desktop; without one, a text browser would block the terminal."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address)
