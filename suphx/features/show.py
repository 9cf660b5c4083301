"""Display a position's planes in readable form: block by block, the names of the planes and the kinds that are set."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from simulator.tiles import KINDS, SUITS
from suphx.features.layout_groups import BAR, FLAG, Plane


def kinds_of(mask: int) -> str:
    """Return a set of kinds in tile notation, each kind once: `"123m7z"`."""
    text = ""
    for suit, letter in enumerate(SUITS):
        numbers = [str(n + 1) for n in range(9) if 9 * suit + n < KINDS and mask >> (9 * suit + n) & 1]
        text += "".join(numbers) + letter if numbers else ""
    return text


def planes_as_values(layout: Sequence[Plane], planes: np.ndarray) -> list[dict[str, Any]]:
    """Return every non-empty plane's index, block, name and value: `True` for a flag, kinds, or a bar's number."""
    values = []
    for place, (plane, mask) in enumerate(zip(layout, planes.tolist(), strict=True)):
        if mask:
            value: Any = True if plane.range == FLAG else mask.bit_length() if plane.range == BAR else kinds_of(mask)
            values.append({"plane": place, "block": plane.block, "name": plane.name, "value": value})
    return values


def show_planes(layout: Sequence[Plane], planes: np.ndarray) -> Iterator[str]:
    """Yield a position's non-empty planes as lines of text, block by block."""
    block = ""
    for each in planes_as_values(layout, planes):
        if each["block"] != block:
            block = each["block"]
            yield f"{block}:"
        yield f"  {each['plane']:4} {each['name']}" + ("" if each["value"] is True else f": {each['value']}")
