"""A bot as a separate process."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from suphx.errors import InputError
from suphx.mjai.host.channel import Channel, Overlong
from suphx.mjai.host.limits import Limits
from suphx.mjai.host.replies import shown

_LAST_LINES = 5
_LOOK = 0.01
#: Seconds to wait for the exit of a process that has closed its pipes.
_TO_END = 0.5


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
        self.channel = Channel(stdout, stdin, stderr, limits.line)

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
        """Wait for it to exit, at most until `deadline` (time.monotonic), then kill it and close the pipes.

        Returns a message with its last words if it did not exit in time, else "".
        """
        while self._process.poll() is None and time.monotonic() < deadline:
            self._drain()
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

    def _drain(self) -> None:
        """Discard its remaining output, so that it does not block on a full pipe."""
        with suppress(Overlong):
            self.channel.pump()
        self.channel.lines.clear()
