"""What is behind the local page, as a FastAPI application: reviews, games to watch, and games to play."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, FastAPI, Form, HTTPException, Response, UploadFile
from fastapi.responses import JSONResponse, StreamingResponse

from simulator.logs.model import LogError
from suphx.agent import DEFAULT_AGENT
from suphx.errors import InputError
from suphx.plugins import VIEWS
from suphx.review.analysis import clean
from suphx.review.document import Note
from suphx.web.agents import Players
from suphx.web.assets import review_page
from suphx.web.game_routes import download_headers, play_routes, warm_up_play, watch_routes
from suphx.web.games import IDLE_PLAYED, GameStore
from suphx.web.host import Walls
from suphx.web.jobs import NoReview, Reviewer, ReviewJobs, Status
from suphx.web.samples import SampleFolder
from suphx.web.shelf import Shelf

#: Seconds between checks of a review's progress.
_INTERVAL = 0.05
#: Maximum length of a note, in characters.
MAX_NOTE = 2000


def review_routes(jobs: ReviewJobs, reviewer: Reviewer) -> APIRouter:
    """Return the routes of reviews."""
    routes = APIRouter(prefix="/api/reviews")

    @routes.get("")
    def every() -> dict:
        """Return all saved reviews, the latest first, and the agents that review, the usual one first."""
        return {"agents": reviewer.names, "reviews": jobs.all()}

    @routes.post("", status_code=202)
    async def start(
        log: UploadFile | None = None, address: Annotated[str, Form()] = "", agent: Annotated[str, Form()] = ""
    ) -> Status:
        """Start the review of an uploaded log, or of the log that an address refers to, by one of the agents."""
        name = reviewer.check(agent)
        if log is not None:
            source = clean(log.filename or "log")
            return jobs.start(source, partial(reviewer.review_file, await log.read(), source, name, jobs))
        if address:
            return jobs.start(clean(address), partial(reviewer.review_address, address, name))
        raise HTTPException(422, "send a file (`log`) or a viewer address (`address`)")

    @routes.get("/{review}/progress")
    async def progress(review: str) -> StreamingResponse:
        """Stream the status of a review each time it changes (server-sent events), until it has ended."""
        jobs.status(review)  # raises NoReview
        return StreamingResponse(_changes(jobs, review), media_type="text/event-stream")

    @routes.get("/{review}")
    def result(review: str) -> Response:
        """Return a review, `suphx.review.document.Review`."""
        return Response(jobs.result(review).model_dump_json(), media_type="application/json")

    @routes.get("/{review}/by/{agent}")
    def by_another(review: str, agent: str) -> Response:
        """Return another agent's review of the same game, which is not saved."""
        log, name = jobs.log(review), reviewer.check(agent)
        another = jobs.pool.submit(reviewer.review_log, log, name, lambda _step, _share: None)
        return Response(another.result().review, media_type="application/json")

    @routes.get("/{review}/file")
    def as_file(review: str) -> Response:
        """Return a review as a single HTML file to save."""
        headers = download_headers(jobs.status(review).source, ".html")
        return Response(review_page(jobs.result(review)), media_type="text/html", headers=headers)

    @routes.post("/{review}/note", status_code=204)
    def note(
        review: str,
        seat: Annotated[int, Form()],
        number: Annotated[int, Form()],
        words: Annotated[str, Form(max_length=MAX_NOTE)] = "",
    ) -> None:
        """Set the note on a decision of a seat; an empty one deletes it."""
        if not jobs.write(review, Note(seat=seat, number=number, words=words.strip())):
            raise HTTPException(422, "there is no such decision")

    @routes.delete("/{review}", status_code=204)
    def forget(review: str) -> None:
        """Delete a review."""
        jobs.status(review)
        if not jobs.forget(review):
            raise HTTPException(409, "the review is still running")

    return routes


async def _changes(jobs: ReviewJobs, review: str) -> AsyncIterator[str]:
    """Yield the status of a review each time it changes; ends when the client disconnects."""
    last: Status | None = None
    with suppress(NoReview):
        while last is None or not last.ended:
            status = jobs.status(review)
            if status != last:
                yield f"data: {status.model_dump_json()}\n\n"
                last = status
            await asyncio.sleep(_INTERVAL)


def create_app(
    agent: str = DEFAULT_AGENT,
    logs: Path | None = None,
    games: Path | None = None,
    walls: Walls | None = None,
    shelf: Path | None = None,
) -> FastAPI:
    """Return the application, for `PageServer`.

    agent: the reviewer. logs: where to look for the log files of viewer addresses. games: the folder of sample games.
    walls: prescribed walls for the games that persons play, as in `LiveTable`. shelf: the file of saved reviews and
    games; None saves nothing. `state` has three functions: `warm_up` loads and compiles ahead of the first request,
    `end_streams` ends the event streams, `close` everything. Raises InputError for an unknown agent, a missing folder,
    or a shelf that cannot be read.
    """
    players = Players(agent)
    jobs, reviewer = ReviewJobs(store := Shelf(shelf)), Reviewer(players, logs)
    watched, samples = GameStore(store, "live"), None if games is None else SampleFolder(games)
    played = GameStore(store, "played", IDLE_PLAYED)

    def warm_up() -> None:
        warm_up_play(players)
        reviewer.warm_up()

    def end_streams() -> None:
        watched.close()
        played.close()

    def close() -> None:
        jobs.close()
        store.close()

    app = FastAPI(title="suphx", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.warm_up, app.state.end_streams, app.state.close = warm_up, end_streams, close
    app.include_router(review_routes(jobs, reviewer))
    app.include_router(watch_routes(watched, players, samples, jobs, reviewer))
    app.include_router(play_routes(played, players, jobs, reviewer, walls))
    for view in VIEWS:
        app.include_router(view.load().load_routes()())
    for error in (InputError, LogError):
        app.add_exception_handler(error, lambda _, refused: JSONResponse({"detail": str(refused)}, 409))
    return app
