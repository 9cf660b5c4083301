"""Reviews requested by the page: one agent makes them in a thread, one at a time, and those that are done are saved."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from fastapi import HTTPException
from pydantic import ValidationError

from simulator.logs.generate import generate_games
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog, LogError
from suphx.errors import InputError
from suphx.review.analysis import Progress, clean, review_game
from suphx.review.document import Document, Note, Review
from suphx.review.logs import NO_ADDRESS, fetch_log, game_of_address, log_at_hand
from suphx.web.agents import Players
from suphx.web.games import failure, new_id
from suphx.web.shelf import Shelf, ShelfEntry
from suphx.web.uploads import game_of_upload, games_of_upload

#: Maximum number of failed reviews that are listed; the oldest is dropped first.
FAILED = 16
#: Maximum number of waiting reviews, and of games that are taken of an archive.
WAITING = 20

#: Names of actions, results and yaku in reviews that earlier versions saved, each at the beginning of a string.
_OLD_NAMES = {
    b'"win by draw': b'"tsumo', b'"win by claim': b'"ron', b'"three-coloured': b'"three-colored',
    b'"all honours': b'"all honors', b'"all terminals and honours': b'"all terminals and honors',
    b'"mistake":"small"': b'"mistake":""', b'"mistake":"medium"': b'"mistake":"mistake"', b'"medium":': b'"mistake":',
}  # fmt: skip


class Reviewed(NamedTuple):
    """A review and its game."""

    review: bytes
    """As JSON."""
    log: bytes
    """As an mjlog, for other agents to review."""


#: Makes a review, reporting its progress to a function.
Work = Callable[[Progress], Reviewed]


class NoReview(HTTPException):
    """There is no such review."""

    def __init__(self) -> None:
        super().__init__(404, "no such review: open the log again")


class Status(Document):
    """The status of a review."""

    id: str
    source: str
    """Name of the file."""
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    step: str = ""
    share: float = 0.0
    """Completed share, 0 to 1."""
    message: str = ""
    """Why it failed."""
    time: float = 0.0
    """When it was done, in seconds since 1970."""

    @property
    def ended(self) -> bool:
        """Whether the status is final."""
        return self.state in ("done", "failed")


class ReviewJobs:
    """The reviews; may be used from any thread."""

    def __init__(self, shelf: Shelf) -> None:
        """shelf: keeps the reviews that are done."""
        self._shelf = shelf
        self._jobs: dict[str, Status] = {}
        self._lock = threading.Lock()
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="review")
        """The thread in which reviews are made."""

    def start(self, source: str, work: Work) -> Status:
        """Queue a review; raises HTTPException (503) if too many are waiting already."""
        with self._lock:
            if sum(not each.ended for each in self._jobs.values()) > WAITING:
                raise HTTPException(503, f"{WAITING} reviews are waiting already; try again in a moment")
            status = self._add(Status(id=new_id(), source=source))
        self.pool.submit(self._run, status.id, source, work)
        return status

    def refuse(self, source: str, message: str) -> None:
        """Add a review that has failed before it began, so that the page tells of it."""
        with self._lock:
            self._add(Status(id=new_id(), source=source, state="failed", message=message))

    def _add(self, status: Status) -> Status:
        self._jobs[status.id] = status
        while len(self._jobs) > FAILED + WAITING:
            del self._jobs[next(key for key, each in self._jobs.items() if each.ended)]
        return status

    def _run(self, job_id: str, source: str, work: Work) -> None:
        def update(**changes: object) -> None:
            self._jobs[job_id] = self._jobs[job_id].model_copy(update=changes)

        update(state="running")
        try:
            done = work(lambda step, share: update(step=step, share=share))
            self._shelf.add("log", job_id, source, done.log)
            self._shelf.add("review", job_id, source, done.review)
        except Exception as error:
            words = "the review failed because of a bug; the terminal has details"
            update(**failure(error, source, words))
        else:
            with self._lock:
                del self._jobs[job_id]

    def status(self, job_id: str) -> Status:
        """Return the status of a review; raises NoReview."""
        with self._lock:
            if (status := self._jobs.get(job_id)) is not None:
                return status
        for entry in self._shelf.all("review", job_id):
            return _done(entry)
        raise NoReview

    def result(self, job_id: str) -> Review:
        """Return a finished review with its notes; raises InputError if there is none, or if it cannot be read."""
        status, data = self.status(job_id), self._shelf.data("review", job_id)
        if data is None:
            raise InputError(status.message or "the review is not finished yet")
        for old, new in _OLD_NAMES.items():
            data = data.replace(old, new)
        try:
            review = Review.model_validate_json(data)
        except ValidationError as error:
            raise InputError("this review is from another version of suphx: open the log again") from error
        return review.model_copy(update={"notes": self._shelf.notes(job_id)})

    def log(self, job_id: str) -> GameLog:
        """Return the game of a finished review; raises InputError if it was not kept."""
        status, data = self.status(job_id), self._shelf.data("log", job_id)
        if data is None:
            raise InputError("the log of this review was not kept: open it again")
        return game_of_upload(data, status.source)

    def write(self, job_id: str, note: Note) -> bool:
        """Set the note on a decision of a finished review; return whether there is such a decision."""
        review = self.result(job_id)
        seat = next((each for each in review.seats if each.seat == note.seat), None)
        if seat is None or not 0 <= note.number < sum(map(len, seat.decisions)):
            return False
        self._shelf.write(job_id, note)
        return True

    def all(self) -> list[Status]:
        """Return the status of every review, the latest first."""
        with self._lock:
            jobs = list(reversed(self._jobs.values()))
        known = {each.id for each in jobs}
        return jobs + [_done(each) for each in self._shelf.all("review") if each.id not in known]

    def forget(self, job_id: str) -> bool:
        """Delete a review that has ended; return whether there was one."""
        with self._lock:
            status = self._jobs.get(job_id)
            if status is not None:
                if status.ended:
                    del self._jobs[job_id]
                return status.ended
        self._shelf.forget("log", job_id)
        return self._shelf.forget("review", job_id)

    def close(self) -> None:
        """Stop without doing the reviews that are still waiting."""
        self.pool.shutdown(wait=False, cancel_futures=True)


def _done(entry: ShelfEntry) -> Status:
    return Status(id=entry.id, source=entry.source, state="done", share=1.0, time=entry.time)


class Reviewer:
    """Reviews games, by the usual agent or another one."""

    def __init__(self, players: Players, logs: Path | None = None) -> None:
        """logs: where addresses are looked up; None: fetched. Raises InputError if the usual agent cannot review."""
        self.names, self._players, self._logs = players.reviewers, players, logs
        _ = players.reviewer

    def warm_up(self) -> None:
        """Review a generated round, so that compiled code is loaded before the first review."""
        log = next(generate_games(1))
        log.rounds, log.final_scores, log.final_points = log.rounds[:1], None, None
        review_game(log, self._players.reviewer, self.names[0])

    def check(self, agent: str) -> str:
        """Return the name of who is to review, the usual one's for none; raises HTTPException (422) for any other."""
        if agent and agent not in self.names:
            raise HTTPException(422, f"{clean(agent)} does not review; there are {', '.join(self.names)}")
        return agent or self.names[0]

    def review_file(self, data: bytes, source: str, agent: str, jobs: ReviewJobs, progress: Progress) -> Reviewed:
        """Review the first game of a log or archive; start the others as jobs, which tell of those that cannot be."""
        progress("reading the log", 0.0)
        first, others = games_of_upload(data, source, WAITING)
        for other in others:
            name = clean(other.source or source)
            if isinstance(other, LogError):
                jobs.refuse(name, str(other))
                continue
            try:
                jobs.start(name, partial(self.review_log, other, agent))
            except HTTPException as error:  # enough are waiting
                jobs.refuse(name, error.detail)
        return self.review_log(first, agent, progress)

    def review_address(self, address: str, agent: str, progress: Progress) -> Reviewed:
        """Review the game that a viewer address refers to, or contains."""
        progress("looking for the log", 0.0)
        find = fetch_log if self._logs is None else partial(log_at_hand, logs=self._logs)
        if (game := game_of_address(address, find)) is None:
            raise InputError(NO_ADDRESS)
        return self.review_log(game[0], agent, progress)

    def review_log(self, log: GameLog, agent: str, progress: Progress) -> Reviewed:
        """Review a game."""
        review = review_game(log, self._players.reviewer_named(agent), agent, progress=progress)
        return Reviewed(review.model_dump_json().encode(), write_mjlog(log))
