"""Tiles: physical ids, kinds, and the written notation.

A *tile* is a physical id 0..135 in Tenhou's numbering, `kind * 4 + copy`. A *kind* is 0..33: 1-9m, 1-9p, 1-9s,
then East, South, West, North, White, Green, Red (`1z`..`7z`). With red fives in play, copy 0 of each five
(tiles 16, 52, 88) is red and written `0m`, `0p`, `0s`. A set of kinds is a 34-bit mask in an int64.
"""

import re
from collections.abc import Iterable

import numpy as np

KINDS = 34
TILES = 136
SUITS = "mpsz"
NO_TILE = 255
EAST, SOUTH, WEST, NORTH, WHITE, GREEN, RED = range(27, 34)
RED_FIVES = (16, 52, 88)
RED_FIVE_KINDS = (4, 13, 22)
WIND_NAMES = ("East", "South", "West", "North")


def _mask(kinds: Iterable[int]) -> int:
    return sum(1 << kind for kind in kinds)


ALL_KINDS = (1 << KINDS) - 1
TERMINALS = _mask((0, 8, 9, 17, 18, 26))
HONORS = _mask(range(27, 34))
TERMINALS_AND_HONORS = TERMINALS | HONORS
WINDS = _mask(range(27, 31))
DRAGONS = _mask(range(31, 34))

#: The kind that an indicator of each kind makes dora: the next one, cyclically within a suit, the winds or the dragons.
DORA_OF = np.array(
    [s * 9 + (n + 1) % 9 for s in range(3) for n in range(9)] + [28, 29, 30, 27, 32, 33, 31], dtype=np.uint8
)


class NotationError(ValueError):
    """Tiles in notation that cannot be read; the message says where and why."""


def kind_name(kind: int) -> str:
    """Return the notation of a kind, `"1m"` to `"7z"`."""
    return f"{kind % 9 + 1}{SUITS[kind // 9]}"


#: The notation of each kind.
KIND_NAMES = tuple(kind_name(kind) for kind in range(KINDS))


def is_red(tile: int, red_fives: bool = True) -> bool:
    """Return whether the physical `tile` is a red five."""
    return red_fives and tile in RED_FIVES


def tile_name(tile: int, red_fives: bool = True) -> str:
    """Return the notation of a physical tile, with 0 for a red five."""
    return f"0{SUITS[tile // 36]}" if is_red(tile, red_fives) else kind_name(tile >> 2)


def format_tiles(tiles: Iterable[int], red_fives: bool = True) -> str:
    """Return physical tiles in notation, sorted, e.g. `"123m406p77z"`."""
    text = ""
    ordered = sorted(tiles, key=lambda tile: (tile >> 2, not is_red(tile, red_fives), tile))
    for suit in range(4):
        digits = "".join(tile_name(tile, red_fives)[0] for tile in ordered if tile // 36 == suit)
        text += digits + SUITS[suit] if digits else ""
    return text


def split_tiles(text: str) -> list[str]:
    """Split the text that `format_tiles` returns into single tiles: `["1m", "2m", "0p"]` for `"12m0p"`."""
    return [digit + suit for digits, suit in re.findall(f"([0-9]+)([{SUITS}])", text) for digit in digits]


def parse_kinds(text: str) -> list[tuple[int, bool]]:
    """Return (kind, is red) for each tile written in `text`; raise NotationError if it cannot be read."""
    parsed: list[tuple[int, bool]] = []
    digits: list[tuple[int, str]] = []
    for place, char in enumerate(text):
        if char in "0123456789":
            digits.append((place, char))
        elif char in SUITS:
            if not digits:
                raise NotationError(f"{text!r}: suit {char!r} at position {place} has no number before it")
            suit = SUITS.index(char)
            for at, digit in digits:
                if suit == 3 and digit not in "1234567":
                    raise NotationError(f"{text!r}: there is no tile {digit}z (position {at}); honors are 1z to 7z")
                parsed.append((suit * 9 + (4 if digit == "0" else int(digit) - 1), digit == "0"))
            digits = []
        elif not char.isspace():
            raise NotationError(f"{text!r}: unexpected {char!r} at position {place}; write hands like 123m406p77z")
    if digits:
        raise NotationError(f"{text!r}: the numbers from position {digits[0][0]} on have no suit (m, p, s or z)")
    return parsed


def parse_tiles(text: str, red_fives: bool = True, used: Iterable[int] = ()) -> list[int]:
    """Return physical tiles for a written hand, in the order of the text, none of them in `used`.

    With `red_fives`, 0 stands for the red copy of a five and 5 for the three others; without, 0 is refused.
    Raises NotationError for unreadable text and for more copies of a tile than exist.
    """
    taken = set(used)
    tiles = []
    for kind, red in parse_kinds(text):
        first = kind * 4
        if red and not red_fives:
            raise NotationError(f"{text!r}: 0{SUITS[kind // 9]} is a red five, and these rules have none")
        choices = [first] if red else [t for t in range(first, first + 4) if not is_red(t, red_fives)]
        free = [tile for tile in choices if tile not in taken]
        if not free:
            hint = "; one of the four fives is red, written 0" if red_fives and kind in RED_FIVE_KINDS else ""
            raise NotationError(f"{text!r}: more {tile_name(choices[-1], red_fives)} than there are{hint}")
        taken.add(free[0])
        tiles.append(free[0])
    return tiles


def parse_counts(text: str) -> np.ndarray:
    """Return the counts u8[34] of a written hand; red fives count as fives.

    Raises NotationError for unreadable text and for more than four tiles of a kind.
    """
    counts = np.zeros(KINDS, np.uint8)
    for kind, _ in parse_kinds(text):
        counts[kind] += 1
        if counts[kind] > 4:
            raise NotationError(f"{text!r}: a fifth {kind_name(kind)}")
    return counts
