"""The status of a game that is watched or played."""

from typing import Literal

from pydantic import BaseModel

from suphx.review.document import Document, Result
from suphx.web.clock import TimeControl


class Options(Document):
    """Options that answer questions automatically for the person."""

    no_calls: bool = False
    """Pass on chows, pongs and open kongs of others' discards, unless a win could be claimed as well."""
    win_at_once: bool = False
    """Take every win."""
    discard_drawn: bool = False
    """Discard the tile just drawn, unless it wins."""


class RoundEnd(Document):
    """How a round of the game ended."""

    name: str
    repeat_counter: int
    result: Result


class GameStatus(BaseModel, frozen=True):
    """The status of a game."""

    id: str
    kind: Literal["played", "live", "recorded"]
    """Played by a person against agents, live between agents, or read from a log."""
    source: str
    """Title of the game."""
    names: list[str] = [""] * 4
    """Names of the four seats."""
    time: float = 0.0
    """When it was saved, in seconds since 1970; 0 if it was not."""
    state: Literal["playing", "over", "failed"] = "playing"
    """`over`: no further rounds will come."""
    message: str = ""
    """Why it failed."""
    rounds: list[RoundEnd] = []
    """The finished rounds."""
    scores: list[int] | None = None
    """Scores after the last finished round; None before the first."""
    ranks: list[int] | None = None
    """Rank of each seat, 0 for first place; None until the game is over, and for a log that ends before its game."""
    points: list[float] | None = None
    """Final points in thousands; None like `ranks`."""
    seat: int | None = None
    """The person's seat; this and what follows belongs to a played game."""
    agents: list[str] = []
    """The three agents as requested, the next seat first."""
    seed: int = 0
    length: Literal["east", "east_south"] = "east_south"
    pace: TimeControl | None = None
    """The time limits; None for a game without a clock."""
    options: Options = Options()
