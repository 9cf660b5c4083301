"""One pass over the public tree of an endgame for one player: regrets, averages, values, or a best response.

All pairs of cards of a player are one row of float32, so every step is a loop over a few rows. The opponent's reach
goes down the tree, values come up: `_down` and `_up` for one street, `walk` for the turn and all its rivers.
"""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.showdown import LANES, folds, showdowns

#: What a pass is for: an iteration of the solver, or the value of the averages, or of a best response to them; or to
#: see where the current strategies lead.
UPDATE, AVERAGE, BEST, CURRENT = range(4)
_ZERO, _ONE = np.float32(0), np.float32(1)
#: Smallest weight of a strategy. What a range reaches deep in a tree may weigh less, and 1 / less is infinite.
_LEAST = np.finfo(np.float32).tiny


class Memory(NamedTuple):
    """What a street's solver remembers, for each of its boards (one on the turn, up to 48 on the river)."""

    regrets: np.ndarray
    """f32[boards, edges, n]; where a node is locked, its strategy."""
    sums: np.ndarray
    """f32[boards, edges, n]: the strategies, weighted by reach and iteration."""
    locked: np.ndarray
    """bool[boards, nodes]."""


@jit
def _strategy_scale(weights, first, last, scale, rest):
    """Set scale, rest f32[n]: max(weight, 0) * scale + rest is an action's probability, also where none weighs."""
    scale[:] = _ZERO
    for edge in range(first, last):
        row = weights[edge]
        for i in range(len(scale)):
            scale[i] += max(row[i], _ZERO)
    even = _ONE / np.float32(last - first)
    for i in range(len(scale)):
        some = scale[i] >= _LEAST
        rest[i] = _ZERO if some else even
        scale[i] = _ONE / scale[i] if some else _ZERO


@jit
def _down(tree, memory, board, player, purpose, keep, reach, scale, rest):
    """Fill reach f32[nodes, n] of the opponent from the roots down; an update adds the strategy to the averages."""
    rows = tree.rows[player]
    for node in range(len(tree.kind)):
        if tree.kind[node] != 1 - player:
            continue
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        current = purpose in (UPDATE, CURRENT) or memory.locked[board, node]
        weights = memory.regrets[board] if current else memory.sums[board]
        _strategy_scale(weights, first, last, scale, rest)
        before = reach[rows[node]]
        for edge in range(first, last):
            after, weight = reach[tree.child[edge]], weights[edge]
            for i in range(len(scale)):
                after[i] = before[i] * (max(weight[i], _ZERO) * scale[i] + rest[i])
            if purpose == UPDATE:
                total = memory.sums[board, edge]
                for i in range(len(scale)):
                    total[i] = total[i] * keep + after[i]


@jit
def _mix(tree, weights, node, values, scale, rest):
    """Set a node's values to those of its actions, mixed by the strategy that weights f32[edges, n] give."""
    first, last = tree.first_edge[node], tree.first_edge[node + 1]
    _strategy_scale(weights, first, last, scale, rest)
    mixed = values[node]
    mixed[:] = _ZERO
    for edge in range(first, last):
        value, weight = values[tree.child[edge]], weights[edge]
        for i in range(len(scale)):
            mixed[i] += (max(weight[i], _ZERO) * scale[i] + rest[i]) * value[i]


@jit
def _up(tree, memory, board, player, purpose, gain, loss, values, scale, rest):
    """Fill values f32[nodes, n] from the ends up; an update adds the regrets, after scaling the earlier ones."""
    for node in range(len(tree.kind) - 1, -1, -1):
        first, last = tree.first_edge[node], tree.first_edge[node + 1]
        if tree.kind[node] == 1 - player:
            total = values[node]
            total[:] = values[tree.child[first]]
            for edge in range(first + 1, last):
                value = values[tree.child[edge]]
                for i in range(len(scale)):
                    total[i] += value[i]
        elif tree.kind[node] == player:
            locked = memory.locked[board, node]
            if purpose == UPDATE or locked:
                _mix(tree, memory.regrets[board], node, values, scale, rest)
            elif purpose == AVERAGE:
                _mix(tree, memory.sums[board], node, values, scale, rest)
            else:
                best = values[node]
                best[:] = values[tree.child[first]]
                for edge in range(first + 1, last):
                    value = values[tree.child[edge]]
                    for i in range(len(scale)):
                        best[i] = max(best[i], value[i])
            if purpose == UPDATE and not locked:
                mixed = values[node]
                for edge in range(first, last):
                    value, regret = values[tree.child[edge]], memory.regrets[board, edge]
                    for i in range(len(scale)):
                        before = regret[i]
                        regret[i] = before * (gain if before > _ZERO else loss) + (value[i] - mixed[i])


@jit
def _ends(tree, player, reach, one, other, group_end, block, met, values):
    """Fill the values of a street's folds and showdowns."""
    rows = tree.rows[player]
    if len(tree.folds):
        folds(reach, rows[tree.folds], one, other, block, met, values, tree.folds)
        for node in tree.folds:
            values[node] *= -tree.amount[node] if tree.folded[node] == player else tree.amount[node]
    if len(tree.showdowns):
        showdowns(reach, rows[tree.showdowns], one, other, group_end, block, met, values, tree.showdowns)
        for node in tree.showdowns:
            values[node] *= tree.amount[node]


@jit
def reaches(turn, memory, held, nodes, purpose):
    """Return f32[nodes, 2, n], with what weight each pair of both players comes to some nodes of the turn.

    held: f32[2, n], their ranges. purpose: CURRENT or AVERAGE, the strategies that lead there.
    """
    wide = held.shape[1]
    out, reach = np.empty((len(nodes), 2, wide), np.float32), np.zeros((len(turn.kind), wide), np.float32)
    scale, rest = np.empty(wide, np.float32), np.empty(wide, np.float32)
    for player in range(2):
        reach[0] = held[1 - player]
        _down(turn, memory, 0, player, purpose, _ONE, reach, scale, rest)
        for k in range(len(nodes)):
            out[k, 1 - player] = reach[turn.rows[player, nodes[k]]]
    return out


@jit
def walk(
    turn,
    turn_memory,
    turn_boards,
    river,
    lines,
    roots,
    river_memory,
    rivers,
    leaves,
    worths,
    held,
    player,
    purpose,
    keep,
    gain,
    loss,
):
    """Return a player's values f32[n] at the root, in chips times the opponent's reach; an update changes the memories.

    turn, river: Betting; lines, roots: i32[k], where in the river's tree lines of the turn go on. leaves: i32[], the
    other lines, with the player's values there, worths f32[leaves, n]. held: f32[n], the opponent's range over the
    pairs of the first street. keep, gain, loss: factors of earlier averages, and of earlier positive and negative
    regrets.
    """
    wide, narrow = turn_memory.regrets.shape[2], river_memory.regrets.shape[2]
    reach, values = np.zeros((len(turn.kind), wide), np.float32), np.zeros((len(turn.kind), wide), np.float32)
    scale, rest = np.empty(wide, np.float32), np.empty(wide, np.float32)
    block, met = np.zeros((wide, LANES), np.float32), np.zeros((wide, LANES), np.float32)
    reach[0] = held
    _down(turn, turn_memory, 0, player, purpose, keep, reach, scale, rest)
    _ends(turn, player, reach, turn_boards.one[0], turn_boards.other[0], turn_boards.group_end[0], block, met, values)
    for k in range(len(leaves)):
        values[leaves[k]] = worths[k]
    below, worth = np.zeros((len(river.kind), narrow), np.float32), np.zeros((len(river.kind), narrow), np.float32)
    short, remainder = scale[:narrow], rest[:narrow]
    # of the cards left, neither player can hold the river: four less
    chance = _ONE / np.float32(max(len(rivers.order) - 4, 1))
    for board in range(len(rivers.order)):
        order = rivers.order[board]
        for line in range(len(roots)):
            before, after = reach[turn.rows[player, lines[line]]], below[roots[line]]
            for i in range(len(order)):
                after[i] = before[order[i]]
        _down(river, river_memory, board, player, purpose, keep, below, short, remainder)
        _ends(river, player, below, rivers.one[board], rivers.other[board], rivers.group_end[board], block[:narrow],
              met[:narrow], worth)  # fmt: skip
        _up(river, river_memory, board, player, purpose, gain, loss, worth, short, remainder)
        for line in range(len(roots)):
            value, part = values[lines[line]], worth[roots[line]]
            for i in range(len(order)):
                value[order[i]] += part[i] * chance
    _up(turn, turn_memory, 0, player, purpose, gain, loss, values, scale, rest)
    return values[0]
