"""The project's own learner on small games, judged exactly: NashConv of its last and its averaged policy.

The learner is used unchanged, as self-play uses it: policy gradient with importance weights, entropy, distance to the
start. Here only the games differ, and what is seen of them: a plane for each letter at each place of the name of an
information set.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import torch

from suphx.equilibrium.flat_game import FlatGame
from suphx.equilibrium.response import nash_conv, reach_of
from suphx.equilibrium.solver import Solver
from suphx.learning.config import DistanceConfig, EntropyConfig, LearningConfig
from suphx.learning.experience import PATH, Batch, experience_dtype
from suphx.learning.learner import Learner
from suphx.learning.policy_gradient import log_probabilities
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import OUTPUTS, NetworkSize

MODEL = "discard"
ALPHA = 0.05  # of the variants that hold entropy
RATE = 2e-3  # of learning; networks start from nothing here

#: What is switched on, by name.
VARIANTS: dict[str, LearningConfig] = {
    "plain": LearningConfig(learning_rate=RATE, entropy=EntropyConfig(start=0.0, beta=0.0)),
    "entropy": LearningConfig(learning_rate=RATE, entropy=EntropyConfig(start=ALPHA, beta=0.0)),
    "controlled": LearningConfig(learning_rate=RATE, entropy=EntropyConfig(start=ALPHA, share=0.5, beta=1e-3)),
    "reference": LearningConfig(
        learning_rate=RATE,
        entropy=EntropyConfig(start=ALPHA, beta=0.0),
        reference=DistanceConfig(coefficient=ALPHA),
    ),
}


def planes_of(game: FlatGame) -> np.ndarray:
    """Return what a network sees of each information set, u64[K, planes]: letters of its name, owner, answers."""
    letters = sorted({(at, letter) for name in game.names for at, letter in enumerate(name)})
    index = {letter: i for i, letter in enumerate(letters)}
    most = int(np.diff(game.arrays.first).max())
    planes = np.zeros((game.infosets, len(letters) + 1 + most), np.uint64)
    every = np.uint64((1 << 34) - 1)
    for k, name in enumerate(game.names):
        planes[k, [index[at, letter] for at, letter in enumerate(name)]] = every
        planes[k, len(letters)] = every if game.owner(k) else np.uint64(0)
    planes[:, len(letters) + 1 :] = np.uint64(1) << np.arange(most, dtype=np.uint64)
    return planes


def policy_of(network: PolicyNetwork, game: FlatGame, planes: np.ndarray, precision: Precision) -> np.ndarray:
    """Return a network's policy, f64[S]."""
    widths = np.diff(game.arrays.first)
    legal = np.arange(OUTPUTS[MODEL])[None] < widths[:, None]
    with torch.inference_mode():
        found = log_probabilities(network.of_packed(planes, precision), torch.from_numpy(legal)).double().exp().numpy()
    policy = np.concatenate([np.ones(game.players), found[legal]])
    sums = np.add.reduceat(policy, game.arrays.first[:-1])
    policy[game.players :] /= np.repeat(sums, widths)
    return policy


def play(game: FlatGame, planes: np.ndarray, policy: np.ndarray, n: int, generator: np.random.Generator) -> Batch:
    """Play n games of a policy against itself; path p * n + g is player p's way through game g."""
    tree, first, begin = game.tree, game.arrays.first, game.arrays.begin
    node = np.zeros(n, np.int64)
    places = np.zeros((game.players, n), np.int64)
    asked: list[tuple[np.ndarray, ...]] = []
    while len(alive := np.flatnonzero(tree.kind[node] != -2)):
        at = node[alive]
        kind, width, child = tree.kind[at], tree.width[at], tree.child[at]
        decides = kind >= 0
        left, answer = generator.random(len(alive)), np.zeros(len(alive), np.int64)
        chance = np.zeros(len(alive))
        for a in range(int(width.max())):
            open_ = a < width
            from_policy = policy[np.where(decides & open_, first[np.maximum(kind, 0)] + a, 0)]
            p = np.where(open_, np.where(decides, from_policy, tree.chance[np.where(open_, child + a, 0)]), 0.0)
            here = (left >= 0) & (left < p)
            answer[here], chance[here] = a, p[here]
            left = np.where(left >= 0, left - p, left)
        late = left >= 0  # what rounding left over falls to the last child
        answer[late], chance[late] = width[late] - 1, 1.0
        node[alive] = child + answer
        who = np.searchsorted(begin, kind[decides], side="right") - 1
        games = alive[decides]
        asked.append((who * n + games, places[who, games], kind[decides], answer[decides], np.log(chance[decides])))
        places[who, games] += 1
    path, place, kinds, answers, played = (np.concatenate(each) for each in zip(*asked, strict=True))
    experience = np.zeros(len(path), experience_dtype(planes.shape[1]))
    experience["path"], experience["place"], experience["planes"] = path, place, planes[kinds]
    experience["legal"] = (np.uint64(1) << np.diff(first)[kinds].astype(np.uint64)) - np.uint64(1)
    experience["answer"], experience["log_probability"] = answers, played
    paths = np.zeros(game.players * n, PATH)
    paths["reward"] = tree.payoffs[tree.child[node]].T.reshape(-1)
    paths["game"] = np.arange(len(paths))
    return Batch(paths, {MODEL: experience}).fill()


@dataclass
class Curve:
    """NashConv after so many updates."""

    updates: list[int] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    averaged: list[float] = field(default_factory=list)  # of the average of all iterates so far, weighed by reach
    seconds: float = 0.0


def learn(
    game: FlatGame, config: LearningConfig, seed: int, updates: int = 300, games: int = 256, looks: int = 6
) -> Curve:
    """Let the learner play `games` games against itself for each of its updates; look at it `looks` times."""
    precision = Precision(torch.device("cpu"), torch.float32, 1, "small games")
    planes, generator = planes_of(game), np.random.default_rng(seed)
    torch.manual_seed(seed)
    learner = Learner(
        {MODEL: PolicyNetwork(MODEL, NetworkSize(filters=16, blocks=1), planes.shape[1])}, config, precision
    )
    curve, total, started = Curve(), np.zeros(game.sequences), time.perf_counter()
    when = set(np.linspace(updates / looks, updates, looks).round().astype(int).tolist())
    for update in range(1, updates + 1):
        policy = policy_of(learner.networks[MODEL], game, planes, precision)
        batch = play(game, planes, policy, games, generator)
        minibatch = batch.experience[MODEL]
        minibatch["advantage"] = learner.advantages_of(batch)[MODEL]
        learner.step(MODEL, minibatch)
        total += reach_of(game, policy)
        if update in when:
            curve.updates.append(update)
            curve.last.append(nash_conv(game, policy_of(learner.networks[MODEL], game, planes, precision)))
            curve.averaged.append(nash_conv(game, _behaviour(game, total)))
    curve.seconds = time.perf_counter() - started
    return curve


def _behaviour(game: FlatGame, reach: np.ndarray) -> np.ndarray:
    """Return the policy of summed reaches of sequences."""
    sums = np.add.reduceat(reach, game.arrays.first[:-1])
    return np.concatenate([np.ones(game.players), reach[game.players :] / np.repeat(sums, np.diff(game.arrays.first))])


def cfr_plus_within(game: FlatGame, seconds: float) -> tuple[int, float]:
    """Return how many iterations CFR+ does in that time, 10,000 at most, and its NashConv then."""
    solver = Solver(game, "cfr+").run(1)
    started = time.perf_counter()
    while time.perf_counter() - started < seconds and solver.iterations < 10_000:
        solver.run(20)
    return solver.iterations, solver.nash_conv()
