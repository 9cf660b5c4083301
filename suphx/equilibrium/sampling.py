"""Sampled traversals: a part of the tree for each player, with unbiased estimates of the player's action values.

External sampling follows all actions of the updating player and one, drawn by its probability, of everybody else.
Outcome sampling also follows a single action of that player, drawn from the policy mixed (in reach) with one that is
balanced over the player's subtrees, and divides by the probability of drawing it. Source: Lanctot, Waugh, Zinkevich,
Bowling 2009, section 3.
"""

import numpy as np

from simulator.jit import jit
from simulator.walls import mix2
from suphx.equilibrium.kernels import begin, borrowed, follow


@jit
def _uniform(random):
    """Return the next number in [0, 1) of a counted sequence; random u64[2]: seed, count."""
    random[1] += np.uint64(1)
    return (mix2(random[0], random[1]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@jit
def _draw(probabilities, start, end, random):
    """Return an index in start to end, drawn by probability."""
    left = _uniform(random)
    for i in range(start, end):
        left -= probabilities[i]
        if left < 0.0:
            return i
    return end - 1


@jit
def traverse(arrays, tree, player, state, settings, random, visited, stack, chances):
    """Sample once for a player: write q of the information sets that are met; return how many those are.

    visited i64[>= sets met]: which, parents first; state.others: an estimate of the others' reach of each of them.
    stack i64[any, 2], chances f64[any, 3] are work space: node and own sequence; probability of drawing the own course,
    its reach by the policy and by the balanced one.
    """
    first, count, top = arrays.first, 0, 1
    explore = settings["explore"]
    state.q[player] = 0.0
    stack[0, 0], stack[0, 1] = 0, player
    chances[0, :] = 1.0
    while top > 0:
        top -= 1
        node, sequence = stack[top, 0], stack[top, 1]
        drawn, reach, balanced = chances[top, 0], chances[top, 1], chances[top, 2]
        kind = tree.kind[node]
        if kind == -2:
            state.q[sequence] += tree.payoffs[tree.child[node], player] / drawn
            continue
        child = tree.child[node]
        if kind == -1:
            stack[top, 0] = _draw(tree.chance, child, child + tree.width[node], random)
            stack[top, 1] = sequence
            top += 1
            continue
        a, b = first[kind], first[kind + 1]
        mine = arrays.begin[player] <= kind < arrays.begin[player + 1]
        if not mine:
            if settings["opponents"]:  # their gain from a regularizer here is this player's
                rows = settings["rows"]
                state.q[sequence] += state.memory[rows * a + (rows - 1) * (b - a)] / drawn
            stack[top, 0] = child + _draw(state.policy, a, b, random) - a
            top += 1
            continue
        visited[count] = kind
        count += 1
        state.others[kind] = 1.0 / drawn
        state.q[a:b] = 0.0
        if not settings["outcome"]:
            for s in range(b - 1, a - 1, -1):
                stack[top, 0], stack[top, 1] = child + s - a, s
                chances[top, :] = 1.0
                top += 1
            continue
        total = (1.0 - explore) * reach + explore * balanced
        left, s = _uniform(random) * total, a
        share = (1.0 - explore) * reach * state.policy[s] + explore * balanced * arrays.share[s]
        while left >= share and s < b - 1:
            left -= share
            s += 1
            share = (1.0 - explore) * reach * state.policy[s] + explore * balanced * arrays.share[s]
        stack[top, 0], stack[top, 1] = child + s - a, s
        chances[top, 0] = drawn * share / total
        chances[top, 1], chances[top, 2] = reach * state.policy[s], balanced * arrays.share[s]
        top += 1
    return count


@jit
def run_sampled(sweep_rule, arrays, tree, state, settings, random, steps):
    """Do `steps` iterations of one sample for each player; return how many succeeded, as `kernels.run` does.

    The average is over the whole policy, as with full traversal: an estimate would be noisier.
    """
    arrays, state = borrowed(arrays, state)
    n, base = len(arrays.begin) - 1, np.empty(len(state.q))
    visited = np.empty((n, len(arrays.parent)), np.int64)
    room = len(arrays.first) + len(state.q)
    stack, chances = np.empty((room, 2), np.int64), np.ones((room, 3))
    counts = np.zeros(n, np.int64)
    together = 1 if settings["alternate"] else n
    for step in range(steps):
        weight, check = begin(arrays, state, settings), 0.0
        for start in range(0, n, together):
            for p in range(start, start + together):
                counts[p] = traverse(arrays, tree, p, state, settings, random, visited[p], stack, chances)
            for p in range(start, start + together):
                sweep_rule(visited[p, : counts[p]], arrays.first, arrays.parent, state.q, state.policy, state.memory,
                           state.reach, state.others, state.locked, settings, base)  # fmt: skip
        for p in range(n):
            check += follow(arrays, p, state.policy, state.reach, state.average, weight)
        if check != check:
            return step
        settings["t"] += 1
    return steps
