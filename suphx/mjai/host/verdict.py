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


class Faults:
    """Faults counted by kind, with the message of the first of each kind: bounded in size, whatever a bot does."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """The number of faults of each kind."""
        self._first: dict[str, str] = {}

    def add(self, kind: str, words: str) -> None:
        """Count a fault."""
        self.counts[kind] += 1
        self._first.setdefault(kind, words)

    def include(self, other: Self) -> None:
        """Add the faults of another count."""
        self.counts.update(other.counts)
        self._first = other._first | self._first

    def words(self) -> list[str]:
        """Return a message for each kind."""
        return [
            f"{kind}: {self._first[kind]}" if count == 1 else f"{kind}, {count} times, first: {self._first[kind]}"
            for kind, count in self.counts.items()
        ]


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
    faults: Faults = field(default_factory=Faults)
    """Its faults."""

    def include(self, other: Self) -> None:
        """Add the verdict on other games."""
        self.games += other.games
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.faults.include(other.faults)
