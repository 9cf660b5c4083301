"""Heads-up endgames from the turn or the river on, solved by CFR, CFR+ or DCFR over all pairs of cards at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from suphx.equilibrium.npz import read_arrays, save_arrays
from suphx.equilibrium.poker.betting import Betting, BettingTree, Sizes
from suphx.equilibrium.poker.boards import Boards, dealt, padded, pairs_beside, rivers_of
from suphx.equilibrium.poker.cards import CARDS, PAIR_CARDS, PAIRS, RANKS, card_text, parse_cards
from suphx.equilibrium.poker.endgame_walk import AVERAGE, BEST, CURRENT, UPDATE, Memory, reaches, walk
from suphx.equilibrium.poker.ranges import parse_range
from suphx.errors import InputError

#: Memory that regrets and averages of a street may take.
MOST_BYTES = 4 << 30
#: By name: iteration (from 1) -> factors of the earlier averages, positive regrets and negative regrets.
RULES: dict[str, Callable[[int], tuple[float, float, float]]] = {
    # Zinkevich et al. 2007
    "cfr": lambda t: (1.0, 1.0, 1.0),
    # Tammelin 2014: regrets never below zero, iterations weighted linearly
    "cfr+": lambda t: ((t - 1) / t, 1.0, 0.0),
    # Brown and Sandholm 2019, with their alpha 1.5 and beta 0; gamma is larger than their 2
    "dcfr": lambda t: (((t - 1) / t) ** 4, (t - 1) ** 1.5 / ((t - 1) ** 1.5 + 1), 0.5),
}


#: Ranges f[lines, 2, hands] of any weight -> f[lines, 2, hands]: what each hand wins where the lines end, in pots,
#: times the weight of what it meets in the other's range, when both play on as well as they can.
LeafValues = Callable[[np.ndarray], np.ndarray]


class Leaf(Protocol):
    """What stands for the river in a turn that is not solved to the end."""

    def on(self, board: Sequence[int], stacks: np.ndarray) -> LeafValues:
        """Return the values of the pairs beside a board, at the ends of the turn with stacks f64[lines], in pots."""


class Endgame:
    """An endgame, what the solver has learned of it, and its solution.

    board: four or five different cards. pot: chips in the middle. stack: chips behind of each player (the smaller, if
    they differ). ranges: f64[2, 1326], weights of each pair; the first player acts first on both streets. turn: bet
    sizes. river: bet sizes, or what gives the values of a turn's lines in its place; where all are all in, the river is
    dealt in any case. Raises InputError for an impossible board, pot or stack, and for ranges that cannot meet on the
    board.
    """

    def __init__(
        self, board: Sequence[int], pot: float, stack: float, ranges: np.ndarray, turn: Sizes, river: Sizes | Leaf
    ) -> None:
        if len(board) not in (4, 5) or len(set(board)) != len(board):
            raise InputError(f"board {card_text(list(board))!r}: an endgame has four or five different cards")
        if not (0 < pot < 1e9 and 0 <= stack < 1e9):
            raise InputError(f"pot {pot:g}, stack {stack:g}: a pot is positive, and a stack at least 0")
        self.sizes = turn, river if isinstance(river, Sizes) else Sizes((), ())
        self.board, self.pot, self.stack = tuple(board), float(pot), float(stack)
        self.iterations = 0
        self.pairs = pairs_beside(board)
        self.ranges = self._checked(np.asarray(ranges, np.float64))
        on_turn = len(board) == 4
        self._turn_tree, self._river_tree = BettingTree(last_street=False), BettingTree(last_street=True)
        self._turn_tree.grow(turn, pot, stack if on_turn else 0.0)
        self._turn = self._turn_tree.close()
        pots = 2 * self._turn.amount[self._turn.lines].astype(np.float64)
        stacks = (stack + pot / 2) - pots / 2
        plays_on = np.full(len(pots), not isinstance(river, Sizes)) & (stacks > 1e-6 * pot)
        self._lines, self._leaves = self._turn.lines[~plays_on], self._turn.lines[plays_on]
        self._leaf_pots, self._leaf_values = pots[plays_on], None
        if not isinstance(river, Sizes):
            if not on_turn:
                raise InputError(f"board {card_text(list(board))!r}: a network's values need a turn, four cards")
            self._leaf_values = river.on(board, stacks[plays_on] / pots[plays_on])
        ends = zip(pots[~plays_on].tolist(), stacks[~plays_on].tolist(), strict=True)
        roots = [self._river_tree.grow(self.sizes[1], *end) for end in ends]
        self._roots, self._river = np.array(roots, np.int32), self._river_tree.close()
        self.rivers = rivers_of(board)
        self._rivers = dealt(board, self.pairs, self.rivers)
        none = np.zeros(len(self.pairs), np.int32)
        self._boards = Boards(*(np.array([each], np.int32) for each in (none, *PAIR_CARDS[self.pairs].T, none)))
        self._turn_memory = self._memory(self._turn, 1, len(self.pairs))
        self._river_memory = self._memory(self._river, len(self.rivers), self._rivers.order.shape[1])

    @classmethod
    def parse(
        cls, ranges: Sequence[str], board: str, pot: float, stack: float, turn: str, river: str | Leaf
    ) -> Endgame:
        """Return an endgame of two ranges, a board and bet sizes in the players' notation."""
        held = np.stack([parse_range(text) for text in ranges])
        last = Sizes.parse(river) if isinstance(river, str) else river
        return cls(parse_cards(board), pot, stack, held, Sizes.parse(turn), last)

    def _checked(self, ranges: np.ndarray) -> np.ndarray:
        """Return the ranges without what the board excludes, each with the sum 1."""
        if ranges.shape != (2, PAIRS) or not np.isfinite(ranges).all() or (ranges < 0).any():
            raise InputError(f"a range is {PAIRS} finite weights of at least 0")
        left = np.zeros_like(ranges)
        left[:, self.pairs] = ranges[:, self.pairs]
        for player, total in enumerate(left.sum(1)):
            if total <= 0:
                raise InputError(f"player {player + 1} has no hands left on {card_text(list(self.board))}")
        left /= left.sum(1, keepdims=True)
        by_card = [np.bincount(PAIR_CARDS.ravel(), np.repeat(each, 2), CARDS) for each in left]
        #: Probability that two independently dealt pairs have no card in common.
        self.meet = float(1 - by_card[0] @ by_card[1] + left[0] @ left[1])
        if self.meet < 1e-9:
            raise InputError("the players cannot both have a hand: any two of their hands share a card")
        return left

    @staticmethod
    def _memory(betting: Betting, boards: int, pairs: int) -> Memory:
        shape = (boards, len(betting.child), padded(pairs))
        if 8 * np.prod(shape, dtype=np.float64) > MOST_BYTES:
            raise InputError(f"{len(betting.child)} actions of the public tree are too many: give fewer bet sizes")
        locked = np.zeros((boards, len(betting.kind)), np.bool_)
        return Memory(np.zeros(shape, np.float32), np.zeros(shape, np.float32), locked)

    def _walk(self, player: int, purpose: int, factors: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> np.ndarray:
        count = len(self.pairs)
        held = np.zeros((2, padded(count)), np.float32)
        held[:, :count] = self.ranges[:, self.pairs]
        worths = np.zeros((len(self._leaves), held.shape[1]), np.float32)
        if self._leaf_values is not None and len(self._leaves):
            now = CURRENT if purpose == UPDATE else AVERAGE
            reach = reaches(self._turn, self._turn_memory, held, self._leaves, now)[:, :, :count]
            worths[:, :count] = self._leaf_values(reach)[:, player] * self._leaf_pots[:, None]
        return walk(
            self._turn, self._turn_memory, self._boards, self._river, self._lines, self._roots, self._river_memory,
            self._rivers, self._leaves, worths, held[1 - player], player, purpose, *map(np.float32, factors),
        )[:count]  # fmt: skip

    def iterate(self, rule: str = "dcfr") -> None:
        """Carry out one iteration: an update of each player in turn."""
        self.iterations += 1
        factors = RULES[rule](self.iterations)
        for player in (0, 1):
            self._walk(player, UPDATE, factors)

    def solve(self, iterations: int, target: float = 0.0, rule: str = "dcfr", every: int = 10) -> Iterator[float]:
        """Iterate until the target; yields the exploitability, a fraction of the pot, every few iterations."""
        while self.iterations < iterations:
            self.iterate(rule)
            if self.iterations % every == 0 or self.iterations == iterations:
                yield (reached := self.exploitability())
                if reached <= target:
                    return

    def values(self, purpose: int = AVERAGE) -> np.ndarray:
        """Return f64[2, 1326]: what each pair wins, in pots, times the weight of what it may meet in the other's range.

        Chips that were in the pot before count half to each player, so both players' values, weighted by their ranges,
        add up to nothing. purpose: AVERAGE, of the averages against each other; BEST, of a best response to them.
        """
        values = np.zeros((2, PAIRS))
        for player in (0, 1):
            values[player, self.pairs] = self._walk(player, purpose) / self.pot
        return values

    def exploitability(self) -> float:
        """Return what a best response gains on average over both seats, as a fraction of the pot: half the NashConv.

        Raises ValueError where a network's values stand for the river: nobody knows what a best response gains there.
        """
        self._check_whole()
        return float((self.values(BEST) * self.ranges).sum() / 2 / self.meet)

    def _check_whole(self) -> None:
        if self._leaf_values is not None:
            raise ValueError("this turn ends in a network's values: `turn_loss` says how well it is solved")

    def expected(self) -> tuple[float, float]:
        """Return both players' expected share of the pot, in chips, when both play their averages."""
        won = (self.values() * self.ranges).sum(1) / self.meet
        return self.pot * (0.5 + won[0]), self.pot * (0.5 + won[1])

    def _forget(self) -> None:
        """Begin anew, but for what is locked: what was learned before belongs to another game."""
        self.iterations = 0
        for memory, betting in ((self._turn_memory, self._turn), (self._river_memory, self._river)):
            memory.sums[:] = 0
            per_edge = np.repeat(memory.locked, np.diff(betting.first_edge), axis=1)
            memory.regrets[~per_edge] = 0

    def _find(self, path: Sequence[str]) -> tuple[Memory, BettingTree, int, int, np.ndarray]:
        """Return where a path leads to: memory, tree, board, node, and the pairs in the order of the memory."""
        cards = [at for at, word in enumerate(path) if len(word) == 2 and word[0] in RANKS]
        if len(self.board) == 5:
            line, river, rest = int(self._turn.lines[0]), self.rivers[0], list(path)
        elif not cards:
            node = self._turn_tree.follow(0, path)
            return self._turn_memory, self._turn_tree, 0, node, self.pairs
        else:
            line, rest = self._turn_tree.follow(0, path[: cards[0]]), list(path[cards[0] + 1 :])
            river = parse_cards(path[cards[0]])[0]
            if line in self._leaves:
                raise InputError(f"{'-'.join(path)}: values of a network stand for the river, which is not solved")
            if line not in self._lines:
                raise InputError(f"{'-'.join(path)}: the turn does not end before {path[cards[0]]}")
            if river not in self.rivers:
                raise InputError(f"{'-'.join(path)}: {card_text(river)} is on the board")
        root = int(self._roots[np.flatnonzero(self._lines == line)[0]])
        board = self.rivers.index(river)
        return (
            self._river_memory, self._river_tree, board, self._river_tree.follow(root, rest),
            self.pairs[self._rivers.order[board]],
        )  # fmt: skip

    def actions(self, path: Sequence[str]) -> list[str]:
        """Return the actions after a path: labels of actions, and a card for the river (`["x", "b100", "c", "Ah"]`)."""
        _, tree, _, node, _ = self._find(path)
        return tree.labels(node)

    def strategy(self, path: Sequence[str]) -> np.ndarray:
        """Return f64[actions, 1326], the average strategy after a path; 0 for pairs that cannot be held there."""
        memory, tree, board, node, pairs = self._find(path)
        edges = tree.edges(node)
        weights = (memory.regrets if memory.locked[board, node] else memory.sums)[board, edges, : len(pairs)]
        total = weights.sum(0, dtype=np.float64)
        strategy = np.zeros((len(weights), PAIRS))
        strategy[:, pairs] = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / max(len(weights), 1))
        return strategy

    def reach(self, path: Sequence[str]) -> np.ndarray:
        """Return f64[2, 1326]: the weight with which each pair of both players comes along a path."""
        reach = self.ranges.copy()
        for at, word in enumerate(path):
            _, tree, _, node, _ = self._find(path[:at])
            if word in tree.labels(node):
                reach[tree.kind(node)] *= self.strategy(path[:at])[tree.labels(node).index(word)]
            else:
                reach[:, (PAIR_CARDS == parse_cards(word)[0]).any(1)] = 0
        return reach

    def frequencies(self, path: Sequence[str]) -> list[float]:
        """Return how often each action is taken after a path, over all hands that both players come there with."""
        _, tree, _, node, _ = self._find(path)
        if not tree.labels(node):
            return []
        reach = self.reach(path)
        own, other = reach[tree.kind(node)], reach[1 - tree.kind(node)]
        by_card = np.bincount(PAIR_CARDS.ravel(), np.repeat(other, 2), CARDS)
        weight = own * (other.sum() - by_card[PAIR_CARDS].sum(1) + other)
        return (self.strategy(path) @ weight / max(weight.sum(), 1e-300)).tolist()

    def csv(self, path: Sequence[str]) -> str:
        """Return the average strategy after a path as CSV: hand, then the share of each action."""
        strategy = self.strategy(path)
        lines = [",".join(["hand", *self.actions(path)])]
        for pair in np.flatnonzero(strategy.any(0))[::-1]:
            lines.append(
                ",".join([card_text(PAIR_CARDS[pair][::-1]), *(f"{share:.6f}" for share in strategy[:, pair])])
            )
        return "\n".join(lines) + "\n"

    def parse_lock(self, text: str) -> tuple[list[str], np.ndarray]:
        """Return path and strategy for `lock`, the same for all pairs, of a text such as `x-b100=f:0.4,c:0.6`."""
        place, _, shares = text.rpartition("=")
        path = [word for word in place.split("-") if word]
        labels = self.actions(path)
        strategy = np.zeros((len(labels), PAIRS))
        for word in shares.split(","):
            label, _, number = word.partition(":")
            try:
                strategy[labels.index(label)] = float(number)
            except ValueError:
                options = ", ".join(labels)
                raise InputError(f"lock {text!r}: {word!r} is no share of one of the actions {options}") from None
        return path, strategy

    def lock(self, path: Sequence[str], strategy: np.ndarray) -> None:
        """Fix the strategy at a decision, f64[actions, 1326]; the solver begins anew, and solves the rest against it.

        Raises InputError for an end, and for a pair whose probabilities do not add up to 1.
        """
        memory, tree, board, node, pairs = self._find(path)
        labels = tree.labels(node)
        if not labels:
            raise InputError(f"{'-'.join(path)}: nobody decides anything here")
        wanted = np.asarray(strategy, np.float64)[:, pairs]
        if len(wanted) != len(labels) or not (wanted >= 0).all() or not np.allclose(wanted.sum(0), 1, atol=1e-6):
            raise InputError(f"{'-'.join(path)}: a locked strategy needs probabilities of {', '.join(labels)}")
        memory.locked[board, node] = True
        self._forget()
        memory.regrets[board, tree.edges(node), : len(pairs)] = wanted

    def _memories(self) -> dict[str, np.ndarray]:
        """Return all arrays that the solver remembers, by street and name."""
        streets = (("turn", self._turn_memory), ("river", self._river_memory))
        return {f"{street}_{name}": each for street, memory in streets for name, each in memory._asdict().items()}

    def save(self, path: Path) -> None:
        """Write the endgame and all that the solver knows (.npz); an existing file is replaced as a whole or not.

        Raises ValueError where a network's values stand for the river.
        """
        self._check_whole()
        arrays = {
            "board": np.array(self.board, np.int64), "chips": np.array([self.pot, self.stack]), "ranges": self.ranges,
            "sizes": np.array([each.text() for each in self.sizes]),
            "iterations": np.array(self.iterations, np.int64),
        }  # fmt: skip
        save_arrays(path, arrays | self._memories(), compressed=False)

    @classmethod
    def load(cls, path: Path) -> Endgame:
        """Read what `save` wrote; InputError names the file if it is anything else. Nothing is unpickled."""
        names = [f"{street}_{name}" for street in ("turn", "river") for name in Memory._fields]
        arrays = read_arrays(path, ["board", "chips", "ranges", "sizes", "iterations", *names])
        board, chips, sizes = arrays["board"], arrays["chips"], arrays["sizes"]
        try:
            kinds = {"board": "i", "chips": "f", "iterations": "i", "ranges": "f", "sizes": "U"}
            if wrong := [name for name, kind in kinds.items() if arrays[name].dtype.kind != kind]:
                raise InputError(f"its {wrong[0]} are not those of an endgame")
            if (chips.shape, sizes.shape, arrays["iterations"].shape) != ((2,), (2,), ()):
                raise InputError("its pot, stack, bet sizes or iterations are not those of an endgame")
            if board.shape not in ((4,), (5,)) or ((board < 0) | (board >= CARDS)).any():
                raise InputError("its board is no board")
            turn, river = (Sizes.parse(str(text)) for text in sizes)
            pot, stack = chips.tolist()
            endgame = cls(board.tolist(), pot, stack, arrays["ranges"], turn, river)
            endgame.iterations = int(arrays["iterations"])
            for name, memory in endgame._memories().items():
                values = arrays[name]
                if values.shape != memory.shape or values.dtype != memory.dtype or not np.isfinite(values).all():
                    raise InputError(f"its {name.replace('_', ' ')} do not fit its own tree")
                memory[:] = values
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        return endgame
