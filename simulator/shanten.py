"""How far a hand is from complete (shanten), what completes it (waits), and what brings it nearer (accepted tiles).

The number is the exact distance: the fewest tiles to be drawn until the hand can be part of a complete one, less
one, where no more than four tiles of a kind exist. So -1 is complete, 0 is tenpai, and a hand is tenpai exactly
where it has a wait; a hand that only a fifth tile of a kind would complete is not. Complete is four sets and a
pair, seven different pairs, or thirteen orphans; the last two only without called melds.

Compiled functions come first. They take the tables (`get_lookup()`), a hand u8[34] without the tiles of melds,
and the number of melds, closed kongs included; sets of kinds are 34-bit masks in an int64. They do not check what
they are given. The functions at the end are for use from Python: they do, over batches or for written hands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simulator.jit import jit
from simulator.lookup import (
    COPIES,
    KEY_STEP,
    LOW_BITS,
    LOW_KINDS,
    LOW_MASK,
    ROW_BITS,
    ROW_MASK,
    SETS,
    TALLY_KINDS,
    TALLY_ORPHAN_PAIRS,
    TALLY_ORPHANS,
    TALLY_PAIRS,
    get_lookup,
)
from simulator.tiles import ALL_KINDS, KINDS, TERMINALS_AND_HONOURS, kind_name, parse_counts

SUITS = 4
COMPLETE = -1
TENPAI = 0
#: Stands where a kind is not in the hand and so cannot be discarded.
NO_SHANTEN = 127
NO_CLASS = 255


@jit
def suit_key(hand, suit):
    """Return the key of one suit's counts; it changes by KEY_STEP[kind] with each tile of a kind."""
    first = 9 * suit
    low = np.int64(0)
    for k in range(LOW_KINDS - 1, -1, -1):
        low = low * 5 + hand[first + k]
    high = np.int64(0)
    for k in range(8 if suit < 3 else 6, LOW_KINDS - 1, -1):
        high = high * 5 + hand[first + k]
    return low | high << LOW_BITS


@jit
def suit_class(lookup, suit, key):
    """Return the class of one suit (see `simulator.lookup`)."""
    row = lookup["low"][suit // 3, key & LOW_MASK] & ROW_MASK
    return lookup["high"][row, key >> LOW_BITS]


@jit
def _tally(lookup, m, p, s, z):
    """Return the tally of the whole hand from its four keys."""
    low, high = lookup["low"], lookup["high_tally"]
    tally = np.int64(low[0, m & LOW_MASK] >> ROW_BITS) + high[0, m >> LOW_BITS]
    tally += np.int64(low[0, p & LOW_MASK] >> ROW_BITS) + high[0, p >> LOW_BITS]
    tally += np.int64(low[0, s & LOW_MASK] >> ROW_BITS) + high[0, s >> LOW_BITS]
    return tally + (low[1, z & LOW_MASK] >> ROW_BITS) + high[1, z >> LOW_BITS]


@jit
def _pairs_missing(tally):
    """Return the tiles missing for seven different pairs."""
    return 7 - (tally >> TALLY_PAIRS & 7) + max(0, 7 - (tally >> TALLY_KINDS & 15))


@jit
def _orphans_missing(tally):
    """Return the tiles missing for thirteen orphans: one of each terminal and honour, and one more of them."""
    return 14 - (tally >> TALLY_ORPHANS & 15) - min(1, tally >> TALLY_ORPHAN_PAIRS)


@jit
def _missing(lookup, m, p, s, z, n_melds):
    """Return the tiles missing for a complete hand of any form, from the keys of the suits."""
    product = lookup["product"]
    left = product[suit_class(lookup, 0, m), suit_class(lookup, 0, p)]
    right = product[suit_class(lookup, 0, s), suit_class(lookup, 3, z)]
    missing = np.int64(lookup["missing"][SETS - n_melds, product[left, right]])
    if n_melds == 0:
        tally = _tally(lookup, m, p, s, z)
        missing = min(missing, _pairs_missing(tally), _orphans_missing(tally))
    return missing


@jit
def shanten_of_keys(lookup, keys, n_melds):
    """Return the shanten of the hand with these four suit keys, all forms; -1 is complete."""
    return _missing(lookup, np.int64(keys[0]), np.int64(keys[1]), np.int64(keys[2]), np.int64(keys[3]), n_melds) - 1


@jit
def shanten(lookup, hand, n_melds):
    """Return the shanten of a hand of 3n+1 or 3n+2 tiles, all forms; -1 is complete."""
    return _missing(lookup, suit_key(hand, 0), suit_key(hand, 1), suit_key(hand, 2), suit_key(hand, 3), n_melds) - 1


@jit
def is_complete(lookup, hand, n_melds):
    """Return whether a hand of 3n+2 tiles is complete in any form."""
    return shanten(lookup, hand, n_melds) == COMPLETE


@jit
def _held_masks(hand):
    """Return the masks of the kinds held once or more, and twice or more."""
    held = np.int64(0)
    twice = np.int64(0)
    for kind in range(KINDS):
        held |= np.int64(hand[kind] > 0) << kind
        twice |= np.int64(hand[kind] > 1) << kind
    return held, twice


@jit
def _special_accepted(tally, held, twice):
    """Return the tiles missing for the nearer of seven pairs and thirteen orphans, and the kinds that lower that."""
    pairs, orphans = _pairs_missing(tally), _orphans_missing(tally)
    accepted = np.int64(0)
    if pairs <= orphans:
        short_of_kinds = (tally >> TALLY_KINDS & 15) < 7
        accepted |= ALL_KINDS & ~twice if short_of_kinds else held & ~twice
    if orphans <= pairs:
        has_pair = tally >> TALLY_ORPHAN_PAIRS > 0
        accepted |= TERMINALS_AND_HONOURS & ~held if has_pair else np.int64(TERMINALS_AND_HONOURS)
    return min(pairs, orphans), accepted


@jit
def _fill_suits(lookup, hand, keys, classes):
    """Write the four keys and classes of a hand."""
    for suit in range(SUITS):
        keys[suit] = suit_key(hand, suit)
        classes[suit] = suit_class(lookup, suit, keys[suit])


@jit
def _others(lookup, classes, suit):
    """Return the class of the three other suits."""
    product = lookup["product"]
    return product[product[classes[suit ^ 1], classes[suit ^ 2]], classes[suit ^ 3]]


@jit
def accepted(lookup, hand, n_melds):
    """Return the mask of kinds that lower the shanten of a hand of 3n+1 tiles."""
    sets = SETS - n_melds
    keys, classes = np.empty(SUITS, np.int64), np.empty(SUITS, np.uint8)
    _fill_suits(lookup, hand, keys, classes)
    special, special_mask = np.int64(NO_SHANTEN), np.int64(0)
    if n_melds == 0:
        held, twice = _held_masks(hand)
        special, special_mask = _special_accepted(_tally(lookup, keys[0], keys[1], keys[2], keys[3]), held, twice)
    normal = np.int64(lookup["missing"][sets, lookup["product"][_others(lookup, classes, 0), classes[0]]])
    mask = special_mask if special <= normal else np.int64(0)
    if normal <= special:
        for suit in range(SUITS):
            others = _others(lookup, classes, suit)
            for kind in range(9 * suit, min(9 * suit + 9, KINDS)):
                if hand[kind] < COPIES:
                    drawn = suit_class(lookup, suit, keys[suit] + KEY_STEP[kind])
                    mask |= np.int64(lookup["missing"][sets, lookup["product"][others, drawn]] < normal) << kind
    return mask


@jit
def waits(lookup, hand, n_melds):
    """Return the mask of kinds that complete a hand of 3n+1 tiles; 0 if it is not tenpai."""
    if shanten(lookup, hand, n_melds) != TENPAI:
        return np.int64(0)
    return accepted(lookup, hand, n_melds)


@jit
def _search_tenpai_discards(lookup, hand, n_melds):
    keys = np.empty(SUITS, np.int64)
    for suit in range(SUITS):
        keys[suit] = suit_key(hand, suit)
    mask = np.int64(0)
    for kind in range(KINDS):
        if hand[kind] > 0:
            keys[kind // 9] -= KEY_STEP[kind]
            mask |= np.int64(shanten_of_keys(lookup, keys, n_melds) == TENPAI) << kind
            keys[kind // 9] += KEY_STEP[kind]
    return mask


@jit
def tenpai_discards_of_keys(lookup, hand, keys, n_melds):
    """Return the mask of kinds whose discard leaves a hand of 3n+2 tiles, with these suit keys, tenpai."""
    if shanten_of_keys(lookup, keys, n_melds) > TENPAI:
        return np.int64(0)
    return _search_tenpai_discards(lookup, hand, n_melds)


@jit
def tenpai_discards(lookup, hand, n_melds):
    """Return the mask of kinds whose discard leaves a hand of 3n+2 tiles tenpai; 0 at once where none can."""
    if shanten(lookup, hand, n_melds) > TENPAI:
        return np.int64(0)
    return _search_tenpai_discards(lookup, hand, n_melds)


@jit
def _accepted_elsewhere(lookup, classes, drawn, suit, after, sets, normal):
    """Return the kinds outside of `suit`, whose class is now `after`, that leave less than `normal` tiles missing."""
    product, missing = lookup["product"], lookup["missing"]
    mask = np.int64(0)
    for turned in range(1, SUITS):
        other, third, fourth = suit ^ turned, suit ^ (turned % 3 + 1), suit ^ ((turned + 1) % 3 + 1)
        around = product[product[classes[third], classes[fourth]], after]
        for kind in range(9 * other, min(9 * other + 9, KINDS)):
            mask |= np.int64(missing[sets, product[around, drawn[kind]]] < normal) << kind
    return mask


@jit
def _special_after_discard(tally, held, twice, kind, count):
    """Return `_special_accepted` after the discard of a kind of which the hand holds `count`."""
    bit = np.int64(1) << kind
    orphan = TERMINALS_AND_HONOURS >> kind & 1
    if count == 1:
        tally -= 1 << TALLY_KINDS | orphan << TALLY_ORPHANS
        held &= ~bit
    elif count == 2:
        tally -= 1 << TALLY_PAIRS | orphan << TALLY_ORPHAN_PAIRS
        twice &= ~bit
    return _special_accepted(tally, held, twice)


@jit
def accepted_by_discard(lookup, hand, n_melds, remaining, out_mask, out_count, out_shanten):
    """Write what every discard from a hand of 3n+2 tiles leaves.

    `remaining` u8[34] is how many tiles of each kind may still come. For each kind: `out_shanten` i1[34] the shanten
    after its discard, `out_mask` i8[34] the kinds that lower it then, `out_count` i4[34] how many tiles these are.
    A kind that is not in the hand gets NO_SHANTEN, no kinds and 0.
    """
    sets = SETS - n_melds
    product, missing = lookup["product"], lookup["missing"]
    keys, classes = np.empty(SUITS, np.int64), np.empty(SUITS, np.uint8)
    _fill_suits(lookup, hand, keys, classes)
    drawn = np.empty(KINDS, np.uint8)  # class of a kind's suit after drawing it; there is no fifth to draw
    for kind in range(KINDS):
        step = KEY_STEP[kind] if hand[kind] < COPIES else 0
        drawn[kind] = suit_class(lookup, kind // 9, keys[kind // 9] + step)
    tally = _tally(lookup, keys[0], keys[1], keys[2], keys[3])
    held, twice = _held_masks(hand)
    normal_now = missing[sets, product[_others(lookup, classes, 0), classes[0]]]
    special_now = min(_pairs_missing(tally), _orphans_missing(tally))
    special_matters = n_melds == 0 and special_now <= normal_now + 1  # a discard takes one tile from either

    known = np.empty(KINDS, np.uint8)  # class of a kind's suit after discarding it, if `elsewhere` is found for it
    elsewhere = np.empty(KINDS, np.int64)
    for suit in range(SUITS):
        first, last = 9 * suit, min(9 * suit + 9, KINDS)
        rest = _others(lookup, classes, suit)
        for kind in range(first, last):
            out_mask[kind], out_count[kind], out_shanten[kind] = 0, 0, NO_SHANTEN
            known[kind] = NO_CLASS
            if hand[kind] == 0:
                continue
            key = keys[suit] - KEY_STEP[kind]
            after = suit_class(lookup, suit, key)
            normal = np.int64(missing[sets, product[rest, after]])
            special, mask = np.int64(NO_SHANTEN), np.int64(0)
            if special_matters:
                special, mask = _special_after_discard(tally, held, twice, kind, hand[kind])
            if special > normal:
                mask = np.int64(0)
            if normal <= special:
                same = first  # what the other suits accept depends on the class alone
                while same < kind and known[same] != after:
                    same += 1
                if same == kind:
                    known[kind] = after
                    elsewhere[kind] = _accepted_elsewhere(lookup, classes, drawn, suit, after, sets, normal)
                else:
                    elsewhere[kind] = elsewhere[same]
                mask |= elsewhere[kind]
                for draw in range(first, last):
                    if hand[draw] < COPIES or draw == kind:
                        redrawn = suit_class(lookup, suit, key + KEY_STEP[draw])
                        mask |= np.int64(missing[sets, product[rest, redrawn]] < normal) << draw
            count = 0
            for draw in range(KINDS):
                count += (mask >> draw & 1) * remaining[draw]
            out_mask[kind], out_count[kind], out_shanten[kind] = mask, count, min(normal, special) - 1


# For use from Python.

ANY_TILES, BEFORE_DRAW, AFTER_DRAW = 0, 1, 2  # hands of 3n+1 or 3n+2 tiles, 3n+1, 3n+2
_SIZES = {ANY_TILES: "1, 2, 4, 5, ... 13 or 14", BEFORE_DRAW: "1, 4, 7, 10 or 13", AFTER_DRAW: "2, 5, 8, 11 or 14"}


class Discards(NamedTuple):
    """What each discard leaves, for n hands. Kinds that a hand does not hold have NO_SHANTEN, 0 and 0."""

    shanten: np.ndarray
    """i1[n, 34]: the shanten after it."""
    accepted: np.ndarray
    """i8[n, 34]: mask of the kinds that lower it then."""
    tiles: np.ndarray
    """i4[n, 34]: how many such tiles remain."""


class Discard(NamedTuple):
    """A discard from a written hand."""

    kind: str
    shanten: int
    accepted: dict[str, int]
    """Kinds that lower the shanten then, and how many tiles of each the hand does not hold."""


@jit
def _count_melds(hands, size, melds):
    """Write the number of melds that each hand's size tells; return the first row that is no hand, or -1."""
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
def _tenpai_discards_rows(lookup, hands, melds, out):
    for row in range(len(hands)):
        out[row] = tenpai_discards(lookup, hands[row], melds[row])


@jit
def _discards_rows(lookup, hands, melds, remaining, masks, counts, numbers):
    for row in range(len(hands)):
        accepted_by_discard(lookup, hands[row], melds[row], remaining[row], masks[row], counts[row], numbers[row])


def _checked(hands: ArrayLike, n_melds: ArrayLike | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the hands as u8[n, 34], and their numbers of melds."""
    given = np.asarray(hands)
    if given.ndim != 2 or given.shape[1] != KINDS or given.dtype.kind not in "iu":
        raise ValueError(f"hands must be integer counts of shape [n, {KINDS}], not {given.dtype}{list(given.shape)}")
    if given.dtype != np.uint8 and given.size and not 0 <= given.min() <= given.max() <= COPIES:
        raise ValueError(f"hands hold counts of {given.min()} to {given.max()}; there are {COPIES} tiles of a kind")
    counts = np.ascontiguousarray(given, np.uint8)
    melds = np.empty(len(counts), np.int64)
    wrong = _count_melds(counts, size, melds)
    if wrong >= 0:
        row = counts[wrong]
        if row.max() > COPIES:
            raise ValueError(f"hand {wrong} holds {row.max()} {kind_name(int(row.argmax()))}; there are {COPIES}")
        raise ValueError(f"hand {wrong} has {row.sum()} tiles; here it must be {_SIZES[size]}")
    if n_melds is not None:
        differs = np.flatnonzero(np.broadcast_to(n_melds, melds.shape) != melds)
        if len(differs):
            row = differs[0]
            raise ValueError(
                f"hand {row} has {counts[row].sum()} tiles, which goes with {melds[row]} melds, "
                f"not {np.broadcast_to(n_melds, melds.shape)[row]}"
            )
    return counts, melds


def shanten_batch(hands: ArrayLike, n_melds: ArrayLike | None = None) -> np.ndarray:
    """Return i1[n]: the shanten of each hand, all forms; -1 is complete, 0 tenpai, 6 the most.

    `hands` are counts [n, 34] of any integer dtype (u1 is taken as it is) without the tiles of melds. The number of
    melds follows from the number of tiles; `n_melds`, a number or one per hand, is only checked against it.
    Raises ValueError for counts that are no hands of 3n+1 or 3n+2 tiles. The other batch functions are alike.
    """
    counts, melds = _checked(hands, n_melds, ANY_TILES)
    out = np.empty(len(counts), np.int8)
    _shanten_rows(get_lookup(), counts, melds, out)
    return out


def waits_batch(hands: ArrayLike, n_melds: ArrayLike | None = None) -> np.ndarray:
    """Return i8[n]: for each hand of 3n+1 tiles, the mask of kinds that complete it; 0 if it is not tenpai."""
    counts, melds = _checked(hands, n_melds, BEFORE_DRAW)
    out = np.empty(len(counts), np.int64)
    _waits_rows(get_lookup(), counts, melds, out)
    return out


def accepted_batch(hands: ArrayLike, n_melds: ArrayLike | None = None) -> np.ndarray:
    """Return i8[n]: for each hand of 3n+1 tiles, the mask of kinds that lower its shanten."""
    counts, melds = _checked(hands, n_melds, BEFORE_DRAW)
    out = np.empty(len(counts), np.int64)
    _accepted_rows(get_lookup(), counts, melds, out)
    return out


def tenpai_discards_batch(hands: ArrayLike, n_melds: ArrayLike | None = None) -> np.ndarray:
    """Return i8[n]: for each hand of 3n+2 tiles, the mask of kinds whose discard leaves it tenpai."""
    counts, melds = _checked(hands, n_melds, AFTER_DRAW)
    out = np.empty(len(counts), np.int64)
    _tenpai_discards_rows(get_lookup(), counts, melds, out)
    return out


def discards_batch(hands: ArrayLike, n_melds: ArrayLike | None = None, remaining: ArrayLike | None = None) -> Discards:
    """Return what each discard from each hand of 3n+2 tiles leaves.

    `remaining` [34] or [n, 34] is how many tiles of each kind may still come, 0..4; without it, those not in the hand.
    """
    counts, melds = _checked(hands, n_melds, AFTER_DRAW)
    left = COPIES - counts if remaining is None else np.asarray(remaining)
    known = left.shape in (counts.shape, (KINDS,)) and left.dtype.kind in "iu"
    if not known or np.any((left < 0) | (left > COPIES)):
        raise ValueError(f"remaining must be numbers 0 to {COPIES} of shape [{KINDS}] or {list(counts.shape)}")
    left = np.ascontiguousarray(np.broadcast_to(left, counts.shape), np.uint8)
    n = len(counts)
    found = Discards(np.empty((n, KINDS), np.int8), np.empty((n, KINDS), np.int64), np.empty((n, KINDS), np.int32))
    _discards_rows(get_lookup(), counts, melds, left, found.accepted, found.tiles, found.shanten)
    return found


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
    """Return the shanten of a written hand (`"123m406p77z"`), without the tiles of melds.

    Raises NotationError for what cannot be read, ValueError for a number of tiles that is no hand; so do the others.
    """
    return int(shanten_batch(_read(text, ANY_TILES))[0])


def waits_of(text: str) -> list[str]:
    """Return the kinds that complete a written hand of 3n+1 tiles; none if it is not tenpai."""
    return kinds_of(int(waits_batch(_read(text, BEFORE_DRAW))[0]))


def accepted_of(text: str) -> dict[str, int]:
    """Return the kinds that lower the shanten of a written hand of 3n+1 tiles, and how many it does not hold."""
    counts = _read(text, BEFORE_DRAW)
    return _with_copies(int(accepted_batch(counts)[0]), counts[0])


def discards_of(text: str) -> list[Discard]:
    """Return the discards from a written hand of 3n+2 tiles, best first: by shanten, then by tiles accepted."""
    counts = _read(text, AFTER_DRAW)
    found = discards_batch(counts)
    kinds = [int(kind) for kind in np.flatnonzero(counts[0])]
    kinds.sort(key=lambda kind: (found.shanten[0, kind], -found.tiles[0, kind], kind))
    return [
        Discard(kind_name(kind), int(found.shanten[0, kind]), _with_copies(int(found.accepted[0, kind]), counts[0]))
        for kind in kinds
    ]
