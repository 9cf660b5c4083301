"""A bell that any thread can ring for a reader that waits in the event loop."""

from __future__ import annotations

import asyncio


class Bell:
    """To be made in the event loop of the reader."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the reader; may be called from any thread, and after the loop is closed."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._rung.set)

    async def wait(self, seconds: float) -> bool:
        """Wait until it rings, or for so long; return whether it has rung."""
        try:
            await asyncio.wait_for(self._rung.wait(), seconds)
        except TimeoutError:
            return False
        self._rung.clear()
        return True
