"""The time that a person has: so much for each decision, and a reserve for each round."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

#: Seconds that the page takes to show a position before the next one; they are not counted.
SHOWING = 0.35


class Pace(BaseModel):
    """How much time there is, in seconds."""

    model_config = ConfigDict(frozen=True)

    decision: int = Field(ge=1, le=300)
    reserve: int = Field(ge=0, le=600)
    """Of a round: what is used beyond `decision` is taken from it."""


class TimeLeft(BaseModel):
    """What is left for a question, in seconds."""

    question: int
    decision: float
    reserve: float
    running: bool
    """It stands still while no page is connected."""


class Clock:
    """Runs while a question is asked and somebody looks; at first nobody does."""

    def __init__(self, pace: Pace, now: Callable[[], float]) -> None:
        """now: seconds."""
        self._pace, self._now = pace, now
        self._reserve = float(pace.reserve)
        self._question: int | None = None
        self._decision = 0.0
        self._spent = 0.0
        self._since: float | None = None
        self._watched = False

    def new_round(self) -> None:
        """Give the whole reserve again; nothing is asked."""
        self.hold()
        self._question = None
        self._reserve = float(self._pace.reserve)

    def ask(self, question: int, positions: int) -> None:
        """Begin to count for a question that comes after so many positions to be shown, or go on with it."""
        if question != self._question:
            self._reserve = max(0.0, self._reserve - self._beyond())
            self._question, self._spent = question, 0.0
            self._decision = self._pace.decision + positions * SHOWING
        self._since = self._now() if self._watched else None

    def hold(self) -> None:
        """Stand still until the next `ask`: the question is answered, or something is being done."""
        self._count()
        self._since = None

    def watch(self, watched: bool) -> None:
        """Hear whether a page is connected."""
        if watched == self._watched:
            return
        self._count()
        self._watched = watched
        self._since = self._now() if watched and self._question is not None else None

    def left(self) -> TimeLeft | None:
        """Return what is left; None where nothing is asked."""
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
        """Return how much of the reserve the question has taken."""
        return max(0.0, self._spent - self._decision) if self._question is not None else 0.0

    def _count(self) -> None:
        if self._since is not None:
            now = self._now()
            self._spent += now - self._since
            self._since = now
