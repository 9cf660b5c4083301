"""The games that persons play: kept by id, advanced in a single thread, and reported to every connected page.

All state is here and none in a page: a page that is reloaded, or a second page, gets the same position with the same
question, and an answer names the question that it answers.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from simulator.logs.model import GameLog
from suphx.web.bell import Bell
from suphx.web.clock import Clock
from suphx.web.host import Host, NotAsked, Options, Seating
from suphx.web.live_table import Walls
from suphx.web.play_status import PlayStatus, RoundEnd, Told
from suphx.web.seat_view import ROUND_OVER, Position
from suphx.web.shelf import Shelf, failure
from suphx.web.warming import do_ahead

#: Maximum number of games kept, some 0.5 MB each; the least recently requested finished game is dropped first.
KEPT = 12
#: Maximum number of games in progress.
PLAYING = 6
#: Seconds without a request from a page after which a game is dropped: long, so that one can come back to a game later.
IDLE = 24 * 60 * 60
#: Positions kept for a page that was disconnected briefly; after a longer time, a page starts at the last position.
REMEMBERED = 64


class _Game:
    def __init__(self, status: PlayStatus, clock: Clock | None) -> None:
        self.status, self.clock = status, clock
        self.host: Host | None = None
        self.positions: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)
        self.coming: list[Position] = []
        """Positions reported by the playing thread but not yet published to pages."""
        self.at_work = True
        """Whether the playing thread is working on it; no question can be answered until it is done."""
        self.bells: set[Bell] = set()
        self.timer: threading.Timer | None = None

    def update(self, **changes: object) -> None:
        self.status = self.status.model_copy(update=changes)

    def ring(self) -> None:
        for bell in self.bells:
            bell.ring()

    def stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Hosts:
    """The games; may be used from any thread."""

    def __init__(self, walls: Walls | None = None, now: Callable[[], float] = time.monotonic) -> None:
        """walls: prescribed walls, as in `LiveTable`. now: returns the time in seconds, for idle games and clocks."""
        self._games: Shelf[_Game] = Shelf(KEPT, PLAYING, IDLE, lambda game: game.status.state == "playing", now)
        self._lock = threading.RLock()
        self._walls, self._now = walls, now
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="play")

    def start(self, status: PlayStatus, seating: Callable[[], Seating]) -> None:
        """Start the game that a status describes; raises TooManyGames.

        seating: returns who sits where; called in the playing thread, because it may load networks.
        """
        game = _Game(status, None if status.pace is None else Clock(status.pace, self._now))

        def begin() -> None:
            game.host = Host(seating(), game.coming.append, self._walls)
            game.host.options = game.status.options
            game.host.begin()

        with self._lock:
            for gone in self._games.put(status.id, game):
                gone.ring()
            self._go_on(game, begin)

    def warm_up(self, work: Callable[[], object]) -> None:
        """Run something in the playing thread ahead of the first game, so that the game need not wait for it."""
        do_ahead(self._pool, work)

    def _work(self, game: _Game, work: Callable[[], None]) -> None:
        """Do some work on a game in the playing thread, then publish the outcome."""
        changes: dict[str, object] = {}
        try:
            work()
        except Exception as error:
            changes = failure(error, game.status.source)
        with self._lock:
            game.at_work = False
            if game.host is not None and not changes:
                changes = self._standing(game.host)
            game.update(**changes)
            self._start_clock(game)
            game.positions += [(each.number, each.model_dump_json().encode()) for each in game.coming]
            game.coming.clear()
            self._answer_automatically(game)
            game.ring()

    def _standing(self, host: Host) -> dict[str, object]:
        rounds = [
            RoundEnd(name=position.name, repeat_counter=position.frame["repeat"], result=result)
            for position, result in host.results
        ]
        if not host.is_over:
            return {"rounds": rounds}
        standing = host.standing()
        final = {"scores": standing.scores, "ranks": standing.ranks, "points": standing.points}
        return {"state": "over", "rounds": rounds, **final}

    # The clock; the lock must be held.

    def _start_clock(self, game: _Game) -> None:
        question = game.host.question if game.host else None
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
            if left is None or left.question != question or game.at_work or game.host is None:
                return
            if left.decision + left.reserve > 0:  # the clock was paused in between
                self._set_timer(game)
                return
            self._answer(game, question, game.host.default())

    # Requests from pages.

    def answer(self, game_id: str, question: int, action: int) -> bool:
        """Answer a question; return whether the game exists. Raises NotAsked and NotLegal without changing anything."""
        with self._lock:
            game = self._games.find(game_id)
            if game is not None:
                self._answer(game, question, action)
            return game is not None

    def _answer(self, game: _Game, question: int, action: int) -> None:
        host = self._ready(game)
        host.check(question, action)
        self._go_on(game, partial(host.answer, question, action))

    def choose_options(self, game_id: str, options: Options) -> bool:
        """Change the options for automatic answers; return whether the game exists."""
        with self._lock:
            game = self._games.find(game_id)
            if game is not None:
                game.update(options=options)
                if game.host is not None:
                    game.host.options = options
                self._answer_automatically(game)
                game.ring()
            return game is not None

    def _answer_automatically(self, game: _Game) -> None:
        """Answer the current question if options that were chosen after it was asked say so."""
        if game.host is None or game.at_work or game.status.state != "playing":
            return
        action = game.host.automatic()
        if action is not None and game.host.question is not None:
            self._answer(game, game.host.question.number, action)

    def _ready(self, game: _Game) -> Host:
        """Return the host of a game that waits for the person; raises NotAsked."""
        if game.status.state != "playing":
            raise NotAsked("the game is over")
        if game.at_work or game.host is None:
            raise NotAsked("the agents are playing; nothing is asked now")
        return game.host

    def _go_on(self, game: _Game, work: Callable[[], None]) -> None:
        game.at_work = True
        game.stop_timer()
        if game.clock is not None:
            game.clock.hold()
        self._pool.submit(self._work, game, work)

    def status(self, game_id: str) -> PlayStatus | None:
        """Return the status of a game; None if it does not exist, or no longer exists."""
        with self._lock:
            game = self._games.find(game_id)
            return None if game is None else game.status

    def told(self, game_id: str, after: int) -> Told | None:
        """Return what a page is told that has seen the positions up to `after`; None if there is no such game."""
        with self._lock:
            game = self._games.find(game_id)
            if game is None:
                return None
            new = [each for each in game.positions if each[0] > after]
            missed = bool(new) and new[0][0] != after + 1
            left = None if game.clock is None or game.at_work else game.clock.left()
            return Told(new[-1:] if missed or after < 0 else new, left, game.status)

    def connect(self, game_id: str, bell: Bell) -> None:
        """Register a page with a game; its bell rings when there is something new."""
        with self._lock:
            game = self._games.find(game_id)
            if game is not None:
                game.bells.add(bell)
                self._watched(game)

    def disconnect(self, game_id: str, bell: Bell) -> None:
        """Unregister a page that has disconnected."""
        with self._lock:
            game = self._games.find(game_id)
            if game is not None:
                game.bells.discard(bell)
                self._watched(game)

    def _watched(self, game: _Game) -> None:
        if game.clock is not None:
            game.clock.watch(bool(game.bells))
            self._set_timer(game)

    def log(self, game_id: str) -> GameLog | None:
        """Return the log of a finished game; None if there is none."""
        with self._lock:
            game = self._games.find(game_id)
            if game is None or game.host is None or game.status.state != "over":
                return None
            return game.host.log(game.status.names, f"played-{game.status.seed}")

    def all(self) -> list[PlayStatus]:
        """Return the status of every game, the most recently requested first."""
        with self._lock:
            return [game.status for game in self._games]

    def forget(self, game_id: str) -> bool:
        """Delete a game, over or not; return whether it existed."""
        with self._lock:
            game = self._games.remove(game_id)
            if game is not None:
                game.stop_timer()
                game.ring()
            return game is not None

    def close(self) -> None:
        """Drop all games, end the streams to pages, and start no further work."""
        with self._lock:
            for game in self._games:
                game.stop_timer()
                game.ring()
            self._games.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
