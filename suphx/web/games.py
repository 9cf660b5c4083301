"""Games to watch: played in one thread, a little ahead of what pages have requested, and kept in memory.

A game is kept here under its id independently of any page: a page that is reloaded, or a second page, gets the same
rounds.
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

#: Maximum number of games kept, some 0.2 MB each; the least recently requested finished game is dropped first.
KEPT = 12
#: Maximum number of games in progress, watched or not.
PLAYING = 6
#: Seconds without a request after which a game is dropped, over or not.
IDLE = 30 * 60
#: More rounds than any game has.
_ALL = 1 << 30


class GameStatus(BaseModel):
    """The status of a game."""

    model_config = ConfigDict(frozen=True)

    id: str
    kind: Literal["live", "recorded"]
    source: str
    """Title of the game: the name of the file, or the agents and the seed."""
    names: list[str]
    """Names of the four seats."""
    state: Literal["playing", "over", "failed"] = "playing"
    """`over`: no further rounds will come."""
    rounds: int = 0
    """Number of rounds available."""
    message: str = ""
    """Why it failed."""
    scores: list[int] | None = None
    """Scores after the last available round; None before the first."""
    ranks: list[int] | None = None
    """Rank of each seat, 0 for first place; None until the game is over, and for a log that ends before its game."""
    points: list[float] | None = None
    """Final points in thousands; None like `ranks`."""


@dataclass(frozen=True)
class NewGame:
    """A game to be started."""

    kind: Literal["live", "recorded"]
    source: str
    open: Callable[[], Play]
    """Creates the game; called in the playing thread, because it may load networks or read a log."""
    names: tuple[str, ...] = ("", "", "", "")


class _Game:
    def __init__(self, status: GameStatus, new: NewGame) -> None:
        self.status, self.new = status, new
        self.rounds: list[bytes] = []
        """Each `suphx.review.document.Round` as JSON."""
        self.wanted = 0
        """Number of rounds requested."""
        self.at_work = False
        self.play: Play | None = None
        self.coming: Iterator[tuple[Round, Standing]] = iter(())

    def update(self, **changes: object) -> None:
        self.status = self.status.model_copy(update=changes)


class Games:
    """The games; may be used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: returns the time in seconds, to tell which games are idle."""
        self._games: Shelf[_Game] = Shelf(KEPT, PLAYING, IDLE, lambda game: game.status.state == "playing", clock)
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="watch")

    def start(self, new: NewGame) -> GameStatus:
        """Add a game, and have its first round played, or all rounds if it is recorded; raises TooManyGames."""
        with self._lock:
            status = GameStatus(id=new_id(), kind=new.kind, source=new.source, names=list(new.names))
            game = _Game(status, new)
            self._games.put(status.id, game)
        self.want(status.id, 1 if new.kind == "live" else _ALL)
        return game.status

    def want(self, game_id: str, rounds: int) -> None:
        """Have a game played until it has this many rounds, unless it ends before."""
        with self._lock:
            game = self._games.find(game_id)
            if game is None:
                return
            game.wanted = max(game.wanted, rounds)
            self._go_on(game)

    def _go_on(self, game: _Game) -> None:
        """Schedule one round if one is wanted: one at a time, so that games take turns. The lock must be held."""
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
        """Return the status of a game; None if it does not exist, or no longer exists."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None else game.status

    def rounds(self, game_id: str, first: int) -> tuple[list[bytes], GameStatus] | None:
        """Return the available rounds from `first` on, as JSON, and the status; None if there is no such game."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None else (game.rounds[first:], game.status)

    def log(self, game_id: str) -> GameLog | None:
        """Return the log of a finished game; None if there is none."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None or game.status.state != "over" or game.play is None else game.play.log()

    def all(self) -> list[GameStatus]:
        """Return the status of every game, the most recently requested first."""
        with self._lock:
            return [game.status for game in self._games]

    def forget(self, game_id: str) -> bool:
        """Delete a game, over or not; return whether it existed."""
        with self._lock:
            return self._games.remove(game_id) is not None

    def close(self) -> None:
        """Drop all games and start no further rounds."""
        with self._lock:
            self._games.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
