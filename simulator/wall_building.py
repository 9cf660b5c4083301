"""Walls from hands in notation: `build_wall(["123m406p77z"], draws="5s", indicators="1z")`.

All tiles that are not given are shuffled with a random seed, so the same arguments always give the same wall.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from simulator.tiles import TILES, NotationError, parse_tiles
from simulator.wall import DORA_INDICATORS, FIRST_LIVE, LIVE_TILES, REPLACEMENTS, URA_INDICATORS

HAND_TILES = 13
_SEATS = 4
_FOURS = 48  # tiles dealt four at a time; then one each


def _dealt_places(order: int) -> list[int]:
    places = [n for n in range(_FOURS) if n % 16 // 4 == order]
    return [TILES - 1 - n for n in [*places, _FOURS + order]]


#: i8[4, 13]: places in a wall of the tiles dealt to the dealer and to the seats after it, in that order.
DEALT_PLACES = np.array([_dealt_places(order) for order in range(_SEATS)])


def dealt_places(dealer: int, seat: int) -> list[int]:
    """Return the places in a wall of the thirteen tiles dealt to a seat, in the order in which they are dealt."""
    return DEALT_PLACES[(seat - dealer) % _SEATS].tolist()


def build_wall(
    hands: Sequence[str] = (), draws: str = "", *, dealer: int = 0, indicators: str = "", ura: str = "",
    replacements: str = "", last: str = "", seed: int = 0, red_fives: bool = True,
) -> np.ndarray:  # fmt: skip
    """Return a wall u8[136] from which the given tiles are dealt and drawn as specified.

    Args:
        hands: tiles of each seat, up to thirteen; missing tiles are dealt at random. The dealer's hand may have
            fourteen, the last of which is its first draw.
        draws: tiles in the order in which they are drawn from the live wall, by any seat.
        dealer: seat of the dealer of the round that is dealt from the wall.
        indicators: dora indicators, in the order in which they are revealed.
        ura: the ura indicators under them.
        replacements: tiles drawn after kongs.
        last: the last tiles of the live wall if no kong is made, in the order in which they are drawn.
        seed: random seed that shuffles all other tiles.
        red_fives: whether 0 is a red five.

    Raises:
        NotationError: for text that cannot be read, for more tiles than fit, and for more copies of a tile than exist.
    """
    if len(hands) > _SEATS:
        raise NotationError(f"{len(hands)} hands are written; there are {_SEATS} seats")
    live = list(range(FIRST_LIVE, FIRST_LIVE - LIVE_TILES, -1))
    wall = np.zeros(TILES, np.uint8)
    used: list[int] = []
    free = set(range(TILES))

    def lay(text: str, what: str, places: Iterable[int]) -> None:
        tiles = parse_tiles(text, red_fives, used)
        where = [place for place in places if place in free][: len(tiles)]
        if len(where) < len(tiles):
            raise NotationError(f"{what} {text!r}: {len(tiles)} tiles, of which only {len(where)} fit")
        wall[where] = tiles
        used.extend(tiles)
        free.difference_update(where)

    for seat, hand in enumerate(hands):
        places = dealt_places(dealer, seat)
        lay(hand, f"hand of seat {seat}", places + live[:1] if seat == dealer else places)
    lay(draws, "draws", live)
    lay(indicators, "indicators", DORA_INDICATORS.tolist())
    lay(ura, "ura indicators", URA_INDICATORS.tolist())
    lay(replacements, "replacements", REPLACEMENTS.tolist())
    ending = len(parse_tiles(last, red_fives, used))
    lay(last, "last tiles", live[len(live) - ending :])
    rest = sorted(set(range(TILES)) - set(used))
    wall[sorted(free)] = np.random.default_rng(seed).permutation(rest)
    return wall
