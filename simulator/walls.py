"""Walls: from a random seed (counter-based), from a Tenhou `SHUFFLE` seed, or from hands in notation.

A wall is u8[136] in Tenhou's layout: hands are dealt from index 135 downwards (4-4-4-1 from the dealer), the live
wall is drawn from 83 down to 14, replacements are at 1, 0, 3, 2, dora indicators at 5, 7, 9, 11, 13 and the ura
indicators under them at 4, 6, 8, 10, 12. Each kong also makes the live wall end one tile earlier.

`build_wall(["123m406p77z"], draws="5s", indicators="1z")` makes a wall from hands in notation. All tiles that are not
given are shuffled with a random seed, so the same arguments always give the same wall.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from simulator.jit import jit
from simulator.tiles import TILES, NotationError, parse_tiles

FIRST_LIVE = 83
DEAD_WALL = 14
LIVE_TILES = FIRST_LIVE + 1 - DEAD_WALL
DORA_INDICATORS = np.array([5, 7, 9, 11, 13], np.uint8)
URA_INDICATORS = np.array([4, 6, 8, 10, 12], np.uint8)
REPLACEMENTS = np.array([1, 0, 3, 2], np.uint8)

HAND_TILES = 13
_SEATS = 4
_FOURS = 48  # tiles dealt four at a time; then one each

SHUFFLE_PREFIX = "mt19937ar-sha512-n288-base64,"
_WORDS_A_ROUND = 288
_SEED_WORDS = 624


@jit
def mix(state):
    """Return SplitMix64's output function of a uint64: a bijection whose outputs behave like independent numbers."""
    z = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def mix2(first, second):
    """Return a uint64 derived from both arguments: from a key and a counter, the key of a counter-based stream."""
    return mix(mix(np.uint64(first)) ^ np.uint64(second))


@jit
def decision_key(seed, game, seat):
    """Return a decision's random number key, which depends only on (seed, game, deal, seat, decision number)."""
    place = np.int64(game["deals"]) << 32 | np.int64(seat) << 16 | np.int64(game["decisions"][seat])
    return mix2(mix2(np.uint64(seed), game["seed"]), place)


@jit
def below(key, counter, n):
    """Return a random integer 0..n-1 from a stream's key and counter (bias below n / 2^32; n at most 2^16)."""
    word = mix2(key, counter) >> np.uint64(32)
    return np.int64((word * np.uint64(n)) >> np.uint64(32))


@jit
def shuffle_wall(seed, round_number, repeat_counter, wall):
    """Shuffle `wall` u8[136] (Fisher-Yates), depending only on a game's seed, the round and the repeat counter."""
    key = mix2(mix2(seed, round_number), repeat_counter)
    for i in range(TILES):
        wall[i] = i
    for i in range(TILES - 1):
        j = i + below(key, i, TILES - i)
        wall[i], wall[j] = wall[j], wall[i]


@jit
def _tenhou_swaps(words, wall):
    for i in range(TILES):
        wall[i] = i
    for i in range(TILES - 1):
        j = i + np.int64(words[i]) % (TILES - i)
        wall[i], wall[j] = wall[j], wall[i]


class TenhouWalls:
    """The walls and dice of one Tenhou game, round after round, from its `SHUFFLE` seed.

    Source: Tenhou's published procedure (MT19937 seeded with 624 words; 288 outputs per round, hashed with SHA-512).
    """

    def __init__(self, seed: str) -> None:
        """Read the seed text of a log; raise ValueError for any other kind or length of seed."""
        if not seed.startswith(SHUFFLE_PREFIX):
            raise ValueError(f"unknown kind of wall seed {seed[:40]!r}; only {SHUFFLE_PREFIX}... is supported")
        try:
            data = base64.b64decode(seed[len(SHUFFLE_PREFIX) :], validate=True)
        except binascii.Error as error:
            raise ValueError(f"the wall seed is not base64: {error}") from error
        if len(data) != 4 * _SEED_WORDS:
            raise ValueError(f"the wall seed has {len(data)} bytes; {4 * _SEED_WORDS} are needed")
        self._generator = np.random.RandomState(np.frombuffer(data, "<u4"))  # MT19937's init_by_array

    def next_round(self) -> tuple[np.ndarray, tuple[int, int]]:
        """Return the wall u8[136] and the two dice (1..6) of the next round."""
        source = self._generator.randint(0, 1 << 32, _WORDS_A_ROUND, np.uint32).astype("<u4").tobytes()
        digests = b"".join(hashlib.sha512(source[at : at + 128]).digest() for at in range(0, len(source), 128))
        words = np.frombuffer(digests, "<u4")
        wall = np.empty(TILES, np.uint8)
        _tenhou_swaps(words, wall)
        return wall, (int(words[135] % 6) + 1, int(words[136] % 6) + 1)


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
