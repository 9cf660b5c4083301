"""The time limit for a person: a time for each decision, and a reserve for each round."""

from collections.abc import Callable

from pydantic import Field

from suphx.review.document import Document

#: Seconds for which the page shows each intermediate position; they are not counted against the person.
SHOWING = 0.35


class TimeControl(Document):
    """The time limits, in seconds."""

    decision: int = Field(ge=1, le=300)
    reserve: int = Field(ge=0, le=600)
    """Reserve for a round: time used beyond `decision` is taken from it."""


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
