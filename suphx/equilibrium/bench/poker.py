"""Speed of the poker parts beside others, in turns, one thread each, in CPU time; the fastest turn of each counts."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from simulator.jit import jit
from suphx.equilibrium.poker.betting import Sizes
from suphx.equilibrium.poker.cards import CARDS, PAIRS, card_text, parse_cards
from suphx.equilibrium.poker.endgame import Endgame
from suphx.equilibrium.poker.hands import strengths
from suphx.equilibrium.poker.holdem import OVER, act
from suphx.equilibrium.poker.match import deal_hands
from suphx.equilibrium.poker.mccfr import explore
from suphx.equilibrium.poker.policy_net import PokerPolicyNetwork, probabilities

#: Stacks in pots, and the CPU time of an iteration of postflop-solver (Rust, one thread, set-up included, full ranges,
#: bets and raises of the pot and all-in) in milliseconds, measured on two cores like those of docs/results.md.
NATIVE_SOLVER = {1: 4.7, 4: 17.0, 10: 36.0}
_ITERATIONS = 33
_BOARD = "QsJh2h8c"
_HANDS = 200_000
_TREES = 60


def _five_card_tables() -> np.ndarray:
    """Return i64[2, 13^5]: strengths of five ranks in any order, of different suits and of one."""
    ranks = np.sort(np.indices((13,) * 5).reshape(5, -1).T, axis=1)
    tables = np.zeros((2, len(ranks)), np.int64)
    strengths(4 * ranks + np.array([0, 1, 2, 3, 0]), tables[0])
    different = (np.diff(ranks, axis=1) > 0).all(1)
    suited = np.empty(different.sum(), np.int64)
    strengths(4 * ranks[different], suited)
    tables[1, different] = suited
    return tables


@jit
def _best_of_21(cards, tables, out):
    """DeepFool's evaluator: each five of the seven cards is looked up by its ranks, and the best counts."""
    rank, suit = np.empty(7, np.int64), np.empty(7, np.int64)
    for i in range(len(cards)):
        best = np.int64(0)
        for k in range(7):
            rank[k], suit[k] = cards[i, k] >> 2, cards[i, k] & 3
        for a in range(3):
            for b in range(a + 1, 4):
                for c in range(b + 1, 5):
                    for d in range(c + 1, 6):
                        for e in range(d + 1, 7):
                            at = (((rank[a] * 13 + rank[b]) * 13 + rank[c]) * 13 + rank[d]) * 13 + rank[e]
                            flush = suit[a] == suit[b] and suit[b] == suit[c] and suit[c] == suit[d]
                            best = max(best, tables[int(flush and suit[d] == suit[e]), at])
        out[i] = best


def _fastest(works: Mapping[str, Callable[[], Any]], turns: int) -> dict[str, float]:
    """Return the least CPU seconds of each work; each is called once before, so that all is compiled."""
    best = dict.fromkeys(works, float("inf"))
    for turn in range(turns + 1):
        for name, work in works.items():
            started = time.process_time()
            work()
            if turn:
                best[name] = min(best[name], time.process_time() - started)
    return best


def _evaluators(turns: int, tell: Callable[[str], None]) -> dict[str, Any]:
    hands = np.argsort(np.random.default_rng(0).random((_HANDS, CARDS)), axis=1)[:, :7].astype(np.int64)
    ours, theirs, tables = np.empty(_HANDS, np.int64), np.empty(_HANDS, np.int64), _five_card_tables()
    works: dict[str, Callable[[], Any]] = {
        "suphx": lambda: strengths(hands, ours),
        "deepfool": lambda: _best_of_21(hands, tables, theirs),
    }
    try:
        import eval7

        cards = [eval7.Card(card_text(card)) for card in range(CARDS)]
        held = [[cards[card] for card in hand] for hand in hands.tolist()]
        works["eval7"] = lambda: [eval7.evaluate(hand) for hand in held]
    except ImportError as error:
        tell(f"eval7 is left out: {error}")
    rates = {name: _HANDS / seconds for name, seconds in _fastest(works, turns).items()}
    if not np.array_equal(ours, theirs):
        raise ValueError("the two evaluators differ: their speeds cannot be compared")
    return {"hands_per_s": rates} | {f"times_{name}": rates["suphx"] / rates[name] for name in works if name != "suphx"}


def _endgames(turns: int) -> dict[str, Any]:
    speeds: dict[str, Any] = {}
    for stack, native in NATIVE_SOLVER.items():

        def solve(stack: int = stack) -> None:
            sizes = Sizes.parse("1,a")
            endgame = Endgame(parse_cards(_BOARD), 1.0, stack, np.ones((2, PAIRS)), sizes, sizes)
            for _ in range(_ITERATIONS):
                endgame.iterate()

        took = 1000 * _fastest({"suphx": solve}, turns)["suphx"] / _ITERATIONS
        speeds[str(stack)] = {"ms": took, "native_ms": native, "times_native": took / native}
    return speeds


def recursive_tree(
    network: PokerPolicyNetwork, hand: np.ndarray, explorer: int, random: np.random.Generator
) -> tuple[float, int]:
    """External sampling as DeepFool's program does it: depth first, with a call of the network at each node.

    hand: a record HAND[1]. Returns the value for the explorer in big blinds, and the number of nodes.
    """
    if hand["street"][0] == OVER:
        return (hand["stack"][0, explorer] - hand["start"][0, explorer]) / 2, 1
    policy = probabilities(network, hand)[0].astype(np.float64)
    every = hand["mover"][0] == explorer
    actions = np.flatnonzero(policy) if every else random.choice(6, 1, p=policy / policy.sum())
    value, nodes = 0.0, 1
    for action in actions:
        after = hand.copy()
        act(after[0], action)
        below, more = recursive_tree(network, after, explorer, random)
        value, nodes = value + (policy[action] if every else 1.0) * below, nodes + more
    return value, nodes


def _mccfr(turns: int) -> dict[str, Any]:
    torch.manual_seed(0)
    network = PokerPolicyNetwork()
    roots = deal_hands(np.full(6, 500), np.arange(_TREES) % 6, 2, np.arange(_TREES).astype(np.uint64))
    nodes = dict[str, int]()

    def batched() -> None:
        nodes["suphx"] = explore(network, roots, np.arange(_TREES) % 6, 0, False).nodes

    def recursive() -> None:
        random = np.random.default_rng(0)  # the same trees in each turn
        nodes["recursive"] = sum(recursive_tree(network, roots[k : k + 1].copy(), k, random)[1] for k in range(2))

    seconds = _fastest({"suphx": batched, "recursive": recursive}, turns)
    rates = {name: nodes[name] / seconds[name] for name in nodes}
    return {"nodes_per_s": rates, "times_recursive": rates["suphx"] / rates["recursive"]}


def bench_poker(turns: int, tell: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Return the speed of evaluating hands, of endgames by stack, and of MCCFR, each beside another program's.

    A peer that is not installed is left out; `tell` gets the reason.
    """
    torch.set_num_threads(1)
    numbers: dict[str, Any] = {}
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "evaluators": lambda: _evaluators(turns, tell),
        "endgames": lambda: _endgames(turns),
        "mccfr": lambda: _mccfr(turns),
    }
    for number, (name, measure) in enumerate(parts.items(), 1):
        tell(f"{name} ({number} of {len(parts)}), {turns} turns")
        numbers[name] = measure()
    return numbers
