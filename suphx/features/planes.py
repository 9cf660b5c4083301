"""Functions shared by all encoders: flags, steps of numbers, and counts of tiles as four nested sets of kinds.

Planes are written and read as int64. Counts of tiles are stored as the sets of kinds of which there are at least one,
two, three and four tiles ("nested sets"). These already are planes, and adding, counting and comparing take a few bit
operations for all 34 kinds at once.
"""

import numpy as np

from simulator.jit import jit
from simulator.scoring.blocks import bit_count
from simulator.tiles import ALL_KINDS, KINDS

_EMPTY = np.int64(0)


@jit
def flag(condition):
    """Return the plane of a yes or no: all ones or all zeros."""
    return np.int64(ALL_KINDS) if condition else np.int64(0)


@jit
def at_least(out, first, steps, value):
    """Write the planes of a number: one flag for each step, set if the number is at least the step."""
    for n in range(len(steps)):
        out[first + n] = flag(value >= steps[n])


@jit
def at_most(out, first, steps, value):
    """Write the planes of a number: one flag for each step, set if the number is at most the step."""
    for n in range(len(steps)):
        out[first + n] = flag(value <= steps[n])


@jit
def write_nested(out, first, sets):
    """Write four nested sets into consecutive planes."""
    out[first], out[first + 1], out[first + 2], out[first + 3] = sets


@jit
def read_nested(out, first):
    """Return four nested sets from consecutive planes."""
    return out[first], out[first + 1], out[first + 2], out[first + 3]


@jit
def add_one(sets, kinds):
    """Return nested sets after adding one tile of each of the given kinds."""
    one, two, three, four = sets
    return one | kinds, two | (one & kinds), three | (two & kinds), four | (three & kinds)


@jit
def merge(a, b):
    """Return the nested sets of the sum of two counts, at most four of a kind."""
    one = a[0] | b[0]
    two = a[1] | b[1] | (a[0] & b[0])
    three = a[2] | b[2] | (a[1] & b[0]) | (a[0] & b[1])
    four = a[3] | b[3] | (a[2] & b[0]) | (a[1] & b[1]) | (a[0] & b[2])
    return one, two, three, four


@jit
def complement(sets):
    """Return the nested sets of the remaining tiles, out of four of each kind."""
    return ALL_KINDS & ~sets[3], ALL_KINDS & ~sets[2], ALL_KINDS & ~sets[1], ALL_KINDS & ~sets[0]


@jit
def nest(counts):
    """Return the nested sets of counts u8[34]."""
    one, two, three, four = _EMPTY, _EMPTY, _EMPTY, _EMPTY
    for kind in range(KINDS):
        count = np.int64(counts[kind])
        one |= ((count + 3) >> 2) << kind
        two |= ((count + 2) >> 2) << kind
        three |= ((count + 1) >> 2) << kind
        four |= (count >> 2) << kind
    return one, two, three, four


@jit
def count_in(sets, kinds):
    """Return the number of tiles of the given kinds in nested sets."""
    upper = bit_count(sets[2] & kinds) + bit_count(sets[3] & kinds)
    return bit_count(sets[0] & kinds) + bit_count(sets[1] & kinds) + upper


@jit
def multiplicity(sets, kind):
    """Return the number of tiles of one kind in nested sets."""
    return (sets[0] >> kind & 1) + (sets[1] >> kind & 1) + (sets[2] >> kind & 1) + (sets[3] >> kind & 1)
