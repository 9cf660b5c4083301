"""What a bot may take: time, memory, and how many mistakes."""

from __future__ import annotations

from dataclasses import dataclass

from suphx.errors import InputError

MEBIBYTE = 1 << 20
_DAY = 86_400


@dataclass(frozen=True)
class Limits:
    """Bounds on one bot; times in seconds."""

    decision: float = 5.0
    """For one decision, from the question to the whole answer."""
    start: float = 60.0
    """For the first answer of a process or connection instead, which may have to load a network; with none in that
    time, the bot is not asked again in that game."""
    exit: float = 10.0
    """For a process to end once its input is closed."""
    late: int = 3
    """The so manieth late answer of a game is its last: the bot is not asked again in that game."""
    line: int = MEBIBYTE
    """Bytes of one line; a longer one is not read to its end, and the bot is not asked again in that game."""
    unasked: int = 100
    """Lines in one game that nobody asked for; with one more, the bot is not asked again in that game."""

    def __post_init__(self) -> None:
        for name in ("decision", "start", "exit"):
            seconds = getattr(self, name)
            if not 0 < seconds <= _DAY:  # NaN is neither
                raise InputError(f"a bot's time is above 0 and at most a day, not {seconds:g} s ({name})")
