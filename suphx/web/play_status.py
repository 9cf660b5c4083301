"""The status of a game that a person plays, and the updates for a page that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from suphx.review.document import Result
from suphx.web.clock import Pace, TimeLeft
from suphx.web.host import Options


class RoundEnd(BaseModel):
    """How a round of the game ended."""

    name: str
    repeat_counter: int
    result: Result


class PlayStatus(BaseModel):
    """The status of a game that a person plays."""

    model_config = ConfigDict(frozen=True)

    id: str
    source: str
    """Title of the game."""
    seat: int
    """The person's seat."""
    names: list[str]
    """Names of the four seats."""
    agents: list[str]
    """The three agents as requested, the next seat first."""
    seed: int
    length: Literal["east", "east_south"]
    pace: Pace | None
    """The time limits; None for a game without a clock."""
    state: Literal["playing", "over", "failed"] = "playing"
    message: str = ""
    """Why it failed."""
    options: Options = Options()
    rounds: list[RoundEnd] = []
    """The finished rounds."""
    scores: list[int] | None = None
    """Final scores; this and the next two fields are set only when the game is over."""
    ranks: list[int] | None = None
    """Rank of each seat, 0 for first place."""
    points: list[float] | None = None
    """Final points in thousands."""


@dataclass(frozen=True)
class Told:
    """An update for a page that shows the game."""

    positions: list[tuple[int, bytes]]
    """(number, `Position` as JSON) of the positions that the page has not seen; only the last one if the page is new or
    has missed positions that are no longer kept."""
    time_left: TimeLeft | None
    status: PlayStatus
