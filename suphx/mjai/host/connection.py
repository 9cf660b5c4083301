"""What a hosted bot hangs on: a process, or a client that has come by TCP."""

from __future__ import annotations

from typing import Protocol

from suphx.mjai.host.channel import Channel


class Connection(Protocol):
    """A way to a bot, for as long as it lasts."""

    channel: Channel

    def ending(self) -> str:
        """Return in words how it came that nothing can be sent or received any more."""
        ...

    def last_words(self) -> str:
        """Return what the bot wrote last on its stderr, as the end of a sentence, or ""."""
        ...

    def close_input(self) -> None:
        """Tell the bot that no more will come."""
        ...

    def finish(self, deadline: float) -> str:
        """Wait for the bot to end, at most until `deadline` (time.monotonic), and let go; "" or what was wrong."""
        ...

    def kill(self) -> None:
        """Let go of it at once."""
        ...
