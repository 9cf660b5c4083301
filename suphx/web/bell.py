"""A notification that any thread can send to a reader waiting in the event loop."""

import asyncio


class Bell:
    """A bell for one reader; must be created in the reader's event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the reader; may be called from any thread, and after the loop is closed."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._rung.set)

    async def wait(self, seconds: float) -> bool:
        """Wait until it rings, but at most this long; return whether it has rung."""
        try:
            await asyncio.wait_for(self._rung.wait(), seconds)
        except TimeoutError:
            return False
        self._rung.clear()
        return True
