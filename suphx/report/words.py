"""Helpers for the report's text: formatted numbers, Markdown tables, and statements about differences."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from suphx.report.parts import Gap, Number

NOTHING = "-"
_LARGE = 100


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table as lines, with an empty line before and after it."""
    lines = [head, ["---"] * len(head), *rows]
    return ["", *(f"| {' | '.join(cells)} |" for cells in lines), ""]


def duration(seconds: float) -> str:
    """Format a duration in minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def with_interval(number: Number, text: Callable[[float | None], str]) -> str:
    """Format a number and its interval; text: formats one value."""
    low, high = number.interval
    return f"{text(number.value)} ({text(low)} to {text(high)})"


def decimals(value: float | None) -> str:
    """Format a number with three decimals, or a large one with none."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if abs(value) < _LARGE else f"{value:,.0f}"


def signed(value: float | None) -> str:
    """Format a difference with its sign."""
    return NOTHING if value is None else f"{value:+.3f}"


def is_clear(gap: Gap) -> bool:
    """Return whether the interval of a difference excludes zero."""
    low, high = gap.interval
    return low is not None and high is not None and (low > 0 or high < 0)


def told(gap: Gap) -> str:
    """Return a sentence on whether a difference of average ranks is significant; lower is better."""
    low, high = gap.interval
    if low is None or high is None:
        return "Too few games were played to say anything about the difference."
    if high < 0:
        return "Self-play made the agent **better**: the interval excludes zero."
    if low > 0:
        return "Self-play made the agent **worse**: the interval excludes zero, on the wrong side."
    return "**The interval includes zero**: these games do not show whether self-play helped or harmed."


def power(gap: Gap) -> str:
    """Return a sentence about the smallest difference that the games could have detected."""
    if gap.smallest_difference is None:
        return ""
    return (
        "The smallest difference of average ranks that a measurement like this one can detect is "
        f"{decimals(gap.smallest_difference)}; there may still be a smaller one."
    )


def picture(folder: Path, path: Path, words: str) -> list[str]:
    """Return a picture as Markdown lines, with its path relative to a folder; no lines if there is none."""
    if not path.exists():
        return []
    return ["", f"![{words}]({path.relative_to(folder).as_posix()})", ""]
