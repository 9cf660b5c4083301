"""The page before the program behind it is loaded, which takes seconds: it is shown at once, and waits for the rest."""

import contextlib
import ipaddress
import json
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from suphx.errors import InputError
from suphx.web.pages import HEADERS, page_file, policy

#: What every request is answered, with 503, that is not for a file of the page; the page asks again.
STARTING = "the program behind the page is being loaded"
_UNAVAILABLE = 503
#: Seconds after which it is noticed at the latest that the program has been loaded.
_LOOK = 0.05


class _Early(BaseHTTPRequestHandler):
    timeout = 5.0

    def do_GET(self) -> None:
        """Answer with a file of the page, or that it is too early."""
        found = page_file(urlsplit(self.path).path)
        self._answer(200, *found) if found else self._too_early()

    def do_POST(self) -> None:
        """Answer that it is too early."""
        self._too_early()

    def do_DELETE(self) -> None:
        """Answer that it is too early."""
        self._too_early()

    def _too_early(self) -> None:
        self._answer(_UNAVAILABLE, "application/json", json.dumps({"detail": STARTING}))

    def _answer(self, status: int, media_type: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        headers = {
            "Content-Type": f"{media_type}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-cache",
        }
        for name, value in (headers | HEADERS | {"Content-Security-Policy": policy()}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on the terminal."""

    def version_string(self) -> str:
        """Name no software."""
        return "suphx"


class _EarlyServer(ThreadingHTTPServer):
    def __init__(self, listening: socket.socket) -> None:
        super().__init__(listening.getsockname()[:2], _Early, bind_and_activate=False)
        self.socket.close()
        self.socket = listening

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave it: who breaks off a request asks again, or does not."""


@contextlib.contextmanager
def page_alone(listening: socket.socket) -> Iterator[None]:
    """Serve the page, without anything behind it, on a listening socket; afterwards the socket listens still."""
    server = _EarlyServer(listening)
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


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
