"""What every pair of cards wins against an opponent's range, for many ranges at once: at showdowns and at folds.

On a river the pairs lie in the order of their strength, so that a showdown is one pass over them: a pair beats what
came before its own group of equals, less those that share a card with it. The passes of sixteen ranges run side by
side, one vector for each pair; this needs them pair by pair, but they are stored range by range, so they are transposed
in tiles on the way in and out. Numba cannot know that two rows of an array do not overlap and would go number by
number, so these three steps are written for LLVM.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from simulator.jit import jit
from suphx.equilibrium.poker.cards import CARDS

#: Ranges that are processed side by side: one 512-bit vector of float32. Rows of ranges are padded to a multiple.
LANES = 16
_VECTOR = ir.VectorType(ir.FloatType(), LANES)


def _place(context, builder, signature, values, array, *offsets):
    """Return a pointer to the vector at the sum of some offsets in an array; all are numbers of arguments."""
    place = context.make_array(signature.args[array])(context, builder, values[array]).data
    for offset, scale in offsets:
        wide = context.cast(builder, values[offset], signature.args[offset], types.intp)
        place = builder.gep(place, [builder.mul(wide, ir.Constant(wide.type, scale))])
    return builder.bitcast(place, _VECTOR.as_pointer())


def _load(builder, place):
    loaded = builder.load(place)
    loaded.align = 4
    return loaded


def _store(builder, vector, place):
    builder.store(vector, place).align = 4


@intrinsic
def _add(typing, sums, every, block, i, one, other):
    """Add row i of block to three rows of sums: of all pairs, and of the pair's two cards."""

    def code(context, builder, signature, values):
        held = _load(builder, _place(context, builder, signature, values, 2, (3, LANES)))
        for row in (1, 4, 5):
            place = _place(context, builder, signature, values, 0, (row, LANES))
            _store(builder, builder.fadd(_load(builder, place), held), place)
        return context.get_dummy_value()

    return types.void(sums, every, block, i, one, other), code


@intrinsic
def _meet(typing, sums, every, out, i, one, other):
    """Add to row i of out what a pair meets of all that was added so far: all but those with one of its cards."""

    def code(context, builder, signature, values):
        every, one, other = (
            _load(builder, _place(context, builder, signature, values, 0, (row, LANES))) for row in (1, 4, 5)
        )
        place = _place(context, builder, signature, values, 2, (3, LANES))
        met = builder.fsub(builder.fsub(every, one), other)
        _store(builder, builder.fadd(_load(builder, place), met), place)
        return context.get_dummy_value()

    return types.void(sums, every, out, i, one, other), code


@intrinsic
def _turn_tile(typing, target, target_rows, target_at, source, source_rows, source_at):
    """Transpose 16 x 16 numbers; rows: i64[16], where each row of the tile begins, to which `at` is added."""

    def code(context, builder, signature, values):
        def row(array, starts, at, k):
            data = context.make_array(signature.args[starts])(context, builder, values[starts]).data
            start = builder.load(builder.gep(data, [ir.Constant(ir.IntType(64), k)]))
            place = context.make_array(signature.args[array])(context, builder, values[array]).data
            wide = context.cast(builder, values[at], signature.args[at], types.intp)
            return builder.bitcast(builder.gep(place, [builder.add(start, wide)]), _VECTOR.as_pointer())

        tile = [_load(builder, row(3, 4, 5, k)) for k in range(LANES)]
        for bit in (8, 4, 2, 1):  # exchange the two off-diagonal quarters of ever smaller squares
            upper = [lane if not lane & bit else lane - bit + LANES for lane in range(LANES)]
            lower = [lane + bit if not lane & bit else lane + LANES for lane in range(LANES)]
            for k in range(LANES):
                if not k & bit:
                    pair = tile[k], tile[k + bit]
                    for to, lanes in ((k, upper), (k + bit, lower)):
                        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes)
                        tile[to] = builder.shuffle_vector(*pair, mask)
        for k in range(LANES):
            _store(builder, tile[k], row(0, 1, 2, k))
        return context.get_dummy_value()

    return types.void(target, target_rows, target_at, source, source_rows, source_at), code


@jit
def _turn_in(reach, rows, start, starts, steps, block):
    """Copy LANES rows of reach f32[:, n] (the last again if there are less) to block f32[n, LANES]."""
    width = reach.shape[1]
    for k in range(LANES):
        starts[k] = rows[min(start + k, len(rows) - 1)] * width
        steps[k] = LANES * k
    for i in range(0, width, LANES):
        _turn_tile(block, steps, LANES * i, reach, starts, i)


@jit
def _turn_out(block, targets, start, starts, steps, out):
    width = out.shape[1]
    for k in range(LANES):
        starts[k] = targets[min(start + k, len(targets) - 1)] * width
    for i in range(0, width, LANES):
        _turn_tile(out, starts, i, block, steps, LANES * i)


@jit
def showdowns(reach, rows, one, other, group_end, block, met, out, targets):
    """Write to out[target] each pair's weight of beaten less its weight of better pairs in reach[row].

    reach, out: f32[:, n], over the pairs of a river in the order of strength, padded by zeros to a multiple of LANES.
    rows, targets: i32[k], which rows of reach, and where in out. one, other: i[pairs], the cards of the pairs.
    group_end: i[pairs], for the first pair of each group of equals the one after it. block, met: f32[n, LANES],
    scratch.
    """
    pairs = len(one)
    sums = np.empty((CARDS + 1, LANES), np.float32)  # by card, and of all in the last row
    starts, steps = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for start in range(0, len(rows), LANES):
        _turn_in(reach, rows, start, starts, steps, block)
        sums[:] = 0
        met[:] = 0
        first = 0
        while first < pairs:
            last = group_end[first]
            for i in range(first, last):
                _meet(sums, CARDS, met, i, one[i], other[i])
            for i in range(first, last):
                _add(sums, CARDS, block, i, one[i], other[i])
            for i in range(first, last):
                _meet(sums, CARDS, met, i, one[i], other[i])
            first = last
        # beaten + (beaten and equal) - all = beaten - better; a pair's meeting itself cancels
        sums[:] = -sums
        for i in range(pairs):
            _meet(sums, CARDS, met, i, one[i], other[i])
        _turn_out(met, targets, start, starts, steps, out)


@jit
def folds(reach, rows, one, other, block, met, out, targets):
    """Write to out[target] the weight of all pairs in reach[row] that each pair can meet; arguments as `showdowns`."""
    pairs = len(one)
    sums = np.empty((CARDS + 1, LANES), np.float32)
    starts, steps = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for start in range(0, len(rows), LANES):
        _turn_in(reach, rows, start, starts, steps, block)
        sums[:] = 0
        for i in range(pairs):
            _add(sums, CARDS, block, i, one[i], other[i])
        met[:] = block  # the pair itself is in both cards' sums, and in the whole once
        for i in range(pairs):
            _meet(sums, CARDS, met, i, one[i], other[i])
        _turn_out(met, targets, start, starts, steps, out)
