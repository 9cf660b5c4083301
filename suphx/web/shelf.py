"""A bounded store of games by id, which also drops games that have not been requested for a long time."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from simulator.logs.model import LogError
from suphx.errors import InputError

T = TypeVar("T")
_log = logging.getLogger(__name__)


class TooManyGames(InputError):
    """The maximum number of games is already in progress."""


def new_id() -> str:
    """Return an unguessable id of 16 letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(12)


def failure(error: Exception, source: str) -> dict[str, object]:
    """Return the changes to the status of a game that failed; an unexpected error is logged to the terminal.

    source: title of the game, for the log message.
    """
    if isinstance(error, (InputError, LogError)):
        return {"state": "failed", "message": str(error)}
    _log.error("the game %r failed", source, exc_info=error)
    return {"state": "failed", "message": "the game was stopped by a fault of the program; the terminal has more"}


class Shelf(Generic[T]):
    """Games by id; not thread-safe, so callers must hold a lock of their own."""

    def __init__(
        self, kept: int, playing: int, idle: float, in_progress: Callable[[T], bool], clock: Callable[[], float]
    ) -> None:
        """kept: maximum number of games. playing: maximum in progress, less than `kept`. idle: seconds of `clock`."""
        self._kept, self._playing, self._idle = kept, playing, idle
        self._in_progress, self._clock = in_progress, clock
        self._items: OrderedDict[str, T] = OrderedDict()
        self._asked_at: dict[str, float] = {}

    def put(self, key: str, item: T) -> list[T]:
        """Add a game in progress, and return the games dropped to make room for it; raises TooManyGames."""
        gone = self.drop_idle()
        if sum(map(self._in_progress, self._items.values())) >= self._playing:
            raise TooManyGames(f"{self._playing} games are in progress already; forget one of them first")
        self._items[key] = item
        self._asked_at[key] = self._clock()
        while len(self._items) > self._kept:
            over = next(name for name, each in self._items.items() if not self._in_progress(each))
            gone.append(self._items[over])
            self.remove(over)
        return gone

    def find(self, key: str) -> T | None:
        """Return a game, and note that it was requested."""
        self.drop_idle()
        item = self._items.get(key)
        if item is not None:
            self._asked_at[key] = self._clock()
            self._items.move_to_end(key)
        return item

    def drop_idle(self) -> list[T]:
        """Drop the idle games, and return them."""
        late = self._clock() - self._idle
        names = [key for key, asked_at in self._asked_at.items() if asked_at < late]
        return [item for name in names if (item := self.remove(name)) is not None]

    def remove(self, key: str) -> T | None:
        """Remove a game and return it; None if there is none."""
        self._asked_at.pop(key, None)
        return self._items.pop(key, None)

    def __contains__(self, key: str) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[T]:
        """Iterate over the games, the most recently requested first."""
        self.drop_idle()
        return reversed(self._items.values())

    def clear(self) -> None:
        """Remove all games."""
        self._items.clear()
        self._asked_at.clear()
