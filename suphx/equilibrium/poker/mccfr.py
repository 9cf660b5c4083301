"""DeepFool's learning: MCCFR by external sampling through a network, many trees side by side, level by level.

One seat of each tree explores all its actions, the others' are sampled. Where its own earlier actions are ones that it
hardly ever takes, it mostly samples too: the values stay the same on average, and the nodes go to more hands. All
decisions of a level are one batch for the network. In the straight phase the others act at random, so that only the
explorer's decisions need the network, all in one batch when the trees have grown; the paper says that this phase does
not converge, and begins with it for its speed.
"""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.holdem import HAND, OVER, act, mean_gain
from suphx.equilibrium.poker.players import legal_actions
from suphx.equilibrium.poker.policy_net import PokerPolicyNetwork, probabilities

#: Nodes of one level beyond which trees are not all explored further (a guard for memory).
MOST_NODES = 2_000_000


class Explored(NamedTuple):
    """The explorer's decisions, and their regrets."""

    hands: np.ndarray
    """HAND[n]."""
    policy: np.ndarray
    """f32[n, 6], the strategy that was used."""
    regret: np.ndarray
    """f32[n, 6], in big blinds: value of each action less that of the strategy; 0 where not legal."""
    value: float
    """Mean value of the roots for their explorers."""
    nodes: int
    """All nodes of the trees, ends included."""


class _Level(NamedTuple):
    hands: np.ndarray
    child: np.ndarray
    """i64[n, 6], nodes of the next level, -1 for none."""
    policy: np.ndarray
    """f32[n, 6], of the movers."""
    every: np.ndarray
    """bool[n], where the explorer tries all actions."""
    gain: np.ndarray
    """f64[n], what the explorer has won, in chips, where a hand is over."""


@jit
def _children(hands, seats, policy, every, draws, runouts, seed, child, out, gain):
    """Write the nodes that follow to out, their numbers to child, and what the explorers won in those that are over.

    seats: i64[n], the explorers. every: bool[n], explore all legal actions there; elsewhere one is sampled by policy
    f32[n, 6] and draws f64[n].
    """
    count, scratch, state = 0, np.zeros(1, HAND), np.uint64(seed)
    for k in range(len(hands)):
        if hands[k]["street"] == OVER:
            continue
        chosen, total = -1, 0.0
        for action in range(6):
            if policy[k, action] > 0 and (chosen < 0 or total <= draws[k]):
                chosen = action
            total += policy[k, action]
        for action in range(6):
            if (every[k] and policy[k, action] > 0) or (not every[k] and action == chosen):
                out[count] = hands[k]
                act(out[count], action)
                child[k, action] = count
                if out[count]["street"] == OVER:
                    street = hands[k]["street"]
                    gain[count], state = mean_gain(out[count], seats[k], street, runouts, scratch, state)
                count += 1


@jit
def _values(hands, gain, child, policy, every, below, out, regret):
    """Write the value of each node for its tree's explorer, in big blinds, from those of the next level."""
    for k in range(len(hands)):
        if hands[k]["street"] == OVER:
            out[k] = gain[k] / 2
            continue
        total = 0.0
        for action in range(6):
            if child[k, action] >= 0:
                total += (policy[k, action] if every[k] else 1.0) * below[child[k, action]]
        out[k] = total
        if every[k]:
            for action in range(6):
                if child[k, action] >= 0:
                    regret[k, action] = below[child[k, action]] - total


def explore(
    network: PokerPolicyNetwork,
    roots: np.ndarray,
    explorer: np.ndarray,
    seed: int,
    straight: bool,
    runouts: int = 1,
    floor: float = 1.0,
) -> Explored:
    """Grow a tree from each dealt hand, and return what its explorer could have gained.

    roots: HAND[n], not over. explorer: i64[n], the seat that tries everything. runouts: boards over which an all-in
    before the river is averaged; 1 is the board that was dealt. floor: the explorer tries everything with the
    probability of its own actions so far, but at least this; 1 is always, as in the straight phase.
    """
    random = np.random.default_rng(seed)
    levels, hands, root, gain = list[_Level](), roots, np.arange(len(roots)), np.zeros(len(roots))
    reach = np.ones(len(roots))  # probability of the explorer's own actions
    while len(hands):
        going = hands["street"] != OVER
        every = going & (hands["mover"] == explorer[root])
        if not straight:
            every &= random.random(len(hands)) < np.maximum(reach, floor)
        policy = np.zeros((len(hands), 6), np.float32)
        can = np.zeros((len(hands), 6), np.bool_)
        legal_actions(hands, can)
        policy[going] = can[going] / can[going].sum(1, keepdims=True)
        if not straight:
            policy[going] = np.maximum(probabilities(network, hands[going]), 1e-6 * can[going])
        child = np.full((len(hands), 6), -1)
        size = int((can.sum(1) * every).sum() + (going & ~every).sum())
        if size > MOST_NODES:
            raise MemoryError(f"{size:,} nodes on one level: explore fewer trees at a time, or allow fewer raises")
        after, won = np.zeros(size, HAND), np.zeros(size)
        draws, board_seed = random.random(len(hands)), random.integers(1 << 62)
        _children(hands, explorer[root], policy, every, draws, runouts, board_seed, child, after, won)
        levels.append(_Level(hands, child, policy, every, gain))
        parents = np.nonzero(child >= 0)
        following, chances = np.empty(size, np.int64), np.empty(size)
        following[child[parents]] = root[parents[0]]
        chances[child[parents]] = reach[parents[0]] * np.where(every[parents[0]], policy[parents], 1)
        hands, root, gain, reach = after, following, won, chances
    return _collect(network, levels, straight)


def _collect(network: PokerPolicyNetwork, levels: list[_Level], straight: bool) -> Explored:
    """Carry values up the levels, and gather the explorers' decisions."""
    decisions = np.concatenate([each.hands[each.every] for each in levels])
    if straight:
        policy, at = probabilities(network, decisions), 0
        for each in levels:
            count = int(each.every.sum())
            each.policy[each.every] = policy[at : at + count]
            at += count
    below, regrets = np.zeros(0), list[np.ndarray]()
    for each in reversed(levels):
        values, regret = np.empty(len(each.hands)), np.zeros((len(each.hands), 6), np.float32)
        _values(each.hands, each.gain, each.child, each.policy, each.every, below, values, regret)
        regrets.append(regret[each.every])
        below = values
    policy = np.concatenate([each.policy[each.every] for each in levels])
    nodes = sum(len(each.hands) for each in levels)
    return Explored(decisions, policy, np.concatenate(regrets[::-1]), float(below.mean()), nodes)


def improved(explored: Explored, step: float) -> np.ndarray:
    """Return the strategies f32[n, 6] to learn: each action's probability times 1 + step * regret, but not below 0.

    Multiplicative weights. Regrets are single samples: with exp(step * regret), Hedge, what the network learns is the
    mean of such strategies, in which an action that wins or loses a stack by luck gets more than its mean regret earns.
    """
    weights = explored.policy * np.maximum(1 + step * explored.regret, 0)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)
