"""The limits on a bot, on its time, memory and number of faults, and the verdict on it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Self

from suphx.errors import InputError

MEBIBYTE = 1 << 20
_DAY = 86_400

#: Kinds of fault, as shown in messages.
LATE, LOST, TOO_MUCH, NO_EXIT = "late", "gone", "wrote too much", "did not end"
UNREADABLE, ILLEGAL, UNMATCHED, UNASKED = "unreadable", "illegal", "unmatched", "unasked"


@dataclass(frozen=True)
class Limits:
    """Limits on one bot; times in seconds."""

    decision: float = 5.0
    """Time for one decision, from the question to the complete answer."""
    start: float = 60.0
    """Time for the first answer of a process or connection instead, since it may have to load a network; without an
    answer in that time, the bot is not asked again in that game."""
    exit: float = 10.0
    """Time for a process to exit once its input is closed."""
    late: int = 3
    """Number of late answers in a game after which the bot is not asked again in that game."""
    line: int = MEBIBYTE
    """Maximum length of a line in bytes; with a longer one, the bot is not asked again in that game."""
    unasked: int = 100
    """Maximum number of unsolicited lines in a game; with one more, the bot is not asked again in that game."""

    def __post_init__(self) -> None:
        for name in ("decision", "start", "exit"):
            seconds = getattr(self, name)
            if not 0 < seconds <= _DAY:  # also refuses NaN
                raise InputError(f"a bot's time must be above 0 and at most a day, not {seconds:g} s ({name})")


@dataclass
class Verdict:
    """The verdict on one bot, over all its games."""

    games: int = 0
    decisions: int = 0
    """Number of questions asked."""
    seconds: float = 0.0
    """Total thinking time, in seconds."""
    slowest: float = 0.0
    """Longest thinking time, in seconds, except for the first answer of a process, which may load a network."""
    faults: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    """The message of the first fault of each kind; more are not kept, whatever a bot does."""

    def add_fault(self, kind: str, words: str) -> None:
        """Count a fault."""
        self.faults[kind] += 1
        self.first.setdefault(kind, words)

    def fault_words(self) -> list[str]:
        """Return a message for each kind of fault."""
        return [
            f"{kind}: {self.first[kind]}" if count == 1 else f"{kind}, {count} times, first: {self.first[kind]}"
            for kind, count in self.faults.items()
        ]

    def include(self, other: Self) -> None:
        """Add the verdict on other games."""
        self.games += other.games
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.faults.update(other.faults)
        self.first = other.first | self.first
