"""The interface of a connection to a hosted bot: a process, or a client connected by TCP."""

from typing import Protocol

from suphx.mjai.host.channel import Channel


class Connection(Protocol):
    """A connection to a bot."""

    channel: Channel

    def ending(self) -> str:
        """Return a message saying why nothing can be sent or received any more."""
        ...

    def last_words(self) -> str:
        """Return the bot's last output on stderr, phrased as the end of a sentence, or ""."""
        ...

    def close_input(self) -> None:
        """Tell the bot that nothing more will be sent."""
        ...

    def finish(self, deadline: float) -> str:
        """Wait for the bot to end, until `deadline` (time.monotonic) at most, then close; return "" or a fault."""
        ...

    def kill(self) -> None:
        """Close the connection at once."""
        ...
