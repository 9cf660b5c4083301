"""The reward of a finished game: a prize for each rank, as a list or as the ranking points of a room and a dan."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from simulator.record import SEATS
from suphx.config import Config

Length = Literal["east_south", "east"]
Prize = Annotated[float, Field(allow_inf_nan=False)]
Room = Literal["normal", "advanced", "expert", "phoenix"]

#: Tenhou's ranking points for first and second place, by length and room; third place gets none.
_FIRST_SECOND: dict[Length, dict[Room, tuple[float, float]]] = {
    "east_south": {"normal": (30, 15), "advanced": (60, 15), "expert": (75, 30), "phoenix": (90, 45)},
    "east": {"normal": (20, 10), "advanced": (40, 10), "expert": (50, 20), "phoenix": (60, 30)},
}
#: Points that fourth place loses at dan 0, and per dan.
_FOURTH: dict[Length, tuple[float, float]] = {"east_south": (30, 15), "east": (20, 10)}


class PrizeList(Config):
    """Any four prizes by rank."""

    kind: Literal["prizes"] = "prizes"
    """Which kind of target this is."""
    prizes: tuple[Prize, Prize, Prize, Prize] = (90, 45, 0, -135)
    """Prizes for first, second, third and fourth place."""
    units: str = Field(default="points", min_length=1)
    """Unit of the prizes."""

    def by_rank(self, length: Length) -> tuple[float, ...]:
        """Return the four prizes, starting with first place; `length` is ignored."""
        del length
        return self.prizes


class RankingPoints(Config):
    """Tenhou's ranking points for a player of a given dan in a given room."""

    kind: Literal["ranking_points"] = "ranking_points"
    """Which kind of target this is."""
    room: Room = "phoenix"
    """Determines the points for first and second place."""
    dan: int = Field(default=7, ge=1, le=10)
    """Determines the loss for fourth place: 30 + 15 dan in East-South games, 20 + 10 dan in East games."""

    @property
    def units(self) -> str:
        """Unit of the prizes."""
        return f"ranking points, {self.room} room, {self.dan} dan"

    def by_rank(self, length: Length) -> tuple[float, ...]:
        """Return the four prizes of a game of a length, starting with first place."""
        base, each = _FOURTH[length]
        return (*_FIRST_SECOND[length][self.room], 0, -(base + each * self.dan))


Target = Annotated[PrizeList | RankingPoints, Field(discriminator="kind")]


def centered(prizes: tuple[float, ...]) -> np.ndarray:
    """Return f64[4]: prizes by rank minus their mean, so that the rewards of a game's four seats add up to zero."""
    values = np.array(prizes, np.float64)
    return values - values.mean()


def ranks(scores: np.ndarray) -> np.ndarray:
    """Return i64[..., 4]: the rank of each seat, 0 for the first, from points [..., 4].

    With equal points the seat nearer to the first dealer, seat 0, ranks higher (`Rules.ties` "seat").
    """
    others, own = scores[..., None, :], scores[..., :, None]
    nearer = np.arange(SEATS)[None, :] < np.arange(SEATS)[:, None]
    return ((others > own) | ((others == own) & nearer)).sum(-1)
