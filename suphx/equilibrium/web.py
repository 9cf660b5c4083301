"""The routes of two-player mahjong: games that are played for the page, and games from a log."""

from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, HTTPException, Query, UploadFile

from suphx.equilibrium.duel.log import parse_log, replay
from suphx.equilibrium.duel.nodes import Nodes
from suphx.equilibrium.duel.patterns import PATTERNS
from suphx.equilibrium.duel.players import DuelPlayer, TablePlayer, play_game, player_named
from suphx.errors import InputError
from suphx.review.analysis import clean
from suphx.web.agents import MAX_SEED

#: Iterations of the table that plays as `cfr`; it is trained on first use, in about a second.
ITERATIONS = 2000
_Name = Literal["cfr", "normal", "pongs", "pairs", "random"]


def duel_routes() -> APIRouter:
    """Return the routes; they keep nothing but the table."""
    routes, table, alone = APIRouter(prefix="/api/duel"), Nodes(), Lock()

    def named(name: str) -> DuelPlayer:
        if name != "cfr":
            return player_named(name)
        with alone:
            table.train(ITERATIONS - table.iterations)
        return TablePlayer(table, "cfr")

    @routes.get("")
    def game(first: _Name, second: _Name, seed: Annotated[int, Query(ge=0, le=MAX_SEED)]) -> dict[str, Any]:
        """Play a game, and return all of it (`suphx.equilibrium.duel.log.replay`)."""
        return shown(play_game([named(first), named(second)], seed, 0), "game", 0, 1)

    @routes.post("/log")
    async def logged(log: Annotated[UploadFile, File()], game: Annotated[int, Form(ge=0)] = 0) -> dict[str, Any]:
        """Return one of the games in an uploaded file."""
        name = clean(log.filename or "log")
        try:
            games = parse_log(await log.read(), name)
            if game >= len(games):
                raise InputError(f"{name} has {len(games)} games")
            return shown(games[game], f"{name}, line {game + 1}", game, len(games))
        except InputError as error:
            raise HTTPException(422, str(error)) from error

    return routes


def shown(game: dict[str, Any], name: str, number: int, games: int) -> dict[str, Any]:
    """Return a game for the page."""
    return replay(game, name) | {"plans": PATTERNS, "game": number, "games": games}
