"""The routes of games that persons play."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Header, HTTPException
from fastapi.responses import StreamingResponse

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.errors import InputError
from suphx.web.agents import MAX_SEED, Players, shown_name
from suphx.web.bell import Bell
from suphx.web.clock import Pace
from suphx.web.host import Host, NotAsked, NotLegal, Options, Seating
from suphx.web.hosting import Hosts
from suphx.web.jobs import ReviewJobs
from suphx.web.play_status import PlayStatus
from suphx.web.played_games import add_routes_of_any, known
from suphx.web.reviewer import Reviewer
from suphx.web.shelf import TooManyGames, new_id

#: The person's name.
PERSON = "You"
#: Seconds of silence after which a page is sent a keep-alive, by which a closed connection is noticed.
_SIGN_OF_LIFE = 10.0
#: Decisions played before the first game, so that its first moves are as fast as all others.
_WARM_UP = 12
#: An upper bound that no question or position number reaches.
_MOST = (1 << 31) - 1

_Length = Literal["east", "east_south"]
_Number = Annotated[int, Form(ge=0, le=_MOST)]


def seating_of(players: Players, names: list[str], rules: Rules, seed: int, seat: int) -> Seating:
    """Return who sits where. names: of the agents, the next seat first. Must be called in the playing thread."""
    seats = [(seat + n) % SEATS for n in range(1, SEATS)]
    return Seating(rules, seed, seat, dict(zip(seats, players.agents(names, seed), strict=True)))


def warm_up(players: Players) -> None:
    """Play some decisions of a dummy game, so that networks and compiled code are loaded."""
    host = Host(seating_of(players, [players.names[0]] * (SEATS - 1), Rules.tenhou(), 0, 0), lambda _: None)
    host.begin()
    for _ in range(_WARM_UP):
        if host.question is not None:
            host.answer(host.question.number, host.default())


def _new_status(agents: list[str], seat: int, seed: int, length: _Length, pace: Pace | None) -> PlayStatus:
    """Return the status of a new game. agents: three, the next seat first."""
    shown = list(map(shown_name, agents))
    names = [PERSON] * SEATS
    for n, name in enumerate(shown, 1):
        names[(seat + n) % SEATS] = name
    source = f"played against {', '.join(shown)}; seed {seed}"
    return PlayStatus(
        id=new_id(), source=source, seat=seat, names=names, agents=agents, seed=seed, length=length, pace=pace
    )


def play_routes(hosts: Hosts, players: Players, jobs: ReviewJobs, reviewer: Reviewer) -> APIRouter:
    """Return the routes of games that persons play."""
    routes = APIRouter(prefix="/api/play")

    @routes.get("")
    def every() -> dict[str, object]:
        """Return all games that are kept, the most recently requested first, and the agents that may play."""
        return {"agents": players.names, "games": hosts.all()}

    @routes.post("", status_code=201)
    def start(
        agent: Annotated[list[str], Form()],
        seat: Annotated[int, Form(ge=0, lt=SEATS)] = 0,
        seed: Annotated[int, Form(ge=0, le=MAX_SEED)] = 0,
        length: Annotated[_Length, Form()] = "east_south",
        decision: Annotated[int, Form(ge=0, le=300)] = 0,
        reserve: Annotated[int, Form(ge=0, le=600)] = 0,
    ) -> PlayStatus:
        """Start a game. agent: three, the next seat first. decision: seconds per decision, 0 for no clock."""
        try:
            players.check(agent, SEATS - 1)
        except InputError as error:
            raise HTTPException(422, str(error)) from error
        pace = Pace(decision=decision, reserve=reserve) if decision else None
        status = _new_status(agent, seat, seed, length, pace)
        rules = dataclasses.replace(Rules.tenhou(), length=length)
        try:
            hosts.start(status, lambda: seating_of(players, agent, rules, seed, seat))
        except TooManyGames as error:
            raise HTTPException(503, str(error)) from error
        return status

    @routes.get("/{game}")
    def status(game: str) -> PlayStatus:
        """Return the status of a game."""
        return known(hosts, game)

    @routes.get("/{game}/positions")
    async def positions(game: str, last_event_id: Annotated[str, Header(max_length=10)] = "") -> StreamingResponse:
        """Stream the last position and all that follow (server-sent events), until the end of the game.

        `position` events have the position's number as id and carry a `suphx.web.seat_view.Position`; `clock` events
        carry a `suphx.web.clock.TimeLeft`; `options` events carry the options for automatic answers when they have
        changed. The last event is `over` or `failed`, with a PlayStatus, or `gone`.
        """
        known(hosts, game)
        last = int(last_event_id) if last_event_id.isdecimal() else -1
        return StreamingResponse(_told(hosts, game, last), media_type="text/event-stream")

    _add_answers(routes, hosts)
    add_routes_of_any(routes, hosts, jobs, reviewer)
    return routes


def _add_answers(routes: APIRouter, hosts: Hosts) -> None:
    """Add the routes for the person's answers and options."""

    @routes.post("/{game}/answer", status_code=204)
    def answer(game: str, question: _Number, action: _Number) -> None:
        """Answer a question by its number; 409 if it is not asked, or no longer, 422 if the action is not a choice."""
        known(hosts, game)
        try:
            hosts.answer(game, question, action)
        except NotAsked as error:
            raise HTTPException(409, str(error)) from error
        except NotLegal as error:
            raise HTTPException(422, str(error)) from error

    @routes.post("/{game}/options", status_code=204)
    def options(
        game: str,
        no_calls: Annotated[bool, Form()] = False,
        win_at_once: Annotated[bool, Form()] = False,
        discard_drawn: Annotated[bool, Form()] = False,
    ) -> None:
        """Set the options for automatic answers, which apply from the current question on."""
        known(hosts, game)
        chosen = Options(no_calls=no_calls, win_at_once=win_at_once, discard_drawn=discard_drawn)
        hosts.choose_options(game, chosen)


async def _told(hosts: Hosts, game: str, last: int) -> AsyncIterator[str]:
    """Yield the events of `positions`; ends when the client disconnects."""
    bell = Bell()
    hosts.connect(game, bell)
    options: Options | None = None
    try:
        while True:
            told = hosts.told(game, last)
            if told is None:
                yield "event: gone\ndata: {}\n\n"
                return
            if told.status.options != options:
                options = told.status.options
                yield f"event: options\ndata: {options.model_dump_json()}\n\n"
            for number, position in told.positions:
                yield f"id: {number}\nevent: position\ndata: {position.decode()}\n\n"
                last = number
            if told.status.state != "playing":
                yield f"event: {told.status.state}\ndata: {told.status.model_dump_json()}\n\n"
                return
            if told.time_left is not None:
                yield f"event: clock\ndata: {told.time_left.model_dump_json()}\n\n"
            if not await bell.wait(_SIGN_OF_LIFE):
                yield ": still here\n\n"
    finally:
        hosts.disconnect(game, bell)
