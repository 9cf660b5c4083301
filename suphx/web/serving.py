"""Serving the page: its own files at once, and everything else by the application, which takes seconds to load."""

import asyncio
import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable
from concurrent.futures import Future

import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from suphx.errors import InputError
from suphx.plugins import VIEWS
from suphx.web.assets import content_policy, modules, start_page, style
from suphx.web.guard import Guard, trusted_hosts

#: The addresses of the page, which chooses its view by them; plugins add theirs.
_VIEWS = ("/", "/review/{id}", "/watch/{id}", "/play/{id}")
_NO_CACHE = {"Cache-Control": "no-cache"}


class PageServer(uvicorn.Server):
    """Serves the page from the start; requests to the application wait until it is loaded."""

    def __init__(self, load: Callable[[], FastAPI], hosts: Iterable[str] = ()) -> None:
        """load: returns the application (`create_app`). hosts: names it is served under, besides those of loopback."""
        self._load = load
        self._application: Future[FastAPI] = Future()
        self._error: Exception | None = None
        views = (*_VIEWS, *(f"/{view.name}" for view in VIEWS))
        routes = [Route(path, _view) for path in views] + [Route("/page/{name}", _file)]
        guards = [
            Middleware(Guard, policy=content_policy()),
            Middleware(TrustedHostMiddleware, allowed_hosts=trusted_hosts(hosts), www_redirect=False),
        ]
        page = Starlette(routes=routes, middleware=guards)
        page.router.default = self._answer
        super().__init__(
            uvicorn.Config(
                page, ws="none", lifespan="off", log_level="warning", server_header=False, timeout_graceful_shutdown=1
            )
        )

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal ends it; raises what kept the application from loading."""
        threading.Thread(target=self._load_application, name="load").start()
        super().run(sockets)
        if self._error:
            raise self._error

    def _load_application(self) -> None:
        try:
            application = self._load()
        except Exception as error:
            self._error = error
            self.should_exit = True
            return
        if self._application.set_running_or_notify_cancel():
            self._application.set_result(application)
            application.state.warm_up()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the application answer, once it is loaded; an address that is none gets the page, which says so."""
        if not scope["path"].startswith(("/api/", "/page/")):
            await Response(start_page(), 404, media_type="text/html", headers=_NO_CACHE)(scope, receive, send)
            return
        try:
            loaded = await asyncio.shield(asyncio.wrap_future(self._application))
        except asyncio.CancelledError:
            refusal = JSONResponse({"detail": str(self._error or "the server is ending")}, 503)
            await refusal(scope, receive, send)
        else:
            await loaded(scope, receive, send)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let no request wait and end the event streams, so that they need not be cut off; then shut down."""
        state = None if self._application.cancel() else self._application.result().state
        if state:
            state.end_streams()
        await super().shutdown(sockets)
        if state:
            state.close()


def _view(_: Request) -> Response:
    return Response(start_page(), media_type="text/html", headers=_NO_CACHE)


def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name == "style.css":
        return Response(style(), media_type="text/css", headers=_NO_CACHE)
    if name not in modules():
        return JSONResponse({"detail": "no such file of the page"}, 404)
    return Response(modules()[name], media_type="text/javascript", headers=_NO_CACHE)


def listen(host: str, port: int) -> tuple[socket.socket, str]:
    """Return a listening socket and the address of the page; raises InputError if that is impossible."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(f"--host {host}: {error.strerror}") from error
    except UnicodeError as error:
        raise InputError(f"--host {host}: not a valid host name") from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
        listener.listen()
    except OSError as error:
        listener.close()
        raise InputError(f"cannot listen on {host}, port {port}: {error.strerror}; --port chooses another") from error
    if not ipaddress.ip_address(place[0]).is_loopback:
        print(f"suphx: anybody who can reach {host} can use this page; it is made for one person", file=sys.stderr)
    name = f"[{host}]" if ":" in host else host
    return listener, f"http://{name}:{listener.getsockname()[1]}/"


def open_page(address: str) -> None:
    """Open the page in the browser if there is a desktop; without one, a text browser would block the terminal."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(address)
