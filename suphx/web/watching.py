"""The routes of games that are watched: those of agents, from a file, and from the folder of samples."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, Form, HTTPException, UploadFile

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.review.analysis import clean, last_part
from suphx.web.agents import MAX_SEED, Players
from suphx.web.game_routes import add_routes
from suphx.web.game_status import GameStatus
from suphx.web.games import ALL_ROUNDS, GameStore, new_id
from suphx.web.host import Host, Recorded, TableSetup, Tell
from suphx.web.jobs import ReviewJobs
from suphx.web.reviewer import Reviewer
from suphx.web.samples import Sample, SampleFolder


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
        listing: list[Sample] | None = None if samples is None else samples.listing()
        return {"agents": players.names, "games": games.all(), "samples": listing}

    @routes.post("/live", status_code=201)
    def live(agent: Annotated[list[str], Form()], seed: Annotated[int, Form(ge=0, le=MAX_SEED)] = 0) -> GameStatus:
        """Start a game between four agents, named by seat."""
        players.check(agent, SEATS)
        names = list(map(last_part, agent))
        status = GameStatus(id=new_id(), kind="live", source=f"{', '.join(agent)}; seed {seed}", names=names)

        def sit_down(tell: Tell) -> Host:
            agents = dict(enumerate(players.agents(agent, seed)))
            return Host(TableSetup(Rules.tenhou(), seed, agents, names, f"watched-{seed}"), tell)

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
