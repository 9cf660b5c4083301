"""What a game is worth at its end: a prize for each rank, as a list or as the ranking points of a room and a dan."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from simulator.record import SEATS
from suphx.config import Config

Length = Literal["east_south", "east"]
Prize = Annotated[float, Field(allow_inf_nan=False)]
Room = Literal["normal", "advanced", "expert", "phoenix"]

#: Ranking points of the first and the second at Tenhou, by length and room; the third has none.
_FIRST_SECOND: dict[Length, dict[Room, tuple[float, float]]] = {
    "east_south": {"normal": (30, 15), "advanced": (60, 15), "expert": (75, 30), "phoenix": (90, 45)},
    "east": {"normal": (20, 10), "advanced": (40, 10), "expert": (50, 20), "phoenix": (60, 30)},
}
#: Points that the fourth loses at dan 0, and for each dan.
_FOURTH: dict[Length, tuple[float, float]] = {"east_south": (30, 15), "east": (20, 10)}


class PrizeList(Config):
    """Any four prizes."""

    kind: Literal["prizes"] = "prizes"
    """Which kind of target this is."""
    prizes: tuple[Prize, Prize, Prize, Prize] = (90, 45, 0, -135)
    """What the first, second, third and fourth get."""
    units: str = Field(default="points", min_length=1)
    """What the prizes are counted in."""

    def by_rank(self, length: Length) -> tuple[float, ...]:
        """Return the four prizes, the first's first; `length` makes no difference to a list."""
        del length
        return self.prizes


class RankingPoints(Config):
    """Tenhou's ranking points for a player of some dan in some room."""

    kind: Literal["ranking_points"] = "ranking_points"
    """Which kind of target this is."""
    room: Room = "phoenix"
    """Sets what the first and the second get."""
    dan: int = Field(default=7, ge=1, le=10)
    """Sets what the fourth loses: 30 + 15 dan in East-South games, 20 + 10 dan in East games."""

    @property
    def units(self) -> str:
        """What the prizes are counted in."""
        return f"ranking points, {self.room} room, {self.dan} dan"

    def by_rank(self, length: Length) -> tuple[float, ...]:
        """Return the four prizes of a game of that length, the first's first."""
        base, each = _FOURTH[length]
        return (*_FIRST_SECOND[length][self.room], 0, -(base + each * self.dan))


Target = Annotated[PrizeList | RankingPoints, Field(discriminator="kind")]


def centred(prizes: tuple[float, ...]) -> np.ndarray:
    """Return f64[4]: prizes by rank less their mean, so that what the four seats of a game get adds up to zero."""
    values = np.array(prizes, np.float64)
    return values - values.mean()


def ranks(scores: np.ndarray) -> np.ndarray:
    """Return i64[..., 4]: the rank of each seat, 0 for the first, from points [..., 4].

    Of equal points the seat nearer the first dealer, who is seat 0, ranks higher (`Rules.ties` "seat").
    """
    others, own = scores[..., None, :], scores[..., :, None]
    nearer = np.arange(SEATS)[None, :] < np.arange(SEATS)[:, None]
    return ((others > own) | ((others == own) & nearer)).sum(-1)
