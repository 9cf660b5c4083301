"""The page about features, generated from the layout (`scripts/reference_pages.py`)."""

from collections.abc import Iterable

from suphx.features import layout
from suphx.features.layout_groups import Group

_HEAD = """# What the networks see

Generated from `suphx/features/layout.py` and `layout_calls.py` by `scripts/reference_pages.py`.

A position is {planes} planes of 34 bits, one for each kind of tile: discard and riichi see these; chow, pong and kong
see {more} more, {calls} in all, which say what is proposed and what the hand is after it. The oracle's {oracle} planes
are apart. Seats are the position's own: self, right (the next in turn), across, left. A plane holds a set of kinds, at
most one kind, or all or none; a number is one all-or-none plane for each step that it reaches, or, among the oracle's,
as many kinds from the first one on. The paper says how many planes there are and what kinds of things they hold, not
which they are: these are ours.

A row is a group of planes: one for each combination of the values of its axes, of which the last varies fastest (for a
seat that gives and one that takes, the same seat twice is left out). `suphx features LOG` shows a position's planes one
by one.

Version of this layout: `{version}`; of the oracle's block: `{oracle_version}`. Weights carry the version that they were
trained on.
"""


def _table(title: str, groups: Iterable[Group], first: int) -> str:
    lines = [f"\n## {title}\n", "| planes | group | plane | axes | meaning | holds |", "|---|---|---|---|---|---|"]
    for group in groups:
        last = first + len(group.planes) - 1
        places = f"{first}" if first == last else f"{first}-{last}"
        axes = "; ".join(f"{axis}: {_values(values)}" for axis, values in group.axes.items())
        row = f"| {places} | `{group.key}` | {group.name} | {axes} | {group.meaning} | {group.range} |"
        lines.append(row.replace(":,}", "}"))  # how a number is written is told by the axis
        first = last + 1
    return "\n".join(lines) + "\n"


def _values(values: tuple) -> str:
    """Return an axis' values as text: numbers that follow each other as a range."""
    if len(values) > 2 and values == tuple(range(1, len(values) + 1)):
        return f"1 to {len(values)}"
    return ", ".join(f"{value:,}" if isinstance(value, int) else str(value) for value in values)


def features_page() -> str:
    """Return the page in Markdown."""
    head = _HEAD.format(
        planes=layout.PLANES, calls=layout.CALL_PLANES, more=layout.CALL_PLANES - layout.PLANES,
        oracle=layout.ORACLE_PLANES, version=layout.VERSION, oracle_version=layout.ORACLE_VERSION,
    )  # fmt: skip
    return (
        head
        + _table("Positions", layout.GROUPS, 0)
        + _table("Proposed calls", layout.CALL_GROUPS, layout.PLANES)
        + _table("The oracle", layout.ORACLE_GROUPS, 0)
    )
