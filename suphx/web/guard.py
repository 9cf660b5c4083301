"""What stands before every request: who may ask, how much may be sent, and what a browser may do with the answer.

The server listens on the loopback address, but any page that a browser has open can send requests there. So

- the host that is asked for must be one of ours: a name of somebody else's that leads here (DNS rebinding) is refused;
  where it listens on all addresses of the machine, any address is one of ours, and no further name;
- a request that a browser says comes from another site is refused, but for a link that is followed to a page, and so is
  one that changes something if its origin is not our own; nothing is shared across origins;
- a body that is too large is read to its end, up to a bound, thrown away, and answered with 413.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Largest body of a request; a log of a game has some 10 to 200 KB.
MAX_BODY = 8 << 20
#: What is read of a body that is too large, so that its sender hears the answer.
_MOST_READ = 64 << 20
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_READING = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class _TooLarge(Exception):
    """A body is larger than MAX_BODY."""


class Guard:
    """The ASGI application before the application."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), policy: str = "default-src 'none'") -> None:
        """hosts: names and addresses that it may be asked for besides those of loopback. policy: of all answers."""
        self._app = app
        self._hosts = {*_LOOPBACK, *map(str.lower, hosts)}
        self._any_address = any(map(_is_unspecified, self._hosts))
        self._headers = {**_HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return
        send = self._with_headers(send)
        if refusal:
            await _answer(send, 403, refusal)
        else:
            await self._bounded(scope, receive, send)

    def refusal(self, scope: Scope) -> str:
        """Return why a request is refused, or an empty text."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(_name_of(f"//{host}")):
            return "this page is asked for by a name that is not its own"
        changes = scope["type"] == "websocket" or scope["method"] not in _READING
        follows_link = headers.get("sec-fetch-dest") == "document" and not changes
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not follows_link:
            return "a request from another site"
        origin = headers.get("origin")
        if changes and origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "a request from another origin"
        return ""

    def _is_ours(self, name: str | None) -> bool:
        return name is not None and (name in self._hosts or (self._any_address and _address(name) is not None))

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        read, started = 0, False

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MAX_BODY:
                while message.get("more_body") and read < _MOST_READ:
                    message = await receive()
                    read += len(message.get("body", b""))
                raise _TooLarge
            return message

        async def answering(message: Message) -> None:
            nonlocal started
            if read <= MAX_BODY or started:  # else whatever the application makes of the error is not the answer
                started = True
                await send(message)

        try:
            await self._app(scope, bounded, answering)
        except _TooLarge:
            pass
        if read > MAX_BODY and not started:
            await _answer(send, 413, f"larger than the {MAX_BODY >> 20} MiB that a log may have")

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return sending


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_unspecified(host: str) -> bool:
    """Return whether whoever listens on a host listens on all addresses of the machine."""
    address = _address(host)
    return address is not None and address.is_unspecified


async def _answer(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
