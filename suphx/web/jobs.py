"""Reviews requested by the page: a thread works on one at a time, and the latest are kept in memory."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from pydantic import BaseModel, ConfigDict

from simulator.logs.model import LogError
from suphx.errors import InputError
from suphx.web.warming import do_ahead

#: Maximum number of reviews kept, some 1 to 2 MB each; the one that was started first is dropped first.
KEPT = 16
#: Maximum number of reviews that wait for their turn.
WAITING = 4

Progress = Callable[[str, float], None]
#: Does the work: reports its progress to the function given, and returns the review as JSON.
Work = Callable[[Progress], bytes]

_log = logging.getLogger(__name__)


class Busy(InputError):
    """Too many reviews are waiting already."""


class Status(BaseModel):
    """The status of a review."""

    model_config = ConfigDict(frozen=True)

    id: str
    source: str
    """Name of the file, as it was given."""
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    step: str = ""
    """The current step."""
    share: float = 0.0
    """Completed share, 0 to 1."""
    message: str = ""
    """Why it failed."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will change."""
        return self.state in ("done", "failed")


class _Job:
    def __init__(self, status: Status) -> None:
        self.status = status
        self.result: bytes | None = None

    def update(self, **changes: object) -> None:
        self.status = self.status.model_copy(update=changes)


class ReviewJobs:
    """The reviews; may be used from any thread."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="review")

    def start(self, source: str, work: Work) -> Status:
        """Queue a review; raises Busy if too many are waiting already."""
        with self._lock:
            if sum(not job.status.ended for job in self._jobs.values()) > WAITING:
                raise Busy(f"{WAITING} reviews are waiting already; try again in a moment")
            job = _Job(Status(id=secrets.token_urlsafe(12), source=source))
            self._jobs[job.status.id] = job
            while len(self._jobs) > KEPT:
                oldest = next(key for key, each in self._jobs.items() if each.status.ended)
                del self._jobs[oldest]
        self._pool.submit(self._run, job, work)
        return job.status

    def _run(self, job: _Job, work: Work) -> None:
        def progress(step: str, share: float) -> None:
            job.update(step=step, share=share)

        job.update(state="running")
        try:
            job.result = work(progress)
        except (LogError, InputError) as error:
            job.update(state="failed", message=str(error))
        except Exception:
            _log.exception("a review of %r failed", job.status.source)
            job.update(state="failed", message="the review failed by a fault of the program; the terminal has more")
        else:
            job.update(state="done", step="", share=1.0)

    def warm_up(self, work: Callable[[], object]) -> None:
        """Run something ahead of the first review, so that the review need not wait for it."""
        do_ahead(self._pool, work)

    def status(self, job_id: str) -> Status | None:
        """Return the status of a review; None if it does not exist, or no longer exists."""
        with self._lock:
            job = self._jobs.get(job_id)
        return None if job is None else job.status

    def result(self, job_id: str) -> bytes | None:
        """Return a finished review as JSON; None if there is none."""
        with self._lock:
            job = self._jobs.get(job_id)
        return None if job is None else job.result

    def all(self) -> list[Status]:
        """Return the status of every review, the latest first."""
        with self._lock:
            return [job.status for job in reversed(self._jobs.values())]

    def forget(self, job_id: str) -> bool:
        """Delete a review that has ended; return whether there was one."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None or not job.status.ended:
                return False
            del self._jobs[job_id]
            return True

    def close(self) -> None:
        """Stop without doing the reviews that are still waiting."""
        self._pool.shutdown(wait=False, cancel_futures=True)
