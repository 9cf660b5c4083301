"""The elements of a layout: planes, and groups of planes described by a common template."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np


def steps(*numbers: int) -> np.ndarray:
    """Return steps of a number, i64[n], as a constant for compiled code."""
    return np.array(numbers, np.int64)


SEATS = ("self", "right", "across", "left")
RIVALS = SEATS[1:]
COUNTS = steps(1, 2, 3, 4)

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
    """Consecutive planes that belong together: one for each combination of the axes' values, the last varies fastest.

    Name and meaning are templates for the values. Combinations that have a value twice are left out: a seat calls
    nothing from itself.
    """

    key: str
    range: str
    name: str
    meaning: str
    axes: dict[str, tuple]

    @property
    def block(self) -> str:
        """The part of the layout that the group belongs to."""
        return self.key.partition(".")[0]

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """The planes, in order."""
        combinations = [values for values in product(*self.axes.values()) if len(set(values)) == len(values)]
        words = [dict(zip(self.axes, values, strict=True)) for values in combinations]
        return tuple(Plane(self.block, self.name.format(**w), self.meaning.format(**w), self.range) for w in words)


def group(key: str, range: str, name: str, meaning: str, **axes: Iterable) -> Group:
    """Return a group; axes: the values that name and meaning are filled in with, by name."""
    plain = {axis: values.tolist() if isinstance(values, np.ndarray) else values for axis, values in axes.items()}
    return Group(key, range, name, meaning, {axis: tuple(values) for axis, values in plain.items()})
