"""The routes that games have in common, whether watched or played: what is told of them, and what becomes of them."""

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
from suphx.web.games import Games, NoGame
from suphx.web.jobs import ReviewJobs, Status
from suphx.web.reviewer import Reviewer

#: Number of rounds of a watched game played beyond the last one that a page has requested.
AHEAD = 2
#: Seconds of silence after which a page is sent a keep-alive, by which a closed connection is noticed.
_SIGN_OF_LIFE = 10.0
#: An upper bound that no question, position or round number reaches.
MOST = (1 << 31) - 1


def to_keep(source: str, suffix: str) -> dict[str, str]:
    """Return the headers of a file that the browser keeps, under the name of where it comes from."""
    name = UniqueNames(suffix).name(source).encode("ascii", "replace").decode().replace("?", "_")
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def add_routes(routes: APIRouter, games: Games, jobs: ReviewJobs, reviewer: Reviewer) -> None:
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
        `position` events have the position's number as id and carry a `suphx.web.seat_view.Position`; `clock` events
        carry a `suphx.web.clock.TimeLeft`; `options` events carry the options for automatic answers when they have
        changed. Of a watched game, the next AHEAD + 1 rounds after the one with index `after`, as they are played:
        `round` events have the index as id and carry a `suphx.review.document.Round`.

        The last event is `over`, `failed` or `more` (request again from there for further rounds), each with a
        GameStatus, or `gone`.
        """
        watched = games.status(game).kind != "played"
        last = int(last_event_id) if last_event_id.isdecimal() else after
        stream = _told(games, game, last, AHEAD + 1 if watched else None)
        return StreamingResponse(stream, media_type="text/event-stream")

    @routes.get("/{game}/log")
    def log(game: str) -> Response:
        """Return the log of a finished game, as an mjlog."""
        _, found = over(game)
        headers = to_keep(found.source or "game", ".mjlog")
        return Response(write_mjlog(found), media_type="application/octet-stream", headers=headers)

    @routes.post("/{game}/review", status_code=202)
    def review(game: str) -> Status:
        """Start the review of a finished game, for all seats; responds like `POST /api/reviews`."""
        status, found = over(game)
        return jobs.start(status.source, partial(reviewer.review_log, found))

    @routes.delete("/{game}", status_code=204)
    def forget(game: str) -> None:
        """Delete a game, over or not."""
        games.status(game)
        games.forget(game)


async def _told(games: Games, game: str, last: int, most: int | None) -> AsyncIterator[str]:
    """Yield the events of a game after number `last`, at most so many rounds; ends when the client disconnects."""
    loop, rung = asyncio.get_running_loop(), asyncio.Event()

    def ring() -> None:  # from any thread
        if not loop.is_closed():
            loop.call_soon_threadsafe(rung.set)

    games.connect(game, ring)
    end = MOST if most is None else last + most
    options: Options | None = None
    try:
        if most is not None:
            games.want(game, end + 1)
        while True:
            told = games.told(game, last)
            status = told.status
            if status.kind == "played" and status.options != options:
                options = status.options
                yield f"event: options\ndata: {options.model_dump_json()}\n\n"
            name = "position" if status.kind == "played" else "round"
            new = [each for each in told.documents if each[0] <= end]
            for last, document in new:
                yield f"id: {last}\nevent: {name}\ndata: {document.decode()}\n\n"
            if status.state != "playing" and len(new) == len(told.documents):
                yield f"event: {status.state}\ndata: {status.model_dump_json()}\n\n"
                return
            if last >= end:
                yield f"event: more\ndata: {status.model_dump_json()}\n\n"
                return
            if told.time_left is not None:
                yield f"event: clock\ndata: {told.time_left.model_dump_json()}\n\n"
            try:
                await asyncio.wait_for(rung.wait(), _SIGN_OF_LIFE)
                rung.clear()
            except TimeoutError:
                yield ": still here\n\n"
    except NoGame:
        yield "event: gone\ndata: {}\n\n"
    finally:
        games.connect(game, ring, connected=False)
