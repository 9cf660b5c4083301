"""The limits on a bot: time, memory, and number of faults."""

from dataclasses import dataclass

from suphx.errors import InputError

MEBIBYTE = 1 << 20
_DAY = 86_400


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
    """Maximum length of a line in bytes; a longer one is not read to its end, and the bot is not asked again in that
    game."""
    unasked: int = 100
    """Maximum number of unsolicited lines in a game; with one more, the bot is not asked again in that game."""

    def __post_init__(self) -> None:
        for name in ("decision", "start", "exit"):
            seconds = getattr(self, name)
            if not 0 < seconds <= _DAY:  # also refuses NaN
                raise InputError(f"a bot's time must be above 0 and at most a day, not {seconds:g} s ({name})")
