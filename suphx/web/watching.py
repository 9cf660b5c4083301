"""The routes of games that are watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, Form, Header, HTTPException, Query, UploadFile
from fastapi.responses import StreamingResponse

from simulator.record import SEATS
from suphx.errors import InputError
from suphx.review.analysis import clean
from suphx.web.agents import MAX_SEED, Players, shown_name
from suphx.web.games import Games, GameStatus, NewGame
from suphx.web.jobs import ReviewJobs
from suphx.web.played_games import add_routes_of_any, known
from suphx.web.plays import LivePlay, LoggedPlay
from suphx.web.reviewer import Reviewer
from suphx.web.samples import Sample, SampleFolder
from suphx.web.shelf import TooManyGames

#: Number of rounds played beyond the last one that a page has requested.
AHEAD = 2
#: An index that no round has.
_MOST_ROUNDS = 9999
#: Seconds between checks of a game's progress.
_LOOK = 0.05


def watch_routes(
    games: Games, players: Players, samples: SampleFolder | None, jobs: ReviewJobs, reviewer: Reviewer
) -> APIRouter:
    """Return the routes of games that are watched."""
    routes = APIRouter(prefix="/api/games")

    @routes.get("")
    def every() -> dict[str, object]:
        """Return the games kept, the most recently requested first, the agents, and the samples (null: no folder)."""
        found: list[Sample] | None = None if samples is None else samples.listing()
        return {"agents": players.names, "games": games.all(), "samples": found}

    @routes.get("/{game}")
    def status(game: str) -> GameStatus:
        """Return the status of a game."""
        return known(games, game)

    @routes.get("/{game}/rounds")
    async def rounds(
        game: str,
        after: Annotated[int, Query(ge=-1, le=_MOST_ROUNDS)] = -1,
        last_event_id: Annotated[str, Header(max_length=4)] = "",
    ) -> StreamingResponse:
        """Stream the next AHEAD + 1 rounds after the one with index `after`, as they are played (server-sent events).

        `round` events have the index as id and carry a `suphx.review.document.Round`; the last event is `more` (request
        again from there for further rounds), `over` or `failed`, each with a GameStatus, or `gone`.
        """
        known(games, game)
        last = int(last_event_id) if last_event_id.isdecimal() else after
        return StreamingResponse(_told(games, game, last + 1), media_type="text/event-stream")

    _add_starts(routes, games, players, samples)
    add_routes_of_any(routes, games, jobs, reviewer)
    return routes


def _add_starts(routes: APIRouter, games: Games, players: Players, samples: SampleFolder | None) -> None:
    """Add the routes that start a game: one between agents, one from an uploaded file, one from the sample folder."""

    def begin(new: NewGame) -> GameStatus:
        try:
            return games.start(new)
        except TooManyGames as error:
            raise HTTPException(503, str(error)) from error

    @routes.post("/live", status_code=201)
    def live(agent: Annotated[list[str], Form()], seed: Annotated[int, Form(ge=0, le=MAX_SEED)] = 0) -> GameStatus:
        """Start a game between four agents, given by seat."""
        try:
            players.check(agent, SEATS)
        except InputError as error:
            raise HTTPException(422, str(error)) from error
        source = f"{', '.join(agent)}; seed {seed}"

        def open_game() -> LivePlay:
            return LivePlay(players.agents(agent, seed), list(map(shown_name, agent)), seed, f"watched-{seed}")

        return begin(NewGame("live", source, open_game))

    @routes.post("/recorded", status_code=201)
    async def recorded(log: Annotated[UploadFile, File()]) -> GameStatus:
        """Show the game in an uploaded file."""
        source = clean(log.filename or "log")
        return begin(NewGame("recorded", source, partial(LoggedPlay, await log.read(), source)))

    @routes.post("/sample", status_code=201)
    def sample(name: Annotated[str, Form()]) -> GameStatus:
        """Show a game from the sample folder."""
        if samples is None:
            raise HTTPException(404, "there is no folder of sample games: start `suphx web` with --games FOLDER")
        try:
            data = samples.read(name)
        except InputError as error:
            raise HTTPException(404, str(error)) from error
        return begin(NewGame("recorded", clean(name), partial(LoggedPlay, data, clean(name))))


async def _told(games: Games, game: str, first: int) -> AsyncIterator[str]:
    """Yield the events of `rounds`; ends when the client disconnects."""
    at, stop = first, first + AHEAD + 1
    games.want(game, stop)
    while True:
        found = games.rounds(game, at)
        if found is None:
            yield "event: gone\ndata: {}\n\n"
            return
        there, status = found
        for each in there[: stop - at]:
            yield f"id: {at}\nevent: round\ndata: {each.decode()}\n\n"
            at += 1
        if status.state != "playing" and at >= status.rounds:
            yield f"event: {status.state}\ndata: {status.model_dump_json()}\n\n"
            return
        if at >= stop:
            yield f"event: more\ndata: {status.model_dump_json()}\n\n"
            return
        await asyncio.sleep(_LOOK)
