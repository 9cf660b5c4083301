"""Non-blocking exchange of lines with a bot through pipes or a socket, using a bounded amount of memory."""

import os
import select
from collections import deque
from collections.abc import Iterable

_CHUNK = 1 << 16
_TAIL = 4096


class Overlong(Exception):
    """A received line is longer than allowed."""


class BotChannel:
    """Exchanges lines through non-blocking file descriptors.

    Unread output of a bot stays in the pipe, which eventually blocks the bot; the channel itself holds at most an
    incomplete line and the lines received together with it.
    """

    def __init__(self, incoming: int, outgoing: int, errors: int | None, longest: int) -> None:
        """Use file descriptors, which the caller must close; errors: the stderr of a process, if any."""
        self._incoming, self._outgoing, self._errors = incoming, outgoing, errors
        self._longest = longest
        self._unsent = bytearray()
        self._part = bytearray()
        self.lines: deque[bytes] = deque()
        """Complete lines received, without line ends."""
        self.ended = False
        """Whether the other side has closed its output, so that no more lines will come."""
        self.refused = False
        """Whether the other side has closed its input, so that nothing more can be sent."""
        self.tail = bytearray()
        """The end of the output on stderr."""
        for file in filter(None, (incoming, outgoing, errors)):
            os.set_blocking(file, False)

    def send(self, data: bytes) -> None:
        """Send as much as possible now; `pump` sends the rest."""
        self._unsent += data
        self._write()

    @property
    def sending(self) -> bool:
        """Whether something is still to be sent."""
        return bool(self._unsent) and not self.refused

    def stop_sending(self) -> None:
        """Send nothing more: the descriptor is about to be closed, and its number may be reused."""
        self.refused = True
        self._unsent.clear()

    def detach(self) -> None:
        """Stop using all descriptors, because they are about to be closed."""
        self.stop_sending()
        self.ended, self._errors = True, None

    def interests(self) -> dict[int, int]:
        """Return which descriptors to poll for what."""
        wanted: dict[int, int] = {}
        if not self.ended:
            wanted[self._incoming] = select.POLLIN
        if self._errors is not None:
            wanted[self._errors] = select.POLLIN
        if not self.refused:
            sending = select.POLLOUT if self._unsent else 0  # 0 still reports that the other end was closed
            wanted[self._outgoing] = wanted.get(self._outgoing, 0) | sending
        return wanted

    def pump(self) -> None:
        """Send what can be sent and receive at most a chunk, without waiting; raises Overlong."""
        self._write()
        self._read_errors()
        if not self.ended:
            self._read()
        if not self.refused:  # the reading end of a pipe may be closed even if all writes so far have succeeded
            poll = select.poll()
            poll.register(self._outgoing, 0)
            self.refused = bool(poll.poll(0))

    def _write(self) -> None:
        while self._unsent and not self.refused:
            try:
                sent = os.write(self._outgoing, memoryview(self._unsent)[:_CHUNK])
            except BlockingIOError:
                return
            except OSError:
                self.stop_sending()
                return
            del self._unsent[:sent]

    def _read(self) -> None:
        data = _receive(self._incoming)
        if data is None:
            return
        if not data:
            self.ended = True
            return
        self._part += data
        if b"\n" in data:
            *lines, rest = bytes(self._part).split(b"\n")
            self._part = bytearray(rest)
            for line in lines:
                self._check(len(line))
                if line.strip():
                    self.lines.append(line)
        self._check(len(self._part))

    def _check(self, length: int) -> None:
        if length > self._longest:
            self._part.clear()
            raise Overlong(f"a line of more than {self._longest:,} bytes")

    def _read_errors(self) -> None:
        if self._errors is None:
            return
        data = _receive(self._errors)
        if data == b"":
            self._errors = None
        elif data:
            self.tail += data
            del self.tail[:-_TAIL]


def _receive(file: int) -> bytes | None:
    """Return the data available, b"" at the end of the stream, None if there is nothing yet."""
    try:
        return os.read(file, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:  # a connection that was reset
        return b""


def wait_for(channels: Iterable[BotChannel], seconds: float, door: int | None = None) -> None:
    """Wait until a channel can send or receive, a client connects to the listening socket `door`, or the time is up."""
    poll = select.poll()
    if door is not None:
        poll.register(door, select.POLLIN)
    for channel in channels:
        for file, events in channel.interests().items():
            poll.register(file, events)
    poll.poll(max(0, seconds) * 1000)
