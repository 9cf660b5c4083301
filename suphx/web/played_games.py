"""What any game, watched or played, has in common: once it is over, its log can be downloaded and reviewed."""

from __future__ import annotations

from functools import partial
from typing import Protocol, TypeVar

from fastapi import APIRouter, HTTPException, Response

from simulator.files import UniqueNames
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog, LogError
from suphx.web.jobs import Busy, ReviewJobs, Status
from suphx.web.reviewer import Reviewer


class AnyStatus(Protocol):
    """The status of a game."""

    @property
    def source(self) -> str:
        """Title of the game."""
        ...

    @property
    def message(self) -> str:
        """Why it failed."""
        ...


Standing = TypeVar("Standing", bound=AnyStatus, covariant=True)


class AnyGames(Protocol[Standing]):
    """Games by id."""

    def status(self, game_id: str, /) -> Standing | None:
        """Return the status of a game; None if it does not exist, or no longer exists."""
        ...

    def log(self, game_id: str, /) -> GameLog | None:
        """Return the log of a finished game; None if there is none."""
        ...

    def forget(self, game_id: str, /) -> bool:
        """Delete a game, over or not; return whether it existed."""
        ...


def known(games: AnyGames[Standing], game: str) -> Standing:
    """Return the status of a game; raises HTTPException if it does not exist."""
    status = games.status(game)
    if status is None:
        raise HTTPException(404, "there is no such game, or no longer: start another")
    return status


def add_routes_of_any(routes: APIRouter, games: AnyGames[AnyStatus], jobs: ReviewJobs, reviewer: Reviewer) -> None:
    """Add the routes that watched and played games have in common."""

    def over(game: str) -> tuple[AnyStatus, GameLog]:
        status, log = known(games, game), games.log(game)
        if log is None:
            raise HTTPException(409, status.message or "the game is not over yet")
        return status, log

    @routes.get("/{game}/log")
    def log(game: str) -> Response:
        """Return the log of a finished game, as an mjlog."""
        _, found = over(game)
        try:
            data = write_mjlog(found)
        except LogError as error:
            raise HTTPException(409, str(error)) from error
        name = UniqueNames(".mjlog").name(found.source or "game").encode("ascii", "replace").decode().replace("?", "_")
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type="application/octet-stream", headers=headers)

    @routes.post("/{game}/review", status_code=202)
    def review(game: str) -> Status:
        """Start the review of a finished game, for all seats; responds like `POST /api/reviews`."""
        status, found = over(game)
        try:
            return jobs.start(status.source, partial(reviewer.review_log, found))
        except Busy as error:
            raise HTTPException(503, str(error)) from error

    @routes.delete("/{game}", status_code=204)
    def forget(game: str) -> None:
        """Delete a game, over or not."""
        known(games, game)
        games.forget(game)
