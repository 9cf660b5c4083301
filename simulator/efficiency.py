"""Shanten, waits and accepted tiles for use from Python: for batches of hands, and for hands in notation."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simulator.jit import jit
from simulator.lookup import COPIES, SETS, get_lookup
from simulator.shanten import accepted, accepted_by_discard, shanten, waits
from simulator.tiles import KINDS, kind_name, parse_counts

ANY_TILES, BEFORE_DRAW, AFTER_DRAW = 0, 1, 2  # hands of 3n+1 or 3n+2 tiles, 3n+1, 3n+2
_SIZES = {ANY_TILES: "1, 2, 4, 5, ... 13 or 14", BEFORE_DRAW: "1, 4, 7, 10 or 13", AFTER_DRAW: "2, 5, 8, 11 or 14"}


class Discards(NamedTuple):
    """The result of each possible discard, for n hands. Kinds that a hand does not hold have NO_SHANTEN, 0 and 0."""

    shanten: np.ndarray
    """i1[n, 34]: the shanten after the discard."""
    accepted: np.ndarray
    """i8[n, 34]: mask of the kinds that lower the shanten after the discard."""
    tiles: np.ndarray
    """i4[n, 34]: how many tiles of these kinds remain."""


class Discard(NamedTuple):
    """A discard from a hand in notation."""

    kind: str
    shanten: int
    accepted: dict[str, int]
    """Kinds that lower the shanten after the discard, and how many tiles of each the hand does not hold."""


@jit
def _count_melds(hands, size, melds):
    """Write the number of melds that follows from each hand's size; return the first invalid row, or -1."""
    for row in range(len(hands)):
        tiles, too_many = 0, False
        for kind in range(KINDS):
            tiles += hands[row, kind]
            too_many |= hands[row, kind] > COPIES
        if too_many or tiles > 14 or tiles % 3 == 0 or (size != ANY_TILES and tiles % 3 != size):
            return row
        melds[row] = SETS - tiles // 3
    return -1


@jit
def _shanten_rows(lookup, hands, melds, out):
    for row in range(len(hands)):
        out[row] = shanten(lookup, hands[row], melds[row])


@jit
def _waits_rows(lookup, hands, melds, out):
    for row in range(len(hands)):
        out[row] = waits(lookup, hands[row], melds[row])


@jit
def _accepted_rows(lookup, hands, melds, out):
    for row in range(len(hands)):
        out[row] = accepted(lookup, hands[row], melds[row])


@jit
def _discards_rows(lookup, hands, melds, remaining, masks, counts, numbers):
    for row in range(len(hands)):
        accepted_by_discard(lookup, hands[row], melds[row], remaining[row], masks[row], counts[row], numbers[row])


def _checked(hands: ArrayLike, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the hands as u8[n, 34] and their numbers of melds; raise ValueError if they are not valid."""
    array = np.asarray(hands)
    if array.ndim != 2 or array.shape[1] != KINDS or array.dtype.kind not in "iu":
        raise ValueError(f"hands must be integer counts of shape [n, {KINDS}], not {array.dtype}{list(array.shape)}")
    if array.dtype != np.uint8 and array.size and not 0 <= array.min() <= array.max() <= COPIES:
        raise ValueError(f"hands hold counts of {array.min()} to {array.max()}; there are {COPIES} tiles of a kind")
    counts = np.ascontiguousarray(array, np.uint8)
    melds = np.empty(len(counts), np.int64)
    wrong = _count_melds(counts, size, melds)
    if wrong >= 0:
        row = counts[wrong]
        if row.max() > COPIES:
            raise ValueError(f"hand {wrong} holds {row.max()} {kind_name(int(row.argmax()))}; there are {COPIES}")
        raise ValueError(f"hand {wrong} has {row.sum()} tiles; here it must be {_SIZES[size]}")
    return counts, melds


def _computed(rows: Callable, dtype: type, counts: np.ndarray, melds: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.empty(len(counts), dtype)
    rows(get_lookup(), counts, melds, out)
    return out


def shanten_batch(hands: ArrayLike) -> np.ndarray:
    """Return i1[n]: the shanten of each hand over all forms; -1 is complete, 0 tenpai, 6 the maximum.

    `hands` are counts [n, 34] of any integer dtype (u1 is used without conversion), without the tiles of melds, whose
    number follows from that of the tiles. Raises ValueError for counts that are not hands of 3n+1 or 3n+2 tiles. The
    other batch functions work the same way.
    """
    return _computed(_shanten_rows, np.int8, *_checked(hands, ANY_TILES))


def waits_batch(hands: ArrayLike) -> np.ndarray:
    """Return i8[n]: for each hand of 3n+1 tiles, the mask of kinds that complete it; 0 if it is not tenpai."""
    return _computed(_waits_rows, np.int64, *_checked(hands, BEFORE_DRAW))


def accepted_batch(hands: ArrayLike) -> np.ndarray:
    """Return i8[n]: for each hand of 3n+1 tiles, the mask of kinds that lower its shanten."""
    return _computed(_accepted_rows, np.int64, *_checked(hands, BEFORE_DRAW))


def discards_batch(hands: ArrayLike, remaining: ArrayLike | None = None) -> Discards:
    """Return the shanten and accepted tiles after each discard from each hand of 3n+2 tiles.

    `remaining` [34] or [n, 34] is how many tiles of each kind may still come, 0..4; by default, all not in the hand.
    """
    counts, melds = _checked(hands, AFTER_DRAW)
    left = COPIES - counts if remaining is None else np.asarray(remaining)
    known = left.shape in (counts.shape, (KINDS,)) and left.dtype.kind in "iu"
    if not known or np.any((left < 0) | (left > COPIES)):
        raise ValueError(f"remaining must be numbers 0 to {COPIES} of shape [{KINDS}] or {list(counts.shape)}")
    left = np.array(np.broadcast_to(left, counts.shape), np.uint8, order="C")  # writable, as compiled code knows it
    n = len(counts)
    discards = Discards(np.empty((n, KINDS), np.int8), np.empty((n, KINDS), np.int64), np.empty((n, KINDS), np.int32))
    _discards_rows(get_lookup(), counts, melds, left, discards.accepted, discards.tiles, discards.shanten)
    return discards


def _read(text: str, size: int) -> np.ndarray:
    counts = parse_counts(text)
    tiles = int(counts.sum())
    if tiles > 14 or tiles % 3 == 0 or (size != ANY_TILES and tiles % 3 != size):
        raise ValueError(f"{text!r} has {tiles} tiles; here it must be {_SIZES[size]}, without those of melds")
    return counts[None]


def kinds_of(mask: int) -> list[str]:
    """Return the names of the kinds in a mask, e.g. `["4m", "7m"]`."""
    return [kind_name(kind) for kind in range(KINDS) if mask >> kind & 1]


def _with_copies(mask: int, counts: np.ndarray) -> dict[str, int]:
    return {kind_name(kind): COPIES - int(counts[kind]) for kind in range(KINDS) if mask >> kind & 1}


def shanten_of(text: str) -> int:
    """Return the shanten of a hand in notation (`"123m406p77z"`), given without the tiles of melds.

    Raises NotationError for text that cannot be read, and ValueError for a wrong number of tiles; the functions below
    do the same.
    """
    return int(shanten_batch(_read(text, ANY_TILES))[0])


def waits_of(text: str) -> list[str]:
    """Return the kinds that complete a hand of 3n+1 tiles in notation; none if it is not tenpai."""
    return kinds_of(int(waits_batch(_read(text, BEFORE_DRAW))[0]))


def accepted_of(text: str) -> dict[str, int]:
    """Return the kinds that lower the shanten of a hand of 3n+1 tiles in notation, and how many it does not hold."""
    counts = _read(text, BEFORE_DRAW)
    return _with_copies(int(accepted_batch(counts)[0]), counts[0])


def discards_of(text: str) -> list[Discard]:
    """Return the discards from a hand of 3n+2 tiles in notation, best first: by shanten, then by tiles accepted."""
    counts = _read(text, AFTER_DRAW)
    discards = discards_batch(counts)
    kinds = [int(kind) for kind in np.flatnonzero(counts[0])]
    kinds.sort(key=lambda kind: (discards.shanten[0, kind], -discards.tiles[0, kind], kind))
    return [
        Discard(
            kind_name(kind), int(discards.shanten[0, kind]), _with_copies(int(discards.accepted[0, kind]), counts[0])
        )
        for kind in kinds
    ]
