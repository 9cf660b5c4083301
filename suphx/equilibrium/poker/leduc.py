"""Leduc hold'em cut between its rounds: the first is solved to values of the second, which is solved again afterwards.

What is done on the turn of hold'em (`leaf.py`), on a game that is small enough for an exact best response.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import torch

from suphx.equilibrium.flat_game import FlatGame, flat
from suphx.equilibrium.game import END
from suphx.equilibrium.games import Leduc
from suphx.equilibrium.poker.endgame import LeafValues
from suphx.equilibrium.poker.samples import random_range
from suphx.equilibrium.poker.value_net import PokerValueNetwork, ValueExamples, shares, train
from suphx.equilibrium.policy import Policy
from suphx.equilibrium.response import action_values, reach_of
from suphx.equilibrium.solver import Solver

#: The first rounds without a fold.
LINES = ("cc", "crc", "crrc", "rc", "rrc")
_CARDS = len(Leduc.cards)
#: Chips in the middle after each.
POTS = np.array([2.0 * (Leduc.ante + Leduc.raises[0] * line.count("r")) for line in LINES])
#: Of the network: width and number of layers, and of its training.
_HIDDEN, _LAYERS, _EPOCHS, _BATCH, _RATE = 256, 4, 40, 100, 1e-3
_TAKE, _FOLLOW = "take", "follow"


class _LeducPart:
    """One round of Leduc: the first, which ends where the second would begin, or the second after a line.

    Each player "chooses" the own card, in an information set that is to be locked at the range; where both have chosen
    the same card, nothing is won. With `opponent`, that player may take a value instead of playing on, card by card.
    A state is the cards, the actions, and whether the opponent plays on ("": to be decided).
    """

    players = 2

    def __init__(self, line: str = "", opponent: int | None = None) -> None:
        self.leduc, self.line, self.opponent = Leduc(), line, opponent

    def root(self) -> tuple:
        return (), (self.line, "") if self.line else ("",), _FOLLOW if self.opponent is None else ""

    def mover(self, state: tuple) -> int:
        cards, rounds, follows = state
        if len(cards) < 2:
            return len(cards)
        if cards[0] == cards[1] or follows == _TAKE or (not self.line and len(rounds) == 2):
            return END
        if self.opponent is not None and not follows:
            return self.opponent
        return self.leduc.mover((cards, rounds))

    def actions(self, state: tuple) -> list:
        cards, rounds, follows = state
        if len(cards) < 2:
            return list(Leduc.cards)
        return self.leduc.actions((cards, rounds)) if follows else [_TAKE, _FOLLOW]

    def next(self, state: tuple, action: str) -> tuple:
        cards, rounds, follows = state
        if len(cards) < 2 or follows:
            return *self.leduc.next((cards, rounds), action), follows
        return cards, rounds, action

    def seen(self, state: tuple) -> str:
        cards, rounds, follows = state
        if len(cards) < 2:
            return "card"
        return self.leduc.seen((cards, rounds)) if follows else cards[self.mover(state)]

    def payoffs(self, state: tuple) -> list[float]:
        cards, rounds, follows = state
        played_on = cards[0] != cards[1] and follows == _FOLLOW and (bool(self.line) or len(rounds) == 1)
        return self.leduc.payoffs((cards, rounds)) if played_on else [0.0, 0.0]


class _Open(NamedTuple):
    """A game with payoffs that are written while it is solved."""

    game: FlatGame
    sequences: np.ndarray
    """i64[lines, players, cards]: after which each comes."""
    entries: np.ndarray
    """i64, the same shape: where `game.arrays.value` has it."""


def _opened(game: FlatGame, sequences: np.ndarray) -> _Open:
    """Return a game with a payoff more for the owner of each sequence, i64[lines, players, cards], whatever others do.

    Its column is the other player's empty sequence, whose reach is 1, so that it is a counterfactual value.
    """
    arrays = game.arrays
    order = np.sort(sequences.ravel())
    ends = arrays.row[order + 1]
    other = (order < arrays.first[arrays.begin[1]]).astype(np.int32)  # 1 for the first player's sequences
    row = arrays.row + np.searchsorted(order, np.arange(len(arrays.row)))
    column, value = np.insert(arrays.column, ends, other), np.insert(arrays.value, ends, 0.0)
    entries = (ends + np.arange(len(order)))[np.searchsorted(order, sequences)]
    return _Open(replace(game, arrays=arrays._replace(row=row, column=column, value=value)), sequences, entries)


@cache
def whole_game() -> FlatGame:
    """Return Leduc itself."""
    return flat(Leduc())


@cache
def _first_round() -> _Open:
    """Return the first round, with a value at the end of each line for each player and card."""
    game = flat(_LeducPart())
    sequences = np.zeros((len(LINES), 2, _CARDS), np.int64)
    for at, line in enumerate(LINES):
        for player in range(2):
            last = max(k for k in range(len(line)) if k % 2 == player)
            for number, card in enumerate(Leduc.cards):
                infoset = game.find(f"{card} {line[:last]}")
                sequences[at, player, number] = game.place(infoset).start + game.labels[infoset].index(line[last])
    return _opened(game, sequences)


@cache
def _second_round(line: str) -> FlatGame:
    return flat(_LeducPart(line))


@cache
def _second_or_value(line: str, opponent: int) -> _Open:
    """Return the second round after a line, in which the opponent may take a value instead, by card."""
    game = flat(_LeducPart(line, opponent))
    takes = [game.place(game.find(card)).start for card in Leduc.cards]
    return _opened(game, np.array([[takes]], np.int64))


def _locked(game: FlatGame, ranges: np.ndarray, alternate: bool = True) -> Solver:
    """Return a solver with both players' cards, which are their first information sets, locked at f64[2, 6]."""
    solver = Solver(game, "cfr+", alternate=alternate)
    for player in range(2):
        solver.lock(int(game.arrays.begin[player]), ranges[player].tolist())
    return solver


def second_round_values(line: str, ranges: np.ndarray, iterations: int) -> np.ndarray:
    """Return f64[2, 6]: what each card wins after a line, in pots, when it responds best to the other's solution.

    ranges: f64[2, 6], each adds up to 1. A card outside a range has a value, too: what it would win if it came.
    """
    game = _second_round(line)
    policy = _locked(game, ranges).run(iterations).policy().probabilities
    values = [action_values(game, policy, player, best=True)[0] for player in range(2)]
    cards = [game.place(int(game.arrays.begin[player])) for player in range(2)]
    return np.stack([each[place] for each, place in zip(values, cards, strict=True)]) / POTS[LINES.index(line)]


def exact_values(iterations: int) -> LeafValues:
    """Return leaves that solve the second round of every line anew."""

    def values(ranges: np.ndarray) -> np.ndarray:
        known, total = shares(ranges)
        solved = [second_round_values(line, each, iterations) for line, each in zip(LINES, known, strict=True)]
        return np.stack(solved) * total[:, ::-1]

    return values


def network_values(network: PokerValueNetwork) -> LeafValues:
    """Return leaves with the values of a network that has learned from `leduc_examples`."""
    rest = _pot_inputs(np.arange(len(LINES)))

    @torch.no_grad()
    def values(ranges: np.ndarray) -> np.ndarray:
        known, total = shares(ranges)
        return network(torch.from_numpy(known.astype(np.float32)), rest).numpy() * total[:, ::-1]

    return values


def _pot_inputs(lines: np.ndarray) -> torch.Tensor:
    return torch.from_numpy((POTS[lines] / POTS.max()).astype(np.float32))[:, None]


def leduc_examples(count: int, seed: int, iterations: int = 150) -> ValueExamples:
    """Return solved second rounds with random ranges: by rank, in any order, in half of them without some ranks."""
    random = np.random.default_rng(seed)
    lines = np.arange(count) % 3  # later lines have the pots of earlier ones
    ranges, values = np.zeros((count, 2, _CARDS)), np.zeros((count, 2, _CARDS))
    for row in range(count):
        for player in range(2):
            weights = random_range(random, random.permutation(_CARDS // 2))[: _CARDS // 2]
            if random.random() < 0.5:
                weights[random.permutation(len(weights))[: random.integers(len(weights))]] = 0
            ranges[row, player] = np.repeat(weights / weights.sum(), 2) / 2
        values[row] = second_round_values(LINES[lines[row]], ranges[row], iterations)
    held, targets = (torch.from_numpy(each.astype(np.float32)) for each in (ranges, values))
    return ValueExamples(held, _pot_inputs(lines), targets, torch.ones(count, _CARDS, dtype=torch.bool))


def leduc_network(examples: int, seed: int) -> PokerValueNetwork:
    """Return a network that has learned from random second rounds, by the seed; with no examples an untrained one."""
    torch.manual_seed(seed)
    network = PokerValueNetwork(_CARDS, 1, _HIDDEN, _LAYERS)
    if examples:
        for _ in train(leduc_examples(examples, seed), torch.arange(examples), _EPOCHS, _BATCH, _RATE, seed, network):
            pass
    return network


def solve_cut(leaf: LeafValues, iterations: int, safe: bool = True) -> Policy:
    """Return a policy for the whole of Leduc: the first round solved to the leaf's values, then the second after it.

    iterations: of CFR+ in the first round, with one call of the leaf each, and in each second round. Safe: the opponent
    may take the values that the leaf promised on average, card by card, instead of playing the second round (CFR-D:
    Burch, Johanson and Bowling 2014). Not safe: the second round is solved for the ranges of both, as if no other hand
    could come.
    """
    first = _first_round()
    solver = _locked(first.game, np.full((2, _CARDS), 1 / _CARDS), alternate=False)
    promised = np.zeros(first.sequences.shape)
    for t in range(iterations):
        values = leaf(solver.state.reach[first.sequences]) * POTS[:, None, None]
        promised += t * values  # the average weighs what this is the value of by t
        first.game.arrays.value[first.entries] = values
        solver.run(1)
    promised /= max(iterations * (iterations - 1) / 2, 1)
    policy, whole = solver.policy(), whole_game()
    result = whole.uniform()
    _copy(policy, result, (0, 1))
    ranges, total = shares(reach_of(first.game, policy.probabilities)[first.sequences])
    for at, line in enumerate(LINES):
        if not safe:
            _copy(_locked(_second_round(line), ranges[at]).run(iterations).policy(), result, (0, 1))
            continue
        for player in range(2):
            part = _second_or_value(line, 1 - player)
            held = np.full((2, _CARDS), 1 / _CARDS)
            held[player] = ranges[at, player]
            part.game.arrays.value[part.entries] = promised[at, 1 - player] / max(total[at, player, 0], 1e-12)
            _copy(_locked(part.game, held).run(iterations).policy(), result, (player,))
    return Policy(whole, result)


def _copy(policy: Policy, result: np.ndarray, players: tuple[int, ...]) -> None:
    """Write some players' decisions of a part into a policy of the whole game, f64[S], by the names of both."""
    whole = whole_game()
    places = {name: whole.place(infoset) for infoset, name in enumerate(whole.names)}
    for infoset, name in enumerate(policy.game.names):
        if name in places and policy.game.owner(infoset) in players:
            result[places[name]] = policy.probabilities[policy.game.place(infoset)]
