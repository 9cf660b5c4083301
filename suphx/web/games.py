"""Watched and played games by id, advanced in a single thread and reported to every connected page.

A page holds no state: when reloaded, or opened a second time, it shows the same game at the same place with the same
question, and an answer names its question.
"""

import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Literal, TypeVar

from fastapi import HTTPException

from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog, LogError
from suphx.errors import InputError
from suphx.review.document import Document
from suphx.web.game_status import GameStatus, Options, TimeLeft, TurnClock
from suphx.web.host import GameSession, Recorded, Tell
from suphx.web.seat_view import NEXT_ROUND, ROUND_OVER
from suphx.web.shelf import Shelf

#: Maximum number of games in memory, some 0.5 MB each; the least recently requested finished game is dropped first.
KEPT = 12
#: Maximum number of games in progress.
PLAYING = 6
#: Seconds without a request from a page after which a game is dropped, over or not.
IDLE = 30 * 60
#: The same for games that persons play: long, so that one can come back to a game later.
IDLE_PLAYED = 24 * 60 * 60
#: Positions in memory for a page that was briefly disconnected; after more, it continues at the last one.
REMEMBERED = 64
#: The kinds of games that are saved when they are over.
KINDS: tuple[Literal["live", "played"], ...] = ("live", "played")
#: More rounds than any game has.
ALL_ROUNDS = 1 << 30

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


class NoGame(HTTPException):
    """There is no such game."""

    def __init__(self) -> None:
        super().__init__(404, "no such game: start another")


def new_id() -> str:
    """Return an unguessable id of 16 letters, digits, `-` and `_`."""
    return secrets.token_urlsafe(12)


class _Game:
    def __init__(self, status: GameStatus, now: Callable[[], float], wanted: int) -> None:
        self.status, self.wanted = status, wanted
        self.clock = None if status.pace is None else TurnClock(status.pace, now)
        self.play: GameSession | None = None
        self.documents: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED if status.kind == "played" else None)
        self.coming: list[tuple[int, bytes]] = []
        """Reported by the playing thread but not yet published to pages."""
        self.at_work = True
        """Whether the playing thread is working on it; no question can be answered until it is done."""
        self.bells: set[Callable[[], None]] = set()
        self.timer: threading.Timer | None = None
        self.asked_for = now()

    def tell(self, number: int, document: Document) -> None:
        self.coming.append((number, document.model_dump_json().encode()))

    def ring(self) -> None:
        for each in self.bells:
            each()

    def stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class GameStore:
    """The games; may be used from any thread."""

    def __init__(
        self,
        shelf: Shelf,
        kind: Literal["live", "played"],
        idle: float = IDLE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """shelf: keeps the games of this kind that are over. idle: as `IDLE`. now: the time in seconds."""
        self._shelf, self._kind = shelf, kind
        self._games: OrderedDict[str, _Game] = OrderedDict()
        self._lock = threading.RLock()
        self._idle, self._now = idle, now
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="games")
        """The playing thread."""

    def start(self, status: GameStatus, sit_down: Callable[[Tell], GameSession], wanted: int = 0) -> GameStatus:
        """Start the game that a status describes; raises HTTPException (503) if too many are in progress.

        sit_down: returns the game; called in the playing thread, because it may load networks. wanted: as in `want`.
        """

        def begin() -> None:
            game.play = sit_down(game.tell)
            game.play.options = game.status.options
            game.play.begin()

        with self._lock:
            self._drop_idle()
            if sum(each.status.state == "playing" for each in self._games.values()) >= PLAYING:
                raise HTTPException(503, f"{PLAYING} games are in progress already; forget one of them first")
            game = self._games[status.id] = _Game(status, self._now, wanted)
            while len(self._games) > KEPT:
                self._remove(next(key for key, each in self._games.items() if each.status.state != "playing"))
            self._go_on(game, begin)
        return status

    # The store; the lock must be held.

    def _find(self, game_id: str) -> _Game:
        """Return a game, and note that it was requested; raises NoGame.

        One from the shelf is shown as a recorded one; `start` may refuse it.
        """
        self._drop_idle()
        if game_id not in self._games:
            self._restore(game_id)
        self._games.move_to_end(game_id)
        game = self._games[game_id]
        game.asked_for = self._now()
        return game

    def _restore(self, game_id: str) -> None:
        for kind in KINDS:
            entries, data = self._shelf.all(kind, game_id), self._shelf.data(kind, game_id)
            if entries and data is not None:
                (entry,) = entries
                status = GameStatus(id=game_id, kind="recorded", source=entry.source, time=entry.time)
                self.start(status, partial(Recorded, data, entry.source), ALL_ROUNDS)
                return
        raise NoGame

    def _drop_idle(self) -> None:
        late = self._now() - self._idle
        for key in [key for key, game in self._games.items() if game.asked_for < late]:
            self._remove(key)

    def _remove(self, game_id: str) -> bool:
        game = self._games.pop(game_id, None)
        if game is not None:
            game.stop_timer()
            game.ring()
        return game is not None

    # The playing.

    def _work(self, game: _Game, work: Callable[[], None]) -> None:
        """Do some work on a game in the playing thread, then publish the outcome."""
        changes: dict[str, object] = {}
        try:
            work()
        except Exception as error:
            words = "the game was stopped because of a bug; the terminal has details"
            changes = failure(error, game.status.source, words)
        with self._lock:
            game.at_work = False
            if game.play is not None and not changes:
                state = "playing" if game.play.question else "over"
                changes = {"names": game.play.names, "rounds": list(game.play.rounds), "state": state}
                changes |= game.play.standing
            game.status = game.status.model_copy(update=changes)
            self._start_clock(game)
            game.documents += game.coming
            game.coming.clear()
            self._answer_automatically(game)
            game.ring()
        self._save(game)

    def _save(self, game: _Game) -> None:
        """Save a game of our kind that is over; a failure is logged to the terminal."""
        if game.play is None or game.status.state != "over" or game.status.kind != self._kind:
            return
        try:
            self._shelf.add(self._kind, game.status.id, game.status.source, write_mjlog(game.play.log()))
        except (InputError, LogError) as error:
            _log.error("the game %r could not be saved: %s", game.status.source, error)

    def _go_on(self, game: _Game, work: Callable[[], None]) -> None:
        game.at_work = True
        game.stop_timer()
        if game.clock is not None:
            game.clock.hold()
        self.pool.submit(self._work, game, work)

    def _answer(self, game: _Game, question: int, action: int) -> None:
        if game.status.state != "playing":
            raise HTTPException(409, "the game is over")
        if game.at_work or game.play is None:
            raise HTTPException(409, "the agents are playing; no question is pending")
        game.play.check(question, action)
        self._go_on(game, partial(game.play.answer, question, action))

    def _answer_automatically(self, game: _Game) -> None:
        """Answer the question if the options now allow it, or go on to the next round if pages want it."""
        question = game.play.question if game.play else None
        if game.play is None or question is None or game.at_work or game.status.state != "playing":
            return
        action = NEXT_ROUND if len(game.status.rounds) < game.wanted else game.play.automatic(question)
        if action is not None and game.status.id in self._games:
            self._answer(game, question.number, action)

    # The clock; the lock must be held.

    def _start_clock(self, game: _Game) -> None:
        question = game.play.question if game.play else None
        if game.clock is None or question is None:
            return
        if question.situation == ROUND_OVER:  # there is no time limit for looking at a result
            game.clock.new_round()
            return
        game.clock.ask(question.number, len(game.coming) - 1)
        self._set_timer(game)

    def _set_timer(self, game: _Game) -> None:
        game.stop_timer()
        left = game.clock.left() if game.clock else None
        if left is None or not left.running or game.status.id not in self._games:
            return
        game.timer = threading.Timer(left.decision + left.reserve, self._expire, (game, left.question))
        game.timer.daemon = True
        game.timer.start()

    def _expire(self, game: _Game, question: int) -> None:
        """Answer for a person whose time is up."""
        with self._lock:
            left = game.clock.left() if game.clock else None
            if left is None or left.question != question or game.at_work or game.play is None:
                return
            if left.decision + left.reserve > 0:  # the clock was paused in between
                self._set_timer(game)
                return
            self._answer(game, question, game.play.default())

    # Requests from pages; they raise NoGame.

    def answer(self, game_id: str, question: int, action: int) -> None:
        """Answer a question; raises HTTPException, as `GameSession.check` does, without changing anything."""
        with self._lock:
            self._answer(self._find(game_id), question, action)

    def consult(self, game_id: str, work: Callable[[GameSession], Result]) -> Result | None:
        """Return the result of some work on a game, done in the playing thread; None if the game has not begun."""
        with self._lock:
            play = self._find(game_id).play
        return None if play is None else self.pool.submit(work, play).result()

    def choose_options(self, game_id: str, options: Options) -> None:
        """Change the options for automatic answers."""
        with self._lock:
            game = self._find(game_id)
            game.status = game.status.model_copy(update={"options": options})
            if game.play is not None:
                game.play.options = options
            self._answer_automatically(game)
            game.ring()

    def want(self, game_id: str, rounds: int) -> None:
        """Let a watched game go on until it has this many rounds or ends."""
        with self._lock:
            game = self._find(game_id)
            game.wanted = max(game.wanted, rounds)
            self._answer_automatically(game)

    def status(self, game_id: str) -> GameStatus:
        """Return the status of a game."""
        with self._lock:
            return self._find(game_id).status

    def update(self, game_id: str, after: int) -> tuple[GameStatus, list[tuple[int, bytes]], TimeLeft | None]:
        """Return the status, the documents that a page which has seen all up to number `after` lacks, the time left.

        A document is (number, `TablePosition` or `Round` as JSON); only the last position if the page is new or has
        missed some that were dropped.
        """
        with self._lock:
            game = self._find(game_id)
            new = [each for each in game.documents if each[0] > after]
            if game.status.kind == "played" and (after < 0 or (new and new[0][0] != after + 1)):
                new = new[-1:]
            left = None if game.clock is None or game.at_work else game.clock.left()
            return game.status, new, left

    def connect(self, game_id: str, bell: Callable[[], None], connected: bool = True) -> None:
        """Register a page that has connected to a game or left, if there is one; its bell is called at any change."""
        with suppress(NoGame), self._lock:
            game = self._find(game_id)
            game.bells = game.bells | {bell} if connected else game.bells - {bell}
            if game.clock is not None:
                game.clock.watch(bool(game.bells))
                self._set_timer(game)

    def log(self, game_id: str) -> GameLog | None:
        """Return the log of a finished game; None if there is none."""
        with self._lock:
            game = self._find(game_id)
            return None if game.play is None or game.status.state != "over" else game.play.log()

    def all(self) -> list[GameStatus]:
        """Return the status of every game but those that failed, the most recently requested first."""
        with self._lock:
            self._drop_idle()
            games = [game.status for game in reversed(self._games.values())]
        known = {each.id for each in games}
        return [each for each in games if each.state != "failed"] + [
            GameStatus(id=each.id, kind=self._kind, source=each.source, state="over", time=each.time)
            for each in self._shelf.all(self._kind)
            if each.id not in known
        ]

    def forget(self, game_id: str) -> bool:
        """Delete a game, over or not; return whether it existed."""
        was_saved = self._shelf.forget(self._kind, game_id)
        with self._lock:
            return self._remove(game_id) or was_saved

    def close(self) -> None:
        """Drop all games, end the streams to pages, and start no further work."""
        with self._lock:
            for key in list(self._games):
                self._remove(key)
        self.pool.shutdown(wait=False, cancel_futures=True)


def failure(error: Exception, source: str, words: str) -> dict[str, object]:
    """Return the status's changes after a failure of `source`; an unexpected error is logged, and shown as `words`."""
    if isinstance(error, (InputError, LogError)):
        return {"state": "failed", "message": str(error)}
    _log.error("%s: %r", words, source, exc_info=error)
    return {"state": "failed", "message": words}
