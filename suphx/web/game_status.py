"""The status of a game that is watched or played, and the clock of a person who plays."""

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, Field

from suphx.review.document import Document, Result

#: Seconds for which the page shows each intermediate position; they are not counted against the person.
SHOWING = 0.35


class TimeControl(Document):
    """The time limits for a person, in seconds: for each decision, and a reserve for each round."""

    decision: int = Field(ge=1, le=300)
    reserve: int = Field(ge=0, le=600)
    """Time used beyond `decision` is taken from it."""


class TimeLeft(Document):
    """The time left for a question, in seconds."""

    question: int
    decision: float
    reserve: float
    running: bool
    """Whether the clock runs; it is paused while no page is connected."""


class TurnClock:
    """A clock that runs while a question is pending and a page is connected; initially none is."""

    def __init__(self, pace: TimeControl, now: Callable[[], float]) -> None:
        """now: returns the time in seconds."""
        self._pace, self._now = pace, now
        self._reserve = float(pace.reserve)
        self._question: int | None = None
        self._decision = 0.0
        self._spent = 0.0
        self._since: float | None = None
        self._watched = False

    def new_round(self) -> None:
        """Restore the whole reserve; no question is pending."""
        self.hold()
        self._question = None
        self._reserve = float(self._pace.reserve)

    def ask(self, question: int, positions: int) -> None:
        """Start the clock for a new question, or resume it; positions: number shown on the page before the question."""
        if question != self._question:
            self._reserve = max(0.0, self._reserve - self._beyond())
            self._question, self._spent = question, 0.0
            self._decision = self._pace.decision + positions * SHOWING
        self._since = self._now() if self._watched else None

    def hold(self) -> None:
        """Pause until the next `ask`: the question was answered, or the game is being worked on."""
        self._count()
        self._since = None

    def watch(self, watched: bool) -> None:
        """Note whether a page is connected."""
        if watched == self._watched:
            return
        self._count()
        self._watched = watched
        self._since = self._now() if watched and self._question is not None else None

    def left(self) -> TimeLeft | None:
        """Return the time left; None if no question is pending."""
        if self._question is None:
            return None
        self._count()
        return TimeLeft(
            question=self._question,
            decision=max(0.0, self._decision - self._spent),
            reserve=max(0.0, self._reserve - self._beyond()),
            running=self._since is not None,
        )

    def _beyond(self) -> float:
        """Return how much of the reserve the question has used."""
        return max(0.0, self._spent - self._decision) if self._question is not None else 0.0

    def _count(self) -> None:
        if self._since is not None:
            now = self._now()
            self._spent += now - self._since
            self._since = now


class Options(Document):
    """Options that answer questions automatically for the person."""

    no_calls: bool = False
    """Pass on chows, pongs and open kongs of others' discards, unless a win could be claimed as well."""
    win_at_once: bool = False
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
    time: float = 0.0
    """When it was saved, in seconds since 1970; 0 if it was not."""
    state: Literal["playing", "over", "failed"] = "playing"
    """`over`: no further rounds will come."""
    message: str = ""
    """Why it failed."""
    rounds: list[RoundEnd] = []
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
