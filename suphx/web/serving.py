"""Serving the page on a socket.

Whoever connects and sends nothing, or only part of a request, is cut off after some seconds, so that connections that
nobody uses cannot keep others out.
"""

import asyncio
import socket
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections at the same time; each browser keeps up to six, and each open game or review one of them.
_CONNECTIONS = 500
#: Seconds in which the head of a request must have come, from the connection or the last answer on.
_HEAD_WITHIN = 5.0
#: Seconds in which its body must have come.
_BODY_WITHIN = 30.0


class ImpatientProtocol(H11Protocol):
    """HTTP that does not wait for ever: uvicorn itself bounds only the time between two requests."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Give a new connection its time."""
        super().connection_made(transport)
        self._wait(_HEAD_WITHIN)

    def data_received(self, data: bytes) -> None:
        """Go on; a request that is whole now needs no more time, and a head that is whole gives the body its own."""
        before = self.conn.their_state
        super().data_received(data)
        if self.conn.their_state is not before:
            self._wait(_BODY_WITHIN if self.conn.their_state is h11.SEND_BODY else None)

    def on_response_complete(self) -> None:
        """Give the next request its time."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE:
            self._wait(_HEAD_WITHIN)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._wait(None)
        super().connection_lost(exc)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.close)


class PageServer(uvicorn.Server):
    """Serves the page; on shutdown it first ends the event streams, so that they need not be cut off."""

    def __init__(self, app: FastAPI) -> None:
        """app: as returned by `create_app`."""
        super().__init__(
            uvicorn.Config(
                app,
                http=ImpatientProtocol,
                ws="none",
                log_level="warning",
                server_header=False,
                limit_concurrency=_CONNECTIONS,
                timeout_graceful_shutdown=1,
            )
        )
        self._end_streams = app.state.end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, then shut down."""
        self._end_streams()
        await super().shutdown(sockets)
