"""A wire between a browser and the server that can be cut, for the tests of what a broken connection does."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit


class Relay:
    """A port that passes bytes on to a server, as long as it is whole."""

    def __init__(self, address: str) -> None:
        """address: of the server, `http://host:port`."""
        self._lead_to(address)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._open: set[socket.socket] = set()
        self._whole = True
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near = self._listening.accept()[0]
                with self._lock:
                    if not self._whole:
                        near.close()
                        continue
                    far = socket.create_connection(self._server)
                    self._open |= {near, far}
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        with self._lock:
            self._close(source, target)

    def _close(self, *sockets: socket.socket) -> None:
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
            self._open.discard(each)

    def cut(self) -> None:
        """Break all connections, and let none be made."""
        with self._lock:
            self._whole = False
            self._close(*self._open)

    def _lead_to(self, address: str) -> None:
        found = urlsplit(address)
        self._server = (found.hostname, found.port)

    def mend(self, address: str = "") -> None:
        """Let connections be made again, to another server if it is given."""
        if address:
            self._lead_to(address)
        self._whole = True

    def close(self) -> None:
        """Take the port away."""
        self.cut()
        self._listening.close()


@contextlib.contextmanager
def relayed(address: str) -> Iterator[Relay]:
    """Yield a wire to a server."""
    relay = Relay(address)
    try:
        yield relay
    finally:
        relay.close()
