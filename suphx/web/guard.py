"""Middleware that checks every request: its host, origin and size, and sets security headers on the response.

The server listens on the loopback address, but any page open in a browser can send requests to it. Therefore

- the requested host must be one of ours: a foreign name that resolves to this server (DNS rebinding) is refused; if the
  server listens on all addresses of the machine, any IP address is accepted, but no other names;
- a request that the browser marks as coming from another site is refused, unless it follows a link to a page, and so is
  a request that changes something if its origin is not our own; nothing is shared across origins;
- a body that is too large is read to its end, up to a bound, discarded, and answered with 413.
"""

import ipaddress
import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from suphx.web.pages import HEADERS

#: Maximum size of a request body; the log of a game has some 10 to 200 KB.
MAX_BODY = 8 << 20
#: How much of a body that is too large is read, so that its sender receives the response.
_MOST_READ = 64 << 20
#: What may stand in `Host`: a plain name or address, and a port.
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::\d{1,5})?", re.ASCII)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_READING = ("GET", "HEAD", "OPTIONS")


class _TooLarge(Exception):
    """A body is larger than MAX_BODY."""


class Guard:
    """The ASGI middleware around the application."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), policy: str = "default-src 'none'") -> None:
        """hosts: accepted host names and addresses besides loopback. policy: content security policy of responses."""
        self._app = app
        self._hosts = {*_LOOPBACK, *map(str.lower, hosts)}
        self._any_address = any(map(_is_unspecified, self._hosts))
        self._headers = {**HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = self._with_headers(send)
        if refusal := self.refusal(scope):
            await _refused(403, refusal)(scope, receive, send)
        else:
            await self._bounded(scope, receive, send)

    def refusal(self, scope: Scope) -> str:
        """Return the reason why a request is refused, or "" if it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return "this page is asked for by a name that is not its own"
        changes = scope["method"] not in _READING
        follows_link = headers.get("sec-fetch-dest") == "document" and not changes
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not follows_link:
            return "a request from another site"
        origin = headers.get("origin")
        if changes and origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "a request from another origin"
        return ""

    def _is_ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host)
        name = (found[1] or found[2]).lower() if found else ""
        return name in self._hosts or (self._any_address and _address(name) is not None)

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
            if read <= MAX_BODY or started:  # otherwise drop the application's response to the error and answer 413
                started = True
                await send(message)

        try:
            await self._app(scope, bounded, answering)
        except _TooLarge:
            pass
        if read > MAX_BODY and not started:
            await _refused(413, f"larger than the {MAX_BODY >> 20} MiB that a log may have")(scope, receive, send)

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return sending


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_unspecified(host: str) -> bool:
    """Return whether listening on this host means listening on all addresses of the machine."""
    address = _address(host)
    return address is not None and address.is_unspecified


def _refused(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status)
