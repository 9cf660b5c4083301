"""What is checked of every request besides its host, and the security headers of every response.

The server listens on the loopback address, but any page open in a browser can send requests to it. Therefore

- the host must be one of ours (`trusted_hosts`), or a foreign name that resolves to this server could read everything
  (DNS rebinding);
- a request that the browser marks as coming from another site is refused, unless it follows a link to a page, and so is
  a request that changes something if its origin is not our own; nothing is shared across origins;
- a body must state its length and may not be too large.
"""

import ipaddress
from collections.abc import Iterable
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Maximum size of a request body; the log of a game has some 10 to 200 KB.
MAX_BODY = 8 << 20
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_READING = ("GET", "HEAD", "OPTIONS")


def trusted_hosts(hosts: Iterable[str]) -> list[str]:
    """Return what `Host` may say, for `TrustedHostMiddleware`: loopback and these names and addresses.

    For the address that stands for all addresses of the machine, these are all IPv4 addresses: whatever ends with a
    number is one to a browser, never a name.
    """
    trusted = ["127.0.0.1", "localhost", "[::1]"]
    for host in hosts:
        trusted.append(f"[{host}]" if ":" in host else host)
        with suppress(ValueError):
            if ipaddress.ip_address(host).is_unspecified:
                trusted += [f"*.{number}" for number in range(256)]
    return trusted


class Guard:
    """The ASGI middleware."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        """policy: content security policy of responses."""
        self._app = app
        self._headers = {**HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        answer: ASGIApp = self._app
        if refusal := _refusal(scope["method"], Headers(scope=scope)):
            status, reason = refusal
            answer = JSONResponse({"detail": reason}, status)
            with suppress(ClientDisconnect):  # only who has sent the whole body reads the response
                async for _ in Request(scope, receive).stream():
                    pass
        await answer(scope, receive, send_with_headers)


def _refusal(method: str, headers: Headers) -> tuple[int, str] | None:
    """Return the status and the reason with which a request is refused; None if it is not."""
    changes = method not in _READING
    follows_link = headers.get("sec-fetch-dest") == "document" and not changes
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not follows_link:
        return 403, "a request from another site"
    origin, host = headers.get("origin"), headers.get("host", "")
    if changes and origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return 403, "a request from another origin"
    if "transfer-encoding" in headers:
        return 411, "the length of the request must be stated"
    if int(headers.get("content-length", 0)) > MAX_BODY:
        return 413, f"larger than the {MAX_BODY >> 20} MB that a log may have"
    return None
