"""What a bot did wrong, and how long it thought."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Kinds of fault, and how each is put in words.
LATE = "late"
LOST = "gone"
TOO_MUCH = "wrote too much"
UNREADABLE = "unreadable"
ILLEGAL = "illegal"
UNMATCHED = "unmatched"
UNASKED = "unasked"
NO_EXIT = "did not end"


class Faults:
    """Faults counted by kind, each kind with the words for the first one: bounded, whatever a bot does."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._first: dict[str, str] = {}

    def add(self, kind: str, words: str) -> None:
        """Count a fault."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        self._first.setdefault(kind, words)

    def count(self, kind: str) -> int:
        """Return how many there were of a kind."""
        return self._counts.get(kind, 0)

    @property
    def total(self) -> int:
        """How many there were in all."""
        return sum(self._counts.values())

    def include(self, other: Faults) -> None:
        """Add those of another count."""
        for kind, count in other._counts.items():
            self._counts[kind] = self._counts.get(kind, 0) + count
            self._first.setdefault(kind, other._first[kind])

    def counts(self) -> dict[str, int]:
        """Return how many there were of each kind."""
        return dict(self._counts)

    def words(self) -> list[str]:
        """Return a sentence for each kind."""
        return [
            f"{kind}: {self._first[kind]}" if count == 1 else f"{kind}, {count} times, first: {self._first[kind]}"
            for kind, count in self._counts.items()
        ]


@dataclass
class Verdict:
    """On one bot, over all its games."""

    games: int = 0
    """Games that are over."""
    decisions: int = 0
    """How often it was asked."""
    seconds: float = 0.0
    """How long it thought, in all."""
    slowest: float = 0.0
    """Its longest thought, in seconds; the first answer of a process, which may load a network, left aside."""
    faults: Faults = field(default_factory=Faults)
    """What it did wrong."""
