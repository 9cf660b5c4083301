"""Run-time adaptation on pocket mahjong, judged exactly: what a copy gains in its hand, beside a best response there.

Rollouts, objective and steps are those of `suphx.adaptation`: the own hand stays, the rest is dealt again, everybody
plays the blueprint, and a copy of it takes steps of a given length. The gain is then not estimated but computed.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from suphx.adaptation.steps import StepsConfig, advantages, step
from suphx.equilibrium.flat_game import FlatGame
from suphx.equilibrium.game import CHANCE
from suphx.equilibrium.probe.learning import MODEL, PRECISION, Hidden, by_table, planes_of, play, policy_of
from suphx.equilibrium.response import action_values
from suphx.networks.policy import PolicyNetwork


@dataclass(frozen=True)
class DealtHand:
    """A hand that a player may be dealt."""

    player: int
    tiles: str
    chance: float
    nodes: np.ndarray  # i64[n]: where the hands have just been dealt
    weights: np.ndarray  # f64[n]: how likely each of these is, given this hand


def hands_of(game: FlatGame) -> list[DealtHand]:
    """Return the hands that each player may be dealt; the first two chance moves deal them."""
    rules, tree = game.game, game.tree
    dealt: dict[tuple[int, str], list[tuple[int, float]]] = {}
    for a, (first, chance) in enumerate(rules.actions(rules.root())):
        between, node = rules.next(rules.root(), first), int(tree.child[0]) + a
        for b, (second, after) in enumerate(rules.actions(between)):
            for player, tiles in enumerate((first, second)):
                dealt.setdefault((player, tiles), []).append((int(tree.child[node]) + b, chance * after))
    hands = []
    for (player, tiles), starts in dealt.items():
        nodes, weights = map(np.array, zip(*starts, strict=True))
        hands.append(DealtHand(player, tiles, float(weights.sum()), nodes, weights / weights.sum()))
    return hands


class Adapting:
    """A blueprint that plays against itself, and its copies for single hands."""

    def __init__(self, game: FlatGame, blueprint: PolicyNetwork) -> None:
        self.game, self.blueprint = game, blueprint
        self.planes = planes_of(game)
        self.policy = policy_of(blueprint, game, self.planes, PRECISION)
        self._worth = [action_values(game, self.policy, player) for player in range(2)]
        self._best = [action_values(game, self.policy, player, best=True) for player in range(2)]

    def copy(self, hand: DealtHand, deals: int, steps: StepsConfig, seed: int) -> np.ndarray:
        """Return the policy f64[S] of a copy that has learned from `deals` deals of everything but a hand."""
        generator = np.random.default_rng(seed)
        start = generator.choice(hand.nodes, deals, p=hand.weights)
        batch = play(self.game, by_table(self.game, self.planes, self.policy), start, generator)
        rows = batch.experience[MODEL]
        rows = rows[rows["trajectory"] // deals == hand.player]
        rows["trajectory"] -= np.uint32(hand.player * deals)
        rows = rows[np.lexsort((rows["step"], rows["trajectory"]))]
        rewards = batch.trajectories["rewards"][hand.player * deals : (hand.player + 1) * deals, 0].astype(np.float64)
        advantage = advantages(rewards, np.zeros(deals, np.int64))[rows["trajectory"]]
        network = step(self.blueprint, rows, advantage, steps, 1.0, PRECISION, seed)
        return policy_of(network, self.game, self.planes, PRECISION)

    def gain(self, hand: DealtHand, policy: np.ndarray) -> float:
        """Return exactly what a player gains in a hand, on average, who plays a policy instead of the blueprint."""
        begin, changed = self.game.arrays.begin, self.policy.copy()
        own = slice(self.game.arrays.first[begin[hand.player]], self.game.arrays.first[begin[hand.player + 1]])
        changed[own] = policy[own]
        return self._over(hand, action_values(self.game, changed, hand.player))

    def best(self, hand: DealtHand) -> float:
        """Return what a best response gains in a hand."""
        return self._over(hand, self._best[hand.player])

    def _over(self, hand: DealtHand, worth: tuple[np.ndarray, np.ndarray]) -> float:
        arrays, total = self.game.arrays, 0.0
        for k in range(arrays.begin[hand.player], arrays.begin[hand.player + 1]):
            if arrays.parent[k] == hand.player and _dealt(self.game.names[k]) == hand.tiles:
                here, (q, policy), (base, before) = self.game.place(k), worth, self._worth[hand.player]
                total += float(q[here] @ policy[here] - base[here] @ before[here])
        return total / hand.chance


def _dealt(name: str) -> str:
    """Return the hand in the name of a player's first information set in a game: `12+3 1` or `12 1`."""
    return name.split()[0].split("+")[0]


def posteriors(game: FlatGame, policy: np.ndarray, hidden: Hidden) -> list[tuple[int, float, float]]:
    """Return how far redealt hands are from the exact distribution of the opponent's hand, by number of discards.

    Exact: chance and what the opponent's policy says of the discards made. Redealt: every way to choose the opponent's
    tiles from those unseen is alike, as `simulator.redeal` deals, among the hands that the rules allow. Each entry:
    discards seen; total variation distance, averaged over play; and the share of decisions where it exceeds 0.1.
    """
    nodes = np.flatnonzero(game.tree.kind >= 0)
    kind = game.tree.kind[nodes].astype(np.int64)
    reach = _reaches(game, policy)[nodes]
    mover = np.searchsorted(game.arrays.begin, kind, side="right") - 1
    others = reach[:, 0] * reach[np.arange(len(nodes)), 2 - mover]  # column 0 is chance's, 1 + p player p's
    keys, place = np.unique(kind * len(hidden.names) + hidden.of[nodes], return_inverse=True)
    infoset = keys // len(hidden.names)
    ways = np.array([_ways(name) for name in hidden.names])[keys % len(hidden.names)]
    exact = np.bincount(place, others)
    played = np.bincount(kind, reach.prod(axis=1), game.infosets)
    met = np.bincount(infoset, exact, game.infosets)
    redealt = ways / np.bincount(infoset, ways, game.infosets)[infoset]
    exact = np.divide(exact, met[infoset], out=np.zeros_like(exact), where=met[infoset] > 0)
    distance = np.bincount(infoset, np.abs(exact - redealt), game.infosets) / 2
    discards = np.array([len(name.split(" (")[0].split()) - 1 for name in game.names])
    rows = []
    for n in range(discards.max() + 1):
        weight = np.where(discards == n, played, 0.0)
        mean = float(weight @ distance / weight.sum())
        rows.append((n, mean, float(weight @ (distance > 0.1) / weight.sum())))
    return rows


def _ways(name: str) -> int:
    """Return in how many ways the hand of a hidden name (`13 120`: hand, wall) comes out of all unseen tiles."""
    hand, wall = name.split()
    total = 1
    for kind, left in enumerate(map(int, wall)):
        held = hand.count(str(kind + 1))
        total *= comb(left + held, held)
    return total


def _reaches(game: FlatGame, policy: np.ndarray) -> np.ndarray:
    """Return f64[nodes, 1 + N]: the probability of each history by chance's moves and by each player's."""
    tree, arrays = game.tree, game.arrays
    reach = np.ones((len(tree.kind), 1 + game.players))
    level = np.zeros(1, np.int64)
    while len(level := level[tree.width[level] > 0]):
        width = tree.width[level]
        parents = np.repeat(level, width)
        offset = np.arange(len(parents)) - np.repeat(width.cumsum() - width, width)
        children = tree.child[parents] + offset
        kind = tree.kind[parents].astype(np.int64)
        chance = kind == CHANCE
        by = np.where(chance, tree.chance[children], policy[np.where(chance, 0, arrays.first[kind] + offset)])
        column = np.where(chance, 0, np.searchsorted(arrays.begin, kind, side="right"))
        reach[children] = reach[parents]
        reach[children, column] *= by
        level = children
    return reach
