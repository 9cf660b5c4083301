"""The compiled part: payoffs against the others' play, the sweep that calls the rule, and the play that follows.

A rule is compiled into a copy of `sweep`, which reaches the other functions as a pointer, so that those are compiled
once for all rules, a user's too. Slices that are handed to a rule are taken from arrays that Numba does not count
references to, which makes them three times cheaper.
"""

from typing import NamedTuple

import numba
import numpy as np
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic

from simulator.jit import hold, jit, numba_config

PARAMETERS = 8  # of a rule, at most

#: What a rule gets beside the values: where it is, and its parameters.
AT = np.dtype(
    [
        ("t", np.float64),  # the iteration, from 1
        ("sweep", np.int64),  # which sweep of the iteration, for rules with several
        ("own_reach", np.float64),  # the probability that the player's own decisions lead here
        ("others_reach", np.float64),  # ... that chance's and the others' do; only for rules with `others_reach`
        ("p", np.float64, (PARAMETERS,)),  # the rule's parameters
    ],
    align=True,
)
SETTINGS = np.dtype(
    [
        ("t", np.int64),  # iterations done
        ("rows", np.int64),  # of memory
        ("sweeps", np.int64),
        ("alternate", np.bool_),
        ("others", np.bool_),  # whether the rule needs others_reach
        ("opponents", np.bool_),  # the last row of memory holds what the opponents gain
        ("average", np.int64),  # the power of t that weighs an iterate; -1: no average
        ("uniform_first", np.bool_),  # the average begins with the policy of the start
        ("outcome", np.bool_),
        ("explore", np.float64),
        ("at", AT),
    ],
    align=True,
)


class Arrays(NamedTuple):
    """What the compiled functions read. K information sets, S sequences, N players, all in this order."""

    begin: np.ndarray  # i64[N + 1]: information sets begin[p] to begin[p + 1] are player p's, parents before children
    first: np.ndarray  # i64[K + 1]: the sequences of an information set are first[k] to first[k + 1]
    parent: np.ndarray  # i64[K]: its owner's sequence before it
    share: np.ndarray  # f64[S]: how much of the owner's subtree lies behind an action, summing to 1 in each set
    row: np.ndarray  # i64[S + 1]: the payoffs of a sequence are row[s] to row[s + 1]
    column: np.ndarray  # i32[E * (N - 1)]: the others' sequences of each payoff
    value: np.ndarray  # f64[E]: the owner's payoff times chance's probability
    met: np.ndarray  # i64[K + 1]: where an information set can be met: entries met[k] to met[k + 1]
    met_by: np.ndarray  # i32[M * N]: all players' sequences of each
    met_chance: np.ndarray  # f64[M]: chance's probability of each


class GameTree(NamedTuple):
    """The histories, for sampling. A node's children stand side by side."""

    kind: np.ndarray  # i32[nodes]: the information set; -1 for chance, -2 for an end
    child: np.ndarray  # i64[nodes]: its first child; for an end its row in payoffs
    chance: np.ndarray  # f64[nodes]: the probability of getting here, if chance moved before, else 1
    payoffs: np.ndarray  # f64[ends, N]
    width: np.ndarray  # i32[nodes]: how many children


class State(NamedTuple):
    """What changes while solving; f64[S] but for the last three."""

    policy: np.ndarray
    reach: np.ndarray  # of each sequence, by its owner's decisions
    average: np.ndarray  # sum of weight times reach
    q: np.ndarray  # what an action is worth
    memory: np.ndarray  # f64[rows * S], the rows of an information set side by side
    locked: np.ndarray  # bool[K]
    others: np.ndarray  # f64[K]


@intrinsic
def _address(_context, array):
    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.bitcast(data, cgutils.voidptr_t)

    return types.voidptr(array), generate


@jit
def _uncounted_compiled(array):
    return numba.carray(_address(array), len(array), array.dtype)


def _uncounted_plain(array):
    return array


uncounted = _uncounted_plain if numba_config.DISABLE_JIT else _uncounted_compiled


@jit
def _table_compiled(array, rows):
    return numba.carray(_address(array), (rows, len(array) // rows), array.dtype)


def _table_plain(array, rows):
    return array.reshape(rows, -1)


table = _table_plain if numba_config.DISABLE_JIT else _table_compiled  # `reshape` would take longer than a rule


@jit
def borrowed(arrays, state):
    """Return the same arrays without counting of references, valid while the caller holds them."""
    a, s, u = arrays, state, uncounted
    return (
        Arrays(u(a.begin), u(a.first), u(a.parent), u(a.share), u(a.row), u(a.column), u(a.value), u(a.met),
               u(a.met_by), u(a.met_chance)),
        State(u(s.policy), u(s.reach), u(s.average), u(s.q), u(s.memory), u(s.locked), u(s.others)),
    )  # fmt: skip


@jit
def values(arrays, player, reach, q):
    """Write into q what each of a player's actions that ends the game is worth against the others' reach."""
    n = len(arrays.begin) - 1
    row, column, value = arrays.row, arrays.column, arrays.value
    start, end = arrays.first[arrays.begin[player]], arrays.first[arrays.begin[player + 1]]
    for s in range(start - 1, end):
        at = s if s >= start else player
        total = 0.0
        if n == 2:
            for e in range(row[at], row[at + 1]):
                total += value[e] * reach[column[e]]
        else:
            for e in range(row[at], row[at + 1]):
                product = value[e]
                for j in range(e * (n - 1), (e + 1) * (n - 1)):
                    product *= reach[column[j]]
                total += product
        q[at] = total


@jit
def follow(arrays, player, policy, reach, average, weight):
    """Carry a player's policy forward to the reach of each sequence; return a sum that is NaN if anything is."""
    first, parent, check = arrays.first, arrays.parent, 0.0
    reach[player] = 1.0
    for k in range(arrays.begin[player], arrays.begin[player + 1]):
        before = reach[parent[k]]
        for s in range(first[k], first[k + 1]):
            now = before * policy[s]
            reach[s] = now
            average[s] += weight * now
            check += now
    return check


@jit
def others_reach(arrays, player, reach, others):
    """Write the probability that chance and the others lead to each of a player's information sets."""
    n = len(arrays.begin) - 1
    for k in range(arrays.begin[player], arrays.begin[player + 1]):
        total = 0.0
        for m in range(arrays.met[k], arrays.met[k + 1]):
            product = arrays.met_chance[m]
            for p in range(n):
                if p != player:
                    product *= reach[arrays.met_by[m * n + p]]
            total += product
        others[k] = total


@jit
def opponents_gain(arrays, player, rows, memory, reach, q):
    """Add to q what the opponents' last row of memory says that this player gains at their information sets.

    A set counts once for each of the player's sequences that can meet it, weighted with its owner's reach and without
    chance's probability, as QFR's authors have it in LiteEFG.
    """
    n, first = len(arrays.begin) - 1, arrays.first
    for p in range(n):
        if p == player:
            continue
        for k in range(arrays.begin[p], arrays.begin[p + 1]):
            width = first[k + 1] - first[k]
            gain = memory[rows * first[k] + (rows - 1) * width]
            for m in range(arrays.met[k], arrays.met[k + 1]):
                product = gain
                for i in range(n):
                    if i != player:
                        product *= reach[arrays.met_by[m * n + i]]
                q[arrays.met_by[m * n + player]] += product


def rule(q, policy, memory, at):
    """Stand for the rule in `sweep`."""
    raise NotImplementedError


def sweep(visited, first, parent, q, policy, memory, reach, others, locked, settings, base):
    """Let the rule update the information sets visited i64[count], last first, as often as it has sweeps.

    The value that it returns is added to the owner's sequence before. The other arrays are those of `Arrays` and
    `State`, base f64[S] is work space.
    """
    q, policy, memory = uncounted(q), uncounted(policy), uncounted(memory)
    at, rows, sweeps, count = settings["at"], settings["rows"], settings["sweeps"], len(visited)
    for turn in range(sweeps):
        at["sweep"] = turn
        if sweeps > 1:
            for i in range(count):
                for s in range(first[visited[i]], first[visited[i] + 1]):
                    if turn == 0:
                        base[s] = q[s]
                    else:
                        q[s] = base[s]
        for i in range(count - 1, -1, -1):
            k = visited[i]
            a, b, before = first[k], first[k + 1], parent[k]
            if locked[k]:
                value = 0.0
                for s in range(a, b):
                    value += q[s] * policy[s]
            else:
                at["own_reach"], at["others_reach"] = reach[before], others[k]
                value = rule(q[a:b], policy[a:b], table(memory[rows * a : rows * b], rows), at)
            q[before] += value


_NUMBERS, _REALS = types.int64[::1], types.float64[::1]
#: Of a compiled `sweep`.
SIGNATURE = types.void(_NUMBERS, _NUMBERS, _NUMBERS, _REALS, _REALS, _REALS, _REALS, _REALS, types.boolean[::1],
                       from_dtype(SETTINGS), _REALS)  # fmt: skip


@jit
def _worth(arrays, player, state, settings):
    values(arrays, player, state.reach, state.q)
    if settings["others"]:
        others_reach(arrays, player, state.reach, state.others)
    if settings["opponents"]:
        opponents_gain(arrays, player, settings["rows"], state.memory, state.reach, state.q)


@jit
def begin(arrays, state, settings):
    """Begin an iteration; return the weight that its new iterate has in the average."""
    t = settings["t"] + 1
    settings["at"]["t"] = t
    if settings["average"] < 0:
        return 0.0
    weight = 1.0
    for _ in range(settings["average"]):
        weight *= t
    if not settings["uniform_first"]:
        return weight
    for s in range(len(state.reach)):
        state.average[s] += weight * state.reach[s]
    return 0.0


@jit
def run(sweep_rule, arrays, state, settings, steps):
    """Do `steps` iterations over the whole game; return how many succeeded (all, unless NaN appeared)."""
    arrays, state = borrowed(arrays, state)
    n, begin_of, first, parent = len(arrays.begin) - 1, arrays.begin, arrays.first, arrays.parent
    q, policy, memory, reach = state.q, state.policy, state.memory, state.reach
    others, locked = state.others, state.locked
    work, numbers = np.empty(len(q)), np.arange(len(parent))
    base, every = uncounted(work), uncounted(numbers)
    together = 1 if settings["alternate"] else n  # players who update before anyone's play changes
    done = 0
    while done < steps:
        weight, check = begin(arrays, state, settings), 0.0
        for start in range(0, n, together):
            for p in range(start, start + together):
                _worth(arrays, p, state, settings)
            for p in range(start, start + together):
                visited = every[begin_of[p] : begin_of[p + 1]]
                sweep_rule(visited, first, parent, q, policy, memory, reach, others, locked, settings, base)
            for p in range(start, start + together):
                check += follow(arrays, p, policy, reach, state.average, weight)
        if check != check:
            break
        settings["t"] += 1
        done += 1
    hold(work)
    hold(numbers)
    return done
