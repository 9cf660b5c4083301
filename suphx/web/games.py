"""Games that are watched: played in one thread, a little further than anyone has asked to see, and kept in memory.

A game lives here under its id, whoever looks at it: a page that is loaded again, or a second one, gets the same rounds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from simulator.logs.model import GameLog
from suphx.review.analysis import clean
from suphx.review.document import Round
from suphx.review.rounds import Standing
from suphx.web.plays import Play
from suphx.web.shelf import Shelf, failure, new_id

#: Games that are kept, some 0.2 MB each; of those that are over, the one asked for longest ago goes first.
KEPT = 12
#: Games that may be in progress, watched or not.
PLAYING = 6
#: Seconds after which a game that nobody has asked for is dropped, over or not.
IDLE = 30 * 60
#: More rounds than a game has.
_ALL = 1 << 30


class GameStatus(BaseModel):
    """How far a game is."""

    model_config = ConfigDict(frozen=True)

    id: str
    kind: Literal["live", "recorded"]
    source: str
    """What it is called: the name of the file, or the agents and the seed."""
    names: list[str]
    """Of the seats."""
    state: Literal["playing", "over", "failed"] = "playing"
    """Over: no round comes after those that there are."""
    rounds: int = 0
    """How many there are."""
    message: str = ""
    """Why it failed."""
    scores: list[int] | None = None
    """Points after the last round; this and the next two only when it is over."""
    ranks: list[int] | None = None
    """Rank of each seat, 0 the first; None for a log that ends before its game."""
    points: list[float] | None = None
    """Final points in thousands; None like `ranks`."""


@dataclass(frozen=True)
class NewGame:
    """A game to be taken on."""

    kind: Literal["live", "recorded"]
    source: str
    open: Callable[[], Play]
    """Makes the game; called in the playing thread, since it may load networks or read a log."""
    names: tuple[str, ...] = ("", "", "", "")


class _Game:
    def __init__(self, status: GameStatus, new: NewGame) -> None:
        self.status, self.new = status, new
        self.rounds: list[bytes] = []
        """Each `suphx.review.document.Round` as JSON."""
        self.wanted = 0
        """How many rounds somebody has asked for."""
        self.at_work = False
        self.play: Play | None = None
        self.coming: Iterator[tuple[Round, Standing]] = iter(())

    def update(self, **changes: object) -> None:
        self.status = self.status.model_copy(update=changes)


class Games:
    """The games; may be used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds, by which games are idle."""
        self._games: Shelf[_Game] = Shelf(KEPT, PLAYING, IDLE, lambda game: game.status.state == "playing", clock)
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="watch")

    def start(self, new: NewGame) -> GameStatus:
        """Take on a game, and play its first round, or all that was recorded; raises TooManyGames."""
        with self._lock:
            status = GameStatus(id=new_id(), kind=new.kind, source=new.source, names=list(new.names))
            game = _Game(status, new)
            self._games.put(status.id, game)
        self.want(status.id, 1 if new.kind == "live" else _ALL)
        return game.status

    def want(self, game_id: str, rounds: int) -> None:
        """Have a game played until there are so many rounds, unless it ends before."""
        with self._lock:
            game = self._games.find(game_id)
            if game is None:
                return
            game.wanted = max(game.wanted, rounds)
            self._go_on(game)

    def _go_on(self, game: _Game) -> None:
        """Have one round played where one is wanted, so that games take turns; the lock is held."""
        due = game.status.state == "playing" and len(game.rounds) < game.wanted
        if due and not game.at_work and game.status.id in self._games:
            game.at_work = True
            self._pool.submit(self._play, game)

    def _play(self, game: _Game) -> None:
        changes: dict[str, object]
        found: bytes | None = None
        try:
            if game.play is None:
                game.play = game.new.open()
                game.coming = game.play.rounds()
            played = next(game.coming, None)
            if played is None:
                changes = {"state": "over"}
            else:
                round_shown, standing = played
                found = round_shown.model_dump_json().encode()
                changes = {"scores": standing.scores, "ranks": standing.ranks, "points": standing.points}
                changes |= {"names": [clean(name) for name in game.play.log().names]} if not game.rounds else {}
                changes |= {"state": "over"} if standing.ranks else {}
        except Exception as error:
            changes = failure(error, game.status.source)
        with self._lock:
            game.at_work = False
            if found is not None:
                game.rounds.append(found)
            game.update(rounds=len(game.rounds), **changes)
            self._go_on(game)

    def status(self, game_id: str) -> GameStatus | None:
        """Return how far a game is; None if there is none, or no longer."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None else game.status

    def rounds(self, game_id: str, first: int) -> tuple[list[bytes], GameStatus] | None:
        """Return the rounds from `first` on that there are, as JSON, and how far the game is; None if there is none."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None else (game.rounds[first:], game.status)

    def log(self, game_id: str) -> GameLog | None:
        """Return the log of a game that is over; None where there is none."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None or game.status.state != "over" or game.play is None else game.play.log()

    def all(self) -> list[GameStatus]:
        """Return how far every game is, the one that was asked for last first."""
        with self._lock:
            return [game.status for game in self._games]

    def forget(self, game_id: str) -> bool:
        """Throw a game away, over or not; return whether it was there."""
        with self._lock:
            return self._games.remove(game_id) is not None

    def close(self) -> None:
        """Take on nothing more; what is not played is left unplayed."""
        with self._lock:
            self._games.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
