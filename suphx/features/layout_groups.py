"""The elements of a layout: planes, and groups of planes described by a common template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

SEATS = ("self", "right", "across", "left")
RIVALS = SEATS[1:]
COUNTS = (1, 2, 3, 4)

# What a plane may hold.
SET, ONE, FLAG, BAR = "set of kinds", "at most one kind", "all or none", "the first so many kinds"


@dataclass(frozen=True)
class Plane:
    """One plane of 34 bits."""

    block: str
    name: str
    meaning: str
    range: str


@dataclass(frozen=True)
class Group:
    """Consecutive planes that belong together; the last of their axes varies fastest."""

    key: str
    planes: tuple[Plane, ...]


def group(key: str, range: str, name: str, meaning: str, **axes: Iterable) -> Group:
    """Return a group with one plane per combination of the axes' values, which fill in its name and meaning."""
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    block = key.partition(".")[0]
    return Group(key, tuple(Plane(block, name.format(**c), meaning.format(**c), range) for c in combinations))
