"""A bot's faults and thinking time."""

from __future__ import annotations

from dataclasses import dataclass, field

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
        self._counts: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def add(self, kind: str, words: str) -> None:
        """Count a fault."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        self._first.setdefault(kind, words)

    def count(self, kind: str) -> int:
        """Return the number of faults of a kind."""
        return self._counts.get(kind, 0)

    @property
    def total(self) -> int:
        """The total number of faults."""
        return sum(self._counts.values())

    def include(self, other: Faults) -> None:
        """Add the faults of another count."""
        for kind, count in other._counts.items():
            self._counts[kind] = self._counts.get(kind, 0) + count
            self._first.setdefault(kind, other._first[kind])

    def counts(self) -> dict[str, int]:
        """Return the number of faults of each kind."""
        return dict(self._counts)

    def words(self) -> list[str]:
        """Return a message for each kind."""
        return [
            f"{kind}: {self._first[kind]}" if count == 1 else f"{kind}, {count} times, first: {self._first[kind]}"
            for kind, count in self._counts.items()
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

    def include(self, other: Verdict) -> None:
        """Add the verdict on other games."""
        self.games += other.games
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.faults.include(other.faults)
