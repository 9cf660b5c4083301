"""A bot's faults and thinking time."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Self

#: Kinds of fault, as shown in messages.
LATE = "late"
LOST = "gone"
TOO_MUCH = "wrote too much"
UNREADABLE = "unreadable"
ILLEGAL = "illegal"
UNMATCHED = "unmatched"
UNASKED = "unasked"
NO_EXIT = "did not end"


@dataclass
class Verdict:
    """The verdict on one bot, over all its games."""

    games: int = 0
    """Number of finished games."""
    decisions: int = 0
    """Number of questions asked."""
    seconds: float = 0.0
    """Total thinking time, in seconds."""
    slowest: float = 0.0
    """Longest thinking time, in seconds, except for the first answer of a process, which may load a network."""
    faults: Counter[str] = field(default_factory=Counter)
    """The number of its faults of each kind."""
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
