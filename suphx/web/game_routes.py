"""The routes of games: what watched and played games share, those of watched games, and those of played ones."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, Header, HTTPException, Query, Response, UploadFile
from fastapi.responses import StreamingResponse

from simulator.files import UniqueNames
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog
from simulator.record import SEATS
from simulator.rules import Rules
from suphx.review.analysis import clean, last_part
from suphx.review.document import Decision
from suphx.web.agents import MAX_SEED, Players
from suphx.web.coach import Costly, advice, costly
from suphx.web.game_status import GameStatus, Options, TimeControl
from suphx.web.games import ALL_ROUNDS, GameStore, NoGame, new_id
from suphx.web.host import GameSession, Host, Recorded, Tell, Walls
from suphx.web.jobs import Reviewer, ReviewJobs, Status
from suphx.web.samples import SampleFolder

#: Number of rounds of a watched game played beyond the last one that a page has requested.
AHEAD = 2
#: Seconds of silence after which a page is sent a keep-alive, by which a closed connection is noticed.
_SIGN_OF_LIFE = 10.0
#: No question, position or round has a number above this.
MOST = (1 << 31) - 1
PERSON = "You"
#: Decisions played before the first game, so that its first moves are as fast as all others.
_WARM_UP = 12

_Length = Literal["east", "east_south"]
_Number = Annotated[int, Form(ge=0, le=MOST)]


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
        events carry a `suphx.web.game_status.TimeLeft`; `options` events carry the options for automatic answers when
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
        return jobs.start(status.source, partial(reviewer.review_log, game_log, reviewer.check("")))

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
            status, documents, time_left = games.update(game, last)
            if status.kind == "played" and status.options != options:
                options = status.options
                yield f"event: options\ndata: {options.model_dump_json()}\n\n"
            name = "position" if status.kind == "played" else "round"
            new = [each for each in documents if each[0] <= end]
            for last, document in new:
                yield f"id: {last}\nevent: {name}\ndata: {document.decode()}\n\n"
            if status.state != "playing" and len(new) == len(documents):
                yield f"event: {status.state}\ndata: {status.model_dump_json()}\n\n"
                return
            if last >= end:
                yield f"event: more\ndata: {status.model_dump_json()}\n\n"
                return
            if time_left is not None:
                yield f"event: clock\ndata: {time_left.model_dump_json()}\n\n"
            try:
                await asyncio.wait_for(news.wait(), _SIGN_OF_LIFE)
                news.clear()
            except TimeoutError:
                yield ": still here\n\n"
    except NoGame:
        yield "event: gone\ndata: {}\n\n"
    finally:
        games.connect(game, notify, connected=False)


def watch_routes(
    games: GameStore, players: Players, samples: SampleFolder | None, jobs: ReviewJobs, reviewer: Reviewer
) -> APIRouter:
    """Return the routes of games that are watched."""
    routes = APIRouter(prefix="/api/games")

    def show(data: bytes, name: str) -> GameStatus:
        status = GameStatus(id=new_id(), kind="recorded", source=clean(name))
        return games.start(status, partial(Recorded, data, status.source), ALL_ROUNDS)

    @routes.get("")
    def every() -> dict[str, object]:
        """Return all games, the most recently requested first, the agents, and the samples (null: no folder)."""
        listing = None if samples is None else samples.listing()
        return {"agents": players.names, "games": games.all(), "samples": listing}

    @routes.post("/live", status_code=201)
    def live(agent: Annotated[list[str], Form()], seed: Annotated[int, Form(ge=0, le=MAX_SEED)] = 0) -> GameStatus:
        """Start a game between four agents, named by seat."""
        players.check(agent, SEATS)
        names = list(map(last_part, agent))
        status = GameStatus(id=new_id(), kind="live", source=f"{', '.join(agent)}; seed {seed}", names=names)

        def sit_down(tell: Tell) -> Host:
            agents = dict(enumerate(players.agents(agent, seed)))
            return Host(Rules.tenhou(), seed, agents, names, f"watched-{seed}", tell)

        return games.start(status, sit_down, wanted=1)

    @routes.post("/recorded", status_code=201)
    async def recorded(log: Annotated[UploadFile, File()]) -> GameStatus:
        """Show the game in an uploaded file."""
        return show(await log.read(), log.filename or "log")

    @routes.post("/sample", status_code=201)
    def sample(name: Annotated[str, Form()]) -> GameStatus:
        """Show a game from the sample folder."""
        if samples is None:
            raise HTTPException(404, "there is no folder of sample games: start `suphx web` with --games FOLDER")
        return show(samples.read(name), name)

    add_routes(routes, games, jobs, reviewer)
    return routes


def host_of(
    players: Players, names: list[str], rules: Rules, seed: int, seat: int, tell: Tell, walls: Walls | None = None
) -> Host:
    """Return a person's game. names: of the agents, the next seat first. Must be called in the playing thread."""
    seats = [(seat + n) % SEATS for n in range(1, SEATS)]
    agents = dict(zip(seats, players.agents(names, seed), strict=True))
    return Host(rules, seed, agents, _seat_names(names, seat), f"played-{seed}", tell, seat, walls)


def _seat_names(agents: list[str], seat: int) -> list[str]:
    """Return the names of the four seats. agents: three, the next seat first."""
    names = [PERSON] * SEATS
    for n, name in enumerate(agents, 1):
        names[(seat + n) % SEATS] = last_part(name)
    return names


def warm_up_play(players: Players) -> None:
    """Play some decisions of a dummy game, so that networks and compiled code are loaded."""
    host = host_of(players, [players.names[0]] * (SEATS - 1), Rules.tenhou(), 0, 0, lambda *_: None)
    host.begin()
    for _ in range(_WARM_UP):
        if host.question is not None:
            host.answer(host.question.number, host.default())


def play_routes(
    games: GameStore, players: Players, jobs: ReviewJobs, reviewer: Reviewer, walls: Walls | None
) -> APIRouter:
    """Return the routes of games that persons play; walls: as in `LiveTable`."""
    routes = APIRouter(prefix="/api/play")

    @routes.get("")
    def every() -> dict[str, object]:
        """Return all games, the most recently requested first, and the agents that may play."""
        return {"agents": players.names, "games": games.all()}

    @routes.post("", status_code=201)
    def begin(
        agent: Annotated[list[str], Form()],
        seat: Annotated[int, Form(ge=0, lt=SEATS)] = 0,
        seed: Annotated[int, Form(ge=0, le=MAX_SEED)] = 0,
        length: Annotated[_Length, Form()] = "east_south",
        decision: Annotated[int, Form(ge=0, le=300)] = 0,
        reserve: Annotated[int, Form(ge=0, le=600)] = 0,
    ) -> GameStatus:
        """Start a game. agent: three, the next seat first. decision: seconds per decision, 0 for no clock."""
        players.check(agent, SEATS - 1)
        status = GameStatus(
            id=new_id(), kind="played", source=f"played against {', '.join(map(last_part, agent))}; seed {seed}",
            names=_seat_names(agent, seat), seat=seat, agents=agent, seed=seed, length=length,
            pace=TimeControl(decision=decision, reserve=reserve) if decision else None,
        )  # fmt: skip
        rules = dataclasses.replace(Rules.tenhou(), length=length)
        return games.start(status, lambda tell: host_of(players, agent, rules, seed, seat, tell, walls))

    @routes.post("/{game}/answer", status_code=204)
    def answer(game: str, question: _Number, action: _Number) -> None:
        """Answer a question by its number; 409 if it is not pending, 422 for another action."""
        games.answer(game, question, action)

    @routes.post("/{game}/options", status_code=204)
    def options(game: str, chosen: Annotated[Options, Form()]) -> None:
        """Set the options for automatic answers, which apply from the current question on."""
        games.choose_options(game, chosen)

    @routes.get("/{game}/advice")
    def question(game: str, number: Annotated[int, Query(ge=0, le=MOST)]) -> Decision | None:
        """Return the reviewer's view of a question; null if it is not pending, or has nothing to choose."""

        def ask(play: GameSession) -> Decision | None:
            question_at = play.question_at(number)
            return None if question_at is None else advice(players.reviewer, question_at)

        return games.consult(game, ask)

    @routes.get("/{game}/costly")
    def round_over(game: str) -> list[Costly]:
        """Return the person's decisions of the last round that cost most by the reviewer's view, at most two."""
        return games.consult(game, lambda play: costly(players.reviewer, play.answered)) or []

    add_routes(routes, games, jobs, reviewer)
    return routes
