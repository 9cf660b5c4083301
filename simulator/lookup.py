"""Lookup tables for how many tiles a hand lacks for four sets and a pair, derived here and kept in the cache folder.

The tiles of one suit matter to the whole hand only through ten numbers: the fewest tiles missing to make 0..4 sets from
them, without and with a pair. At most 4 copies of a kind may be used, so that a hand never waits for a fifth. There are
only few such vectors; each is a *class*, a small integer. Two groups of tiles together also have a class, found in a
2-D table, so three look-ups turn the classes of the four suits into that of the hand.

A suit's counts are encoded as a *key*, an integer that changes by `KEY_STEP[kind]` with each tile: the first five
kinds in base 5 in the low 12 bits, the other four in base 5 above them. The class of a key is looked up in two steps,
since a single table over all keys would not stay in a processor's cache.
"""

import itertools
import os
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from simulator.jit import cache_folder, source_key
from simulator.tiles import KINDS, TERMINALS_AND_HONORS

SETS = 4  # sets of a whole hand
COPIES = 4  # tiles of a kind
LOW_KINDS = 5  # kinds of a suit in the low part of its key
HIGH_KINDS = 4
LOW_BITS = 12
LOW_MASK = (1 << LOW_BITS) - 1
#: The amount by which one tile of a kind increases its suit's key.
KEY_STEP = np.array(
    [5 ** (k % 9) if k % 9 < LOW_KINDS else 5 ** (k % 9 - LOW_KINDS) << LOW_BITS for k in range(KINDS)], dtype=np.int32
)

# `low` packs the row in `high` and the tally of the low kinds; `high_tally` has the tally of the high kinds. A tally,
# summed over the suits, holds the counts for the two forms that are not made of sets.
ROW_BITS = 10
ROW_MASK = (1 << ROW_BITS) - 1
TALLY_KINDS = 0  # 4 bits: different kinds
TALLY_PAIRS = 4  # 3 bits: kinds held twice or more
TALLY_ORPHANS = 7  # 4 bits: different terminals and honors
TALLY_ORPHAN_PAIRS = 11  # 3 bits: those held twice or more


CLASSES = 180
ROWS = 735
#: All tables in one record: compiled functions take it as a pointer, while arrays would be reference-counted per call.
LOOKUP = np.dtype(
    [
        ("checksum", np.uint32),  # of all the others
        ("low", np.int32, (2, LOW_MASK + 1)),  # suit or honors, low part of the key -> row | tally << ROW_BITS
        ("high", np.uint8, (ROWS, 5**HIGH_KINDS)),  # row, high part of the key -> class
        ("high_tally", np.int16, (2, 5**HIGH_KINDS)),  # suit or honors, high part of the key -> tally
        ("product", np.uint8, (CLASSES, 256)),  # the class of two groups of tiles together
        ("missing", np.int8, (SETS + 1, 256)),  # number of sets, class -> tiles missing for them and a pair
    ],
    align=True,
)
_TABLES = ("low", "high", "high_tally", "product", "missing")


# The tiles of a suit are read kind by kind. The state after a kind: the runs that began with it, the runs that began
# with the kind before, the sets made (runs are counted when they begin), and the pairs made.
_STATES = [
    (new, old, sets, pairs)
    for new, old, sets, pairs in itertools.product(range(5), range(5), range(SETS + 1), range(2))
    if new + old <= sets
]
_IMPOSSIBLE = 99


def _moves(run_may_begin: bool) -> list[tuple[int, int, int]]:
    """Return (state before, state after, tiles of this kind used) for every way to use a kind."""
    place = {state: index for index, state in enumerate(_STATES)}
    moves = []
    for (new, old, sets, pairs), triplet, pair in itertools.product(_STATES, range(2), range(2)):
        for runs in range(5 if run_may_begin else 1):
            used = 3 * triplet + 2 * pair + runs + new + old
            after = (runs, new, sets + triplet + runs, pairs + pair)
            if used <= COPIES and after in place:
                moves.append((place[new, old, sets, pairs], place[after], used))
    return moves


def _suit_automaton(kinds: int, runs: bool) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the minimal automaton over the counts of a suit, and the vectors i1[n, 10] of its final states.

    Level k is an array [states, 5] that maps a state and the count of kind k to a state of the next level; the first
    level has one state.
    """
    fewest = np.full((1, len(_STATES)), _IMPOSSIBLE, np.int8)
    fewest[0, _STATES.index((0, 0, 0, 0))] = 0
    levels = []
    for kind in range(kinds):
        after = np.full((len(fewest), COPIES + 1, len(_STATES)), _IMPOSSIBLE, np.int8)
        for source, target, used in _moves(runs and kind < kinds - 2):
            for count in range(COPIES + 1):
                short = fewest[:, source] + max(0, used - count)
                np.minimum(after[:, count, target], short, out=after[:, count, target])
        np.minimum(after, _IMPOSSIBLE, out=after)
        fewest, inverse = np.unique(after.reshape(-1, len(_STATES)), axis=0, return_inverse=True)
        levels.append(inverse.reshape(-1, COPIES + 1))
    final = [_STATES.index((0, 0, sets, pairs)) for pairs in range(2) for sets in range(SETS + 1)]
    vectors, merged = np.unique(fewest[:, final], axis=0, return_inverse=True)
    merged = merged.ravel()
    for k in reversed(range(kinds)):  # merge states with the same successors
        levels[k], merged = np.unique(merged[levels[k]], axis=0, return_inverse=True)
        merged = merged.ravel()
    return levels, vectors


def _together(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return i1[n, m, 10]: the vectors of every group of `left` combined with every group of `right`."""
    left, right = left.reshape(-1, 1, 2, SETS + 1), right.reshape(1, -1, 2, SETS + 1)
    out = np.full((left.shape[0], right.shape[1], 2, SETS + 1), _IMPOSSIBLE, np.int8)
    for i, j, p, q in itertools.product(range(SETS + 1), range(SETS + 1), range(2), range(2)):
        if i + j <= SETS and p + q < 2:
            np.minimum(out[:, :, p + q, i + j], left[:, :, p, i] + right[:, :, q, j], out=out[:, :, p + q, i + j])
    return out.reshape(left.shape[0], right.shape[1], -1)


def _run_through(levels: list[np.ndarray], start: np.ndarray) -> np.ndarray:
    """Return [starts, 5 ** len(levels)]: the state reached from each start with each key (first kind lowest)."""
    states = start[:, None]
    for level in levels:
        states = np.moveaxis(level[states], 2, 1).reshape(len(start), -1)
    return states


def _tallies(kinds: range) -> np.ndarray:
    """Return the tally of each key over some kinds (first kind lowest)."""
    tally = np.zeros(1, np.int32)
    for kind in kinds:
        orphan = TERMINALS_AND_HONORS >> kind & 1
        held = 1 << TALLY_KINDS | orphan << TALLY_ORPHANS
        twice = held + (1 << TALLY_PAIRS | orphan << TALLY_ORPHAN_PAIRS)
        tally = (tally[None, :] + np.array([0, held, twice, twice, twice], np.int32)[:, None]).ravel()
    return tally


def derive() -> np.void:
    """Derive the tables and return them as a LOOKUP record (takes half a second)."""
    automata = [_suit_automaton(9, runs=True), _suit_automaton(7, runs=False)]
    vectors = np.unique(np.concatenate([vectors for _, vectors in automata]), axis=0)
    count = 0
    while count < len(vectors):  # until combining two groups gives no new vector
        count = len(vectors)
        grown = _together(vectors, vectors).reshape(-1, vectors.shape[1])
        vectors = np.unique(np.concatenate([vectors, grown]), axis=0)
    number = {vector.tobytes(): index for index, vector in enumerate(vectors)}

    lookup = np.zeros(1, LOOKUP)
    tables = lookup[0]
    first_row = 0
    for which, (levels, finals) in enumerate(automata):
        first = 27 * which
        reached = _run_through(levels[:LOW_KINDS], np.zeros(1, np.intp))[0]
        tally = _tallies(range(first, first + LOW_KINDS))
        tables["low"][which, : len(reached)] = first_row + reached | tally << ROW_BITS
        high = _run_through(levels[LOW_KINDS:], np.arange(len(levels[LOW_KINDS])))
        rows = slice(first_row, first_row + len(high))
        tables["high"][rows, : high.shape[1]] = np.array([number[vector.tobytes()] for vector in finals])[high]
        tables["high_tally"][which, : high.shape[1]] = _tallies(range(first + LOW_KINDS, first + len(levels)))
        first_row += len(high)
    for i, products in enumerate(_together(vectors, vectors)):
        tables["product"][i, : len(vectors)] = [number[vector.tobytes()] for vector in products]
    tables["missing"][:, : len(vectors)] = vectors[:, SETS + 1 :].T
    tables["checksum"] = _checksum(tables)
    return tables


def _checksum(tables: np.void) -> int:
    checksum = 0
    for name in _TABLES:
        checksum = zlib.crc32(tables[name].tobytes(), checksum)
    return checksum


def _load(path: Path) -> np.void | None:
    """Return the tables in the file, or None if there is no such file or it is damaged."""
    try:
        lookup = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    if lookup.dtype != LOOKUP or lookup.shape != (1,) or lookup[0]["checksum"] != _checksum(lookup[0]):
        return None
    return lookup.view(LOOKUP)[0]  # a file does not keep the alignment, which is part of the compiled type


@cache
def get_lookup() -> np.void:
    """Return the tables, a LOOKUP record, from the cache folder, or derive and store them there. Do not modify them."""
    path = cache_folder() / f"lookup-{source_key(__name__)}.npy"
    tables = _load(path)
    if tables is None:
        tables = derive()
        temporary = path.with_name(f"{path.stem}-{os.getpid()}.tmp")
        try:
            with open(temporary, "wb") as file:
                np.save(file, tables.reshape(1), allow_pickle=False)
            os.replace(temporary, path)
        except OSError:  # e.g. a full disk, which only costs half a second at the next start
            temporary.unlink(missing_ok=True)
    return tables
