"""The routes of games that persons play."""

import dataclasses
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query

from simulator.record import SEATS
from simulator.rules import Rules
from suphx.review.analysis import last_part
from suphx.review.document import Decision
from suphx.web.agents import MAX_SEED, Players
from suphx.web.clock import TimeControl
from suphx.web.coach import Costly, advice, costly
from suphx.web.game_routes import MOST, add_routes
from suphx.web.game_status import GameStatus, Options
from suphx.web.games import GameStore, new_id
from suphx.web.host import GameSession, Host, TableSetup
from suphx.web.jobs import ReviewJobs
from suphx.web.live_table import Walls
from suphx.web.reviewer import Reviewer

#: The person's name.
PERSON = "You"
#: Decisions played before the first game, so that its first moves are as fast as all others.
_WARM_UP = 12

_Length = Literal["east", "east_south"]
_Number = Annotated[int, Form(ge=0, le=MOST)]


def setup_of(players: Players, names: list[str], rules: Rules, seed: int, seat: int) -> TableSetup:
    """Return who sits where. names: of the agents, the next seat first. Must be called in the playing thread."""
    seats = [(seat + n) % SEATS for n in range(1, SEATS)]
    agents = dict(zip(seats, players.agents(names, seed), strict=True))
    return TableSetup(rules, seed, agents, _seat_names(names, seat), f"played-{seed}", seat)


def _seat_names(agents: list[str], seat: int) -> list[str]:
    """Return the names of the four seats. agents: three, the next seat first."""
    names = [PERSON] * SEATS
    for n, name in enumerate(agents, 1):
        names[(seat + n) % SEATS] = last_part(name)
    return names


def warm_up_play(players: Players) -> None:
    """Play some decisions of a dummy game, so that networks and compiled code are loaded."""
    host = Host(setup_of(players, [players.names[0]] * (SEATS - 1), Rules.tenhou(), 0, 0), lambda *_: None)
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
        return games.start(status, lambda tell: Host(setup_of(players, agent, rules, seed, seat), tell, walls))

    @routes.post("/{game}/answer", status_code=204)
    def answer(game: str, question: _Number, action: _Number) -> None:
        """Answer a question by its number; 409 if it is not pending, 422 for another action."""
        games.status(game)
        games.answer(game, question, action)

    @routes.post("/{game}/options", status_code=204)
    def options(game: str, chosen: Annotated[Options, Form()]) -> None:
        """Set the options for automatic answers, which apply from the current question on."""
        games.status(game)
        games.choose_options(game, chosen)

    @routes.get("/{game}/advice")
    def question(game: str, number: Annotated[int, Query(ge=0, le=MOST)]) -> Decision | None:
        """Return the reviewer's view of a question; null if it is not pending, or has nothing to choose."""

        def ask(play: GameSession) -> Decision | None:
            question_at = play.question_at(number)
            return None if question_at is None else advice(players.reviewer, question_at)

        games.status(game)
        return games.consult(game, ask)

    @routes.get("/{game}/costly")
    def round_over(game: str) -> list[Costly]:
        """Return the person's decisions of the last round that cost most by the reviewer's view, at most two."""
        games.status(game)
        return games.consult(game, lambda play: costly(players.reviewer, play.answered)) or []

    add_routes(routes, games, jobs, reviewer)
    return routes
