"""The project's own learner on small games, judged exactly: NashConv of its last and its averaged policy.

The learner is used unchanged, as self-play uses it: policy gradient with importance weights, entropy, distance to the
start, oracle guiding. Here only the games differ, and what is seen of them: a plane for each letter at each place of
the name of an information set.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from suphx.equilibrium.flat_game import FlatGame
from suphx.equilibrium.game import CHANCE, END
from suphx.equilibrium.response import nash_conv, reach_of
from suphx.equilibrium.solver import Solver
from suphx.errors import InputError
from suphx.features.layout import ORACLE_PLANES
from suphx.learning.config import (
    AnnealConfig,
    DistanceConfig,
    EntropyConfig,
    LearningConfig,
    OracleConfig,
    ReplayConfig,
)
from suphx.learning.distributions import log_probabilities
from suphx.learning.experience import TRAJECTORY, Batch, experience_dtype
from suphx.learning.learner import Learner
from suphx.networks.models import OUTPUTS
from suphx.networks.policy import PolicyNetwork
from suphx.networks.precision import Precision
from suphx.networks.sizes import NetworkSize
from suphx.selfplay.dropout import drop

MODEL = "discard"
SIZE = NetworkSize(filters=16, blocks=1)
PRECISION = Precision(torch.device("cpu"), torch.float32, 1, "small games")
GAMES = 256  # of an update
ALPHA = 0.05  # of the variants that hold entropy
RATE = 2e-3  # of learning; networks start from nothing here
_AVERAGED = 10  # updates between two policies in the average
_EVERY = np.uint64((1 << 34) - 1)  # a plane that is set everywhere

_ENTROPY = LearningConfig(learning_rate=RATE, entropy=EntropyConfig(start=ALPHA, beta=0.0))
_CONTROL = EntropyConfig(start=ALPHA, share=0.5, beta=1e-3)
_REUSED = _ENTROPY.model_copy(update={"replay": ReplayConfig(reuse=4)})
#: What is switched on, by name.
VARIANTS: dict[str, LearningConfig] = {
    "plain": _ENTROPY.model_copy(update={"entropy": EntropyConfig(start=0.0, beta=0.0)}),
    "entropy": _ENTROPY,
    "controlled": _ENTROPY.model_copy(update={"entropy": _CONTROL}),
    "reference": _ENTROPY.model_copy(update={"reference": DistanceConfig(coefficient=ALPHA)}),
    "moving reference": _ENTROPY.model_copy(update={"reference": DistanceConfig(coefficient=0.5, renew=50)}),
    "reused": _REUSED.model_copy(update={"max_importance_weight": 1e9}),
    "reused, bounded": _REUSED.model_copy(update={"max_importance_weight": 1.2}),
}


def oracle_variants(games: int) -> dict[str, LearningConfig]:
    """Return learning with an oracle and without, for a number of games in all.

    A third of them with all hidden tiles, a third while they are dropped out, a third without. One variant without an
    oracle has the same fall of the rate at the end.
    """
    base, third = VARIANTS["reference"], games // 3
    slow = AnnealConfig(after_games=2 * third, games=1, lowest=0.1)
    oracle = OracleConfig(full_games=third, decay_games=third, planes_rate=1.0, after_rate=0.1)
    return {
        "alone": base,
        "alone, slow end": base.model_copy(update={"anneal": slow}),
        "oracle, slow end": base.model_copy(update={"oracle": oracle}),
        "oracle": base.model_copy(update={"oracle": oracle.model_copy(update={"after_rate": 1.0})}),
    }


def _letters(names: Sequence[str]) -> np.ndarray:
    """Return which letters stand at which place of each name, bool[n, letters]."""
    letters = sorted({(at, letter) for name in names for at, letter in enumerate(name)})
    index = {letter: i for i, letter in enumerate(letters)}
    result = np.zeros((len(names), len(letters)), bool)
    for k, name in enumerate(names):
        result[k, [index[at, letter] for at, letter in enumerate(name)]] = True
    return result


def planes_of(game: FlatGame) -> np.ndarray:
    """Return what a network sees of each information set, u64[K, planes]: letters of its name, owner, actions."""
    owner = np.array([[game.owner(k) > 0] for k in range(game.infosets)])
    seen = np.where(np.concatenate([_letters(game.names), owner], axis=1), _EVERY, np.uint64(0))
    actions = np.uint64(1) << np.arange(np.diff(game.arrays.first).max(), dtype=np.uint64)
    return np.concatenate([seen, np.broadcast_to(actions, (len(seen), len(actions)))], axis=1)


@dataclass(frozen=True)
class Hidden:
    """What the player who moves does not see, by node: names from the game's `hidden(state)`."""

    of: np.ndarray
    """i32[nodes]: which"""
    names: list[str]

    def planes(self) -> np.ndarray:
        """Return u64[names, ORACLE_PLANES] with bit 0 of a plane set for each letter of the name."""
        letters = _letters(self.names)
        planes = np.zeros((len(letters), ORACLE_PLANES), np.uint64)
        planes[:, : letters.shape[1]] = letters
        return planes


def hidden_of(game: FlatGame) -> Hidden:
    """Walk the game and collect what is hidden at each decision; InputError for a game without a method `hidden`."""
    if not hasattr(game.game, "hidden"):
        raise InputError(f"{type(game.game).__name__} does not say what is hidden (a method `hidden(state)`)")
    tree, index = game.tree, dict[str, int]()
    of = np.zeros(len(tree.kind), np.int32)
    stack = [(0, game.game.root())]
    while stack:
        node, state = stack.pop()
        kind, child = tree.kind[node], tree.child[node]
        if kind >= 0:
            of[node] = index.setdefault(game.game.hidden(state), len(index))
        for a, action in enumerate(game.game.actions(state)):
            if tree.kind[child + a] != END:
                stack.append((child + a, game.game.next(state, action[0] if kind == CHANCE else action)))
    return Hidden(of, list(index))


def policy_of(network: PolicyNetwork, game: FlatGame, planes: np.ndarray, precision: Precision) -> np.ndarray:
    """Return a network's policy, f64[S]."""
    legal = np.arange(OUTPUTS[MODEL])[None] < np.diff(game.arrays.first)[:, None]
    return np.concatenate([np.ones(game.players), _probabilities(network, planes, legal, precision)[legal]])


def _probabilities(network: PolicyNetwork, planes: np.ndarray, legal: np.ndarray, precision: Precision) -> np.ndarray:
    """Return f64[n, actions]: the network's policy over legal actions, bool[n, actions]."""
    with torch.inference_mode():
        policy = log_probabilities(network.of_packed(planes, precision), torch.from_numpy(legal)).double().exp().numpy()
    return policy / policy.sum(axis=1, keepdims=True)


#: From decisions at nodes i64[m] to probabilities of the actions f64[m, any], and rows of experience with the planes.
Ask = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def by_table(game: FlatGame, planes: np.ndarray, policy: np.ndarray) -> Ask:
    """Return a player of a policy, f64[S]."""
    first, widths = game.arrays.first, np.diff(game.arrays.first)
    actions = np.arange(widths.max())
    legal = actions < widths[:, None]
    table = np.where(legal, policy[np.where(legal, first[:-1, None] + actions, 0)], 0.0)

    def ask(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kind = game.tree.kind[nodes]
        rows = np.zeros(len(nodes), experience_dtype(planes.shape[1], OUTPUTS[MODEL]))
        rows["planes"] = planes[kind]
        return table[kind], rows

    return ask


def by_network(
    game: FlatGame,
    planes: np.ndarray,
    network: PolicyNetwork,
    generator: np.random.Generator,
    hidden: Hidden | None = None,
    gamma: float = 0.0,
) -> Ask:
    """Return a player that follows a network, which is shown `gamma` of what is hidden, if it has planes for that."""
    widths = np.diff(game.arrays.first)
    bits = None if hidden is None or network.planes == planes.shape[1] else hidden.planes()

    def ask(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kind = game.tree.kind[nodes]
        seen = planes[kind]
        if bits is not None and hidden is not None:
            keys = generator.integers(0, 1 << 64, len(nodes), np.uint64)
            seen = np.concatenate(
                [seen, np.where(drop(bits[hidden.of[nodes]], gamma, keys), _EVERY, np.uint64(0))], axis=1
            )
        rows = np.zeros(len(nodes), experience_dtype(seen.shape[1], OUTPUTS[MODEL]))
        rows["planes"] = seen
        legal = np.arange(OUTPUTS[MODEL]) < widths[kind][:, None]
        shown = np.ascontiguousarray(rows["planes"][:, : network.planes])
        return _probabilities(network, shown, legal, PRECISION), rows

    return ask


def play(game: FlatGame, ask: Ask, start: np.ndarray, generator: np.random.Generator) -> Batch:
    """Play games on from nodes i64[n]; trajectory p * n + g is player p's in game g."""
    tree, first, begin, n = game.tree, game.arrays.first, game.arrays.begin, len(start)
    node, steps = start.astype(np.int64), np.zeros((game.players, n), np.int64)
    decisions: list[np.ndarray] = []
    while len(alive := np.flatnonzero(tree.kind[node] != END)):
        moved = alive[tree.kind[node[alive]] == CHANCE]
        child, width = tree.child[node[moved]], tree.width[node[moved]]
        open_ = np.arange(width.max(initial=0)) < width[:, None]
        outcomes = np.where(open_, tree.chance[np.where(open_, child[:, None] + np.arange(open_.shape[1]), 0)], 0.0)
        node[moved] = child + _drawn(outcomes, width, generator)
        games = np.setdiff1d(alive, moved, assume_unique=True)
        if not len(games):
            continue
        kind = tree.kind[node[games]]
        probabilities, rows = ask(node[games])
        action = _drawn(probabilities, np.diff(first)[kind], generator)
        who = np.searchsorted(begin, kind, side="right") - 1
        rows["trajectory"], rows["step"] = who * n + games, steps[who, games]
        rows["legal"] = np.arange(OUTPUTS[MODEL]) < np.diff(first)[kind][:, None]
        rows["action"], rows["log_probability"] = action, np.log(probabilities[np.arange(len(games)), action])
        steps[who, games] += 1
        node[games] = tree.child[node[games]] + action
        decisions.append(rows)
    trajectories = np.zeros(game.players * n, TRAJECTORY)
    trajectories["rewards"][:, 0] = tree.payoffs[tree.child[node]].T.reshape(-1)
    trajectories["game"] = np.arange(len(trajectories))
    return Batch(trajectories, {MODEL: np.concatenate(decisions)}).fill()


def _drawn(probabilities: np.ndarray, width: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draw a column of each row of f64[n, any]; what rounding leaves over falls to the last of its `width`."""
    below = probabilities.cumsum(axis=1) <= generator.random(len(probabilities))[:, None]
    return np.minimum(below.sum(axis=1), width - 1)


@dataclass
class LearningCurve:
    """NashConv over updates."""

    updates: list[int] = field(default_factory=list)
    last: list[float] = field(default_factory=list)
    averaged: list[float] = field(default_factory=list)  # of the average of iterates so far, weighed by reach
    seconds: float = 0.0


def learn(
    game: FlatGame, config: LearningConfig, seed: int, updates: int = 300, games: int = GAMES, looks: int = 6
) -> tuple[LearningCurve, PolicyNetwork]:
    """Let the learner play `games` games against itself for each of its updates; measure it `looks` times.

    A learning oracle is judged as it plays without what is hidden. Returns the curve and the network.
    """
    planes, generator = planes_of(game), np.random.default_rng(seed)
    hidden = hidden_of(game) if config.oracle else None
    torch.manual_seed(seed)
    learner = Learner({MODEL: PolicyNetwork(MODEL, SIZE, planes.shape[1])}, config, PRECISION)
    curve, total, started = LearningCurve(), np.zeros(game.sequences), time.process_time()
    when = set(np.linspace(updates / looks, updates, looks).round().astype(int).tolist())
    start = np.zeros(games, np.int64)

    def fair() -> PolicyNetwork:
        return learner.networks[MODEL].with_planes(planes.shape[1])

    for update in range(1, updates + 1):
        network = learner.networks[MODEL]
        batch = play(game, by_network(game, planes, network, generator, hidden, learner.gamma), start, generator)
        minibatch = batch.experience[MODEL]
        minibatch["advantage"] = learner.advantages_of(batch)[MODEL]
        for _ in range(config.replay.reuse):
            learner.step(MODEL, minibatch)
        learner.count_games(games)
        if update % _AVERAGED == 0 or update in when:
            policy = policy_of(fair(), game, planes, PRECISION)
            total += reach_of(game, policy)
        if update in when:
            curve.updates.append(update)
            curve.last.append(nash_conv(game, policy))
            curve.averaged.append(nash_conv(game, _averaged_policy(game, total)))
    curve.seconds = time.process_time() - started
    return curve, fair()


def _averaged_policy(game: FlatGame, reach: np.ndarray) -> np.ndarray:
    """Return the policy of summed reaches of sequences."""
    sums = np.add.reduceat(reach, game.arrays.first[:-1])
    return np.concatenate([np.ones(game.players), reach[game.players :] / np.repeat(sums, np.diff(game.arrays.first))])


def cfr_plus_within(game: FlatGame, seconds: float) -> tuple[int, float]:
    """Return how many iterations CFR+ does in that CPU time, 10,000 at most, and its NashConv then."""
    solver = Solver(game, "cfr+").run(1)
    started = time.process_time()
    while time.process_time() - started < seconds and solver.iterations < 10_000:
        solver.run(20)
    return solver.iterations, solver.nash_conv()
