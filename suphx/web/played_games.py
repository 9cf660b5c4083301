"""What there is to do with a game that is over, watched or played: its log is kept, and it is reviewed."""

from __future__ import annotations

from functools import partial

from fastapi import HTTPException, Response

from simulator.files import UniqueNames
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog, LogError
from suphx.web.jobs import Busy, ReviewJobs, Status
from suphx.web.reviewer import Reviewer


def log_to_keep(log: GameLog | None, message: str) -> Response:
    """Return the answer with a log, as an mjlog; log: None for a game that is not over, or failed with a message."""
    if log is None:
        raise _not_over(message)
    try:
        data = write_mjlog(log)
    except LogError as error:
        raise HTTPException(409, str(error)) from error
    name = UniqueNames(".mjlog").name(log.source or "game").encode("ascii", "replace").decode().replace("?", "_")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


def begin_review(jobs: ReviewJobs, reviewer: Reviewer, log: GameLog | None, source: str, message: str) -> Status:
    """Begin to review a game for all seats; log and message as of `log_to_keep`, source: what the game is called."""
    if log is None:
        raise _not_over(message)
    try:
        return jobs.start(source, partial(reviewer.review_log, log))
    except Busy as error:
        raise HTTPException(503, str(error)) from error


def _not_over(message: str) -> HTTPException:
    return HTTPException(409, message or "the game is not over yet")
