"""The routes that watched and played games share: status, events, log, review, deletion."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query, Response
from fastapi.responses import StreamingResponse

from simulator.files import UniqueNames
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog
from suphx.web.game_status import GameStatus, Options
from suphx.web.games import GameStore, NoGame
from suphx.web.jobs import ReviewJobs, Status
from suphx.web.reviewer import Reviewer

#: Number of rounds of a watched game played beyond the last one that a page has requested.
AHEAD = 2
#: Seconds of silence after which a page is sent a keep-alive, by which a closed connection is noticed.
_SIGN_OF_LIFE = 10.0
#: No question, position or round has a number above this.
MOST = (1 << 31) - 1


def download_headers(source: str, suffix: str) -> dict[str, str]:
    """Return the headers with which the browser saves a file, named after its source."""
    name = UniqueNames(suffix).name(source).encode("ascii", "replace").decode().replace("?", "_")
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def add_routes(routes: APIRouter, games: GameStore, jobs: ReviewJobs, reviewer: Reviewer) -> None:
    """Add the routes that watched and played games have in common."""

    def over(game: str) -> tuple[GameStatus, GameLog]:
        status, log = games.status(game), games.log(game)
        if log is None:
            raise HTTPException(409, status.message or "the game is not over yet")
        return status, log

    @routes.get("/{game}")
    def status(game: str) -> GameStatus:
        """Return the status of a game."""
        return games.status(game)

    @routes.get("/{game}/events")
    async def events(
        game: str,
        after: Annotated[int, Query(ge=-1, le=MOST)] = -1,
        last_event_id: Annotated[str, Header(max_length=10)] = "",
    ) -> StreamingResponse:
        """Stream what happens in a game (server-sent events); `Last-Event-ID` overrides `after`.

        Of a played game, the last position and all that follow, or all after the one with the number `after`:
        `position` events have the position's number as id and carry a `suphx.web.seat_view.TablePosition`; `clock`
        events carry a `suphx.web.clock.TimeLeft`; `options` events carry the options for automatic answers when
        these change. Of a watched game, the next AHEAD + 1 rounds after the one with index `after`, as they are played:
        `round` events have the index as id and carry a `suphx.review.document.Round`.

        The last event is `over`, `failed` or `more` (request again from there for further rounds), each with a
        GameStatus, or `gone`.
        """
        watched = games.status(game).kind != "played"
        last = int(last_event_id) if last_event_id.isdecimal() else after
        stream = _updates(games, game, last, AHEAD + 1 if watched else None)
        return StreamingResponse(stream, media_type="text/event-stream")

    @routes.get("/{game}/log")
    def log(game: str) -> Response:
        """Return the log of a finished game, as an mjlog."""
        _, game_log = over(game)
        headers = download_headers(game_log.source or "game", ".mjlog")
        return Response(write_mjlog(game_log), media_type="application/octet-stream", headers=headers)

    @routes.post("/{game}/review", status_code=202)
    def review(game: str) -> Status:
        """Start the review of a finished game, for all seats; responds like `POST /api/reviews`."""
        status, game_log = over(game)
        return jobs.start(status.source, partial(reviewer.review_log, game_log))

    @routes.delete("/{game}", status_code=204)
    def forget(game: str) -> None:
        """Delete a game, over or not."""
        games.status(game)
        games.forget(game)


async def _updates(games: GameStore, game: str, last: int, most: int | None) -> AsyncIterator[str]:
    """Yield the events of a game after number `last`, at most `most` rounds; ends when the client disconnects."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def notify() -> None:  # from any thread
        if not loop.is_closed():
            loop.call_soon_threadsafe(news.set)

    games.connect(game, notify)
    end = MOST if most is None else last + most
    options: Options | None = None
    try:
        if most is not None:
            games.want(game, end + 1)
        while True:
            update = games.update(game, last)
            status = update.status
            if status.kind == "played" and status.options != options:
                options = status.options
                yield f"event: options\ndata: {options.model_dump_json()}\n\n"
            name = "position" if status.kind == "played" else "round"
            new = [each for each in update.documents if each[0] <= end]
            for last, document in new:
                yield f"id: {last}\nevent: {name}\ndata: {document.decode()}\n\n"
            if status.state != "playing" and len(new) == len(update.documents):
                yield f"event: {status.state}\ndata: {status.model_dump_json()}\n\n"
                return
            if last >= end:
                yield f"event: more\ndata: {status.model_dump_json()}\n\n"
                return
            if update.time_left is not None:
                yield f"event: clock\ndata: {update.time_left.model_dump_json()}\n\n"
            try:
                await asyncio.wait_for(news.wait(), _SIGN_OF_LIFE)
                news.clear()
            except TimeoutError:
                yield ": still here\n\n"
    except NoGame:
        yield "event: gone\ndata: {}\n\n"
    finally:
        games.connect(game, notify, connected=False)
