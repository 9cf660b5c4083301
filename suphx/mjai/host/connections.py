"""The connections to bots: a process of its own, or a client that connects by TCP.

Over TCP it is the original mjai (mjsonp): clients connect to us, give their names, and play one game each. The server
sends `hello`, the client `join` with its name and a room; then every line is one event, and every line except the last,
`end_game`, gets a reply. To play another game, a client connects again.
"""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from suphx.errors import InputError
from suphx.mjai.host.channel import BotChannel, Overlong, wait_for
from suphx.mjai.host.limits import Limits

_LAST_LINES = 5
#: Most characters of a line that are shown.
_SHOWN = 200
_LOOK = 0.01
#: Seconds to wait for the exit of a process that has closed its pipes.
_TO_END = 0.5
_HELLO = {"type": "hello", "protocol": "mjsonp", "protocol_version": 3}
#: Maximum number of connections that have not joined yet; further ones are rejected.
_MOST_AT_THE_DOOR = 16
#: Seconds given to a client to close the connection after the game, so that everything sent arrives.
_TO_HANG_UP = 1.0


def shown(line: bytes | str) -> str:
    """Return a line for display in a message: shortened, and with control characters escaped."""
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return text.encode("unicode_escape").decode()


class BotProcess:
    """A process that speaks mjai on its stdin and stdout, in its own process group."""

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        """Start it; raises InputError for a command that cannot be started."""
        try:
            self._process = subprocess.Popen(
                command, bufsize=0, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            raise InputError(f"bot {command[0]!r} cannot be started: {error.strerror}") from None
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._files = (self._process.stdin, self._process.stdout, self._process.stderr)
        stdin, stdout, stderr = (file.fileno() for file in self._files)
        self.channel = BotChannel(stdout, stdin, stderr, limits.line)

    def ending(self) -> str:
        """Return a message saying why nothing can be sent or received any more."""
        deadline = time.monotonic() + _TO_END
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(_LOOK)
        status = self._process.poll()
        if status is None:
            how = "it closed its output" if self.channel.ended else "it closed its input"
        else:
            how = f"it ended with exit status {status}" if status >= 0 else f"it was ended by signal {-status}"
        return how + self.last_words()

    def last_words(self) -> str:
        """Return the last lines that it wrote on stderr, phrased as the end of a sentence."""
        with suppress(Overlong):  # only stderr matters here
            self.channel.pump()
        lines = bytes(self.channel.tail).strip().splitlines()[-_LAST_LINES:]
        return f"; it said: {' / '.join(shown(line.strip()) for line in lines)}" if lines else ""

    def close_input(self) -> None:
        """Tell it that nothing more will be sent."""
        self.channel.stop_sending()
        self._files[0].close()

    def finish(self, deadline: float) -> str:
        """Wait for its exit until `deadline` (time.monotonic), then kill it; return a message if it was late, or ""."""
        while self._process.poll() is None and time.monotonic() < deadline:
            with suppress(Overlong):  # its remaining output is discarded, so that it does not block on a full pipe
                self.channel.pump()
            self.channel.lines.clear()
            time.sleep(_LOOK)
        words = f"still there after its input was closed{self.last_words()}" if self._process.poll() is None else ""
        self.kill()
        return words

    def kill(self) -> None:
        """Kill it and all processes that it has started."""
        with suppress(ProcessLookupError, PermissionError):  # no process is left in its group
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.channel.detach()
        for file in self._files:
            file.close()


class TcpConnection:
    """A connected client."""

    def __init__(self, client: socket.socket, limits: Limits) -> None:
        self._socket = client
        self.name = ""
        """The name that it gave when joining."""
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.channel = BotChannel(client.fileno(), client.fileno(), None, limits.line)

    def send(self, message: dict[str, object]) -> None:
        """Send a line that is not a game event."""
        self.channel.send(json.dumps(message).encode() + b"\n")

    def ending(self) -> str:
        """Return a message saying why nothing can be sent or received any more."""
        return "it closed the connection"

    def last_words(self) -> str:
        """Return "": a remote client has no stderr here."""
        return ""

    def close_input(self) -> None:
        """Tell it that nothing more will be sent."""
        self.channel.stop_sending()
        with suppress(OSError):  # it has already disconnected
            self._socket.shutdown(socket.SHUT_WR)

    def finish(self, deadline: float) -> str:
        """Give it a moment to read what was sent and hang up, then close; never a fault, however the client ends."""
        deadline = min(deadline, time.monotonic() + _TO_HANG_UP)
        with suppress(Overlong):
            while not self.channel.ended and (left := deadline - time.monotonic()) > 0:
                wait_for([self.channel], left)
                self.channel.pump()
        self.kill()
        return ""

    def kill(self) -> None:
        """Close the connection."""
        self.channel.detach()
        self._socket.close()


Connection = BotProcess | TcpConnection


class Door:
    """A listening port, with the clients that have connected and wait for a game."""

    def __init__(self, host: str, port: int, limits: Limits) -> None:
        """Listen on an address; port 0 is any free port. Raises InputError if that is impossible."""
        self._limits = limits
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise InputError(f"{host}:{port} cannot be listened on: {error.strerror or error}") from None
        except UnicodeError:
            raise InputError(f"{host}:{port} cannot be listened on: not a valid host name") from None
        self.port: int = self._socket.getsockname()[1]
        self._socket.setblocking(False)
        self._coming: list[TcpConnection] = []
        self._joined: list[TcpConnection] = []

    def take(self, name: str = "") -> TcpConnection:
        """Return a client that has joined, with a name if given; raises InputError if none does in the start limit."""
        deadline = time.monotonic() + self._limits.start
        while True:
            self._look()
            for client in self._joined:
                if not name or client.name == name:
                    self._joined.remove(client)
                    return client
            left = deadline - time.monotonic()
            if left <= 0:
                who = f"client named {name!r}" if name else "client"
                raise InputError(f"no {who} has joined at port {self.port} within {self._limits.start:g} s")
            wait_for([each.channel for each in (*self._coming, *self._joined)], left, self._socket.fileno())

    def close(self) -> None:
        """Stop listening, and disconnect all waiting clients."""
        for client in (*self._coming, *self._joined):
            client.kill()
        self._socket.close()

    def _look(self) -> None:
        """Accept new connections, read their `join` messages, and drop clients that have left or misbehave."""
        while client := self._accept():
            connection = TcpConnection(client, self._limits)
            if len(self._coming) >= _MOST_AT_THE_DOOR:
                self._hear_all()
            if len(self._coming) >= _MOST_AT_THE_DOOR:
                self._send_away(connection, "too many are waiting")
                continue
            connection.send(_HELLO)
            self._coming.append(connection)
        self._hear_all()
        for connection in list(self._joined):
            if not self._is_there(connection):
                self._joined.remove(connection)
                connection.kill()
            elif connection.channel.lines:  # its lines would pile up otherwise
                self._joined.remove(connection)
                self._send_away(connection, "a client is silent before its game begins")

    def _accept(self) -> socket.socket | None:
        try:
            return self._socket.accept()[0]
        except BlockingIOError:
            return None

    def _hear_all(self) -> None:
        self._coming = [each for each in self._coming if not self._hear(each)]

    def _hear(self, connection: TcpConnection) -> bool:
        """Read a `join`, if it has arrived; return whether the connection no longer waits to join."""
        if not self._is_there(connection):
            connection.kill()
            return True
        if not connection.channel.lines:
            return False
        line = connection.channel.lines.popleft()
        name = _joining_name(line)
        if name is None:
            self._send_away(connection, f'expected {{"type":"join","name":...,"room":...}}, not {shown(line)}')
        else:
            connection.name = name
            self._joined.append(connection)
        return True

    @staticmethod
    def _is_there(connection: TcpConnection) -> bool:
        try:
            connection.channel.pump()
        except Overlong:
            return False
        return not (connection.channel.ended or connection.channel.refused)

    @staticmethod
    def _send_away(connection: TcpConnection, why: str) -> None:
        connection.send({"type": "error", "message": why})
        connection.kill()


def _joining_name(line: bytes) -> str | None:
    """Return the name in a `join` message, or None if the line is not one."""
    with suppress(ValueError, RecursionError):
        message = json.loads(line)
        if isinstance(message, dict) and message.get("type") == "join" and isinstance(message.get("name"), str):
            return shown(message["name"][:64])
    return None
