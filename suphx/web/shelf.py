"""What the server keeps under ids: so many at most, and nothing that nobody has asked for in a long time."""

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
    """As many games as may be are in progress."""


def new_id() -> str:
    """Return an id that nobody guesses: 16 letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(12)


def failure(error: Exception, source: str) -> dict[str, object]:
    """Return what the status of a game says after an error; a fault of the program goes to the terminal.

    source: the game's name for the terminal.
    """
    if isinstance(error, (InputError, LogError)):
        return {"state": "failed", "message": str(error)}
    _log.error("the game %r failed", source, exc_info=error)
    return {"state": "failed", "message": "the game was stopped by a fault of the program; the terminal has more"}


class Shelf(Generic[T]):
    """Games by id; whoever uses it from several threads holds a lock of their own."""

    def __init__(
        self, kept: int, playing: int, idle: float, in_progress: Callable[[T], bool], clock: Callable[[], float]
    ) -> None:
        """kept: most games. playing: most of them in progress, less than `kept`. idle: seconds, as `clock` counts."""
        self._kept, self._playing, self._idle = kept, playing, idle
        self._in_progress, self._clock = in_progress, clock
        self._items: OrderedDict[str, T] = OrderedDict()
        self._asked_at: dict[str, float] = {}

    def put(self, key: str, item: T) -> list[T]:
        """Keep a game in progress, and return what made room for it; raises TooManyGames."""
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
        """Return a game and note that it was asked for."""
        self.drop_idle()
        item = self._items.get(key)
        if item is not None:
            self._asked_at[key] = self._clock()
            self._items.move_to_end(key)
        return item

    def drop_idle(self) -> list[T]:
        """Drop what nobody has asked for, and return it."""
        late = self._clock() - self._idle
        names = [key for key, asked_at in self._asked_at.items() if asked_at < late]
        return [item for name in names if (item := self.remove(name)) is not None]

    def remove(self, key: str) -> T | None:
        """Take a game away; None where there is none."""
        self._asked_at.pop(key, None)
        return self._items.pop(key, None)

    def __contains__(self, key: str) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[T]:
        """The one that was asked for last first."""
        self.drop_idle()
        return reversed(self._items.values())

    def clear(self) -> None:
        """Take everything away."""
        self._items.clear()
        self._asked_at.clear()
