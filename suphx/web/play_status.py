"""How a game that a person plays stands, and what a page that looks at it is told."""

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
    """A game that somebody plays."""

    model_config = ConfigDict(frozen=True)

    id: str
    source: str
    """What it is called."""
    seat: int
    """The person's."""
    names: list[str]
    """Of the seats."""
    agents: list[str]
    """The three, as they were named, the next seat first."""
    seed: int
    length: Literal["east", "east_south"]
    pace: Pace | None
    """The clock; None: there is none."""
    state: Literal["playing", "over", "failed"] = "playing"
    message: str = ""
    """Why it failed."""
    options: Options = Options()
    rounds: list[RoundEnd] = []
    """Those that are over."""
    scores: list[int] | None = None
    """Points at the end; this and the next two only when it is over."""
    ranks: list[int] | None = None
    """Rank of each seat, 0 the first."""
    points: list[float] | None = None
    """Final points in thousands."""


@dataclass(frozen=True)
class Told:
    """What a page that looks is told."""

    positions: list[tuple[int, bytes]]
    """(number, `Position` as JSON) of those that it has not seen; at least the last one, if it has seen none."""
    time_left: TimeLeft | None
    status: PlayStatus
