"""Matches: the same deals at every seat, and what a player wins there per hundred hands."""

from collections.abc import Iterator

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.holdem import OVER, act, deal, new_hands
from suphx.equilibrium.poker.players import PokerPlayer


@jit
def _deal_all(hands, stacks, button, most_raises, seeds):
    for k in range(len(hands)):
        deal(hands[k], stacks, button[k], most_raises, seeds[k])


@jit
def act_all(hands, policy, draws):
    """Carry out one action in each hand, chosen by policy f32[n, 6] and draws f64[n] in [0, 1)."""
    for k in range(len(hands)):
        total, chosen = 0.0, -1
        for action in range(6):
            total += policy[k, action]
            if policy[k, action] > 0 and (chosen < 0 or total - policy[k, action] <= draws[k]):
                chosen = action
        act(hands[k], chosen)


def deal_hands(stacks: np.ndarray, buttons: np.ndarray, most_raises: int, seeds: np.ndarray) -> np.ndarray:
    """Return HAND[n], dealt from seeds u64[n] with the button at buttons i64[n]."""
    hands = new_hands(len(seeds))
    _deal_all(hands, stacks, buttons, most_raises, seeds)
    return hands


def play_hands(hands: np.ndarray, seats: np.ndarray, players: list[PokerPlayer], seed: int) -> None:
    """Play hands to their ends in place; seats: i64[n, seats], which of the players sits where."""
    random = np.random.default_rng(seed)
    going = np.arange(len(hands))
    while len(going := going[hands["street"][going] != OVER]):
        mover = seats[going, hands["mover"][going]]
        for number, player in enumerate(players):
            here = going[mover == number]
            if len(here):
                decisions = hands[here]
                act_all(decisions, player(decisions, int(random.integers(1 << 62))), random.random(len(here)))
                hands[here] = decisions


def duplicate(
    challenger: PokerPlayer,
    opponent: PokerPlayer,
    stacks: np.ndarray,
    most_raises: int,
    deals: int,
    seed: int,
    batch: int = 1000,
) -> Iterator[np.ndarray]:
    """Play each deal once with the challenger at each seat, the opponent at the others; yields results in batches.

    The button goes round from deal to deal. Yields f64[k], big blinds per hundred hands that the challenger won in each
    deal, on average over the seats.
    """
    size, random = len(stacks), np.random.default_rng([seed, 1])
    for first in range(0, deals, batch):
        count = min(batch, deals - first)
        seeds = np.repeat(np.random.default_rng([seed, 0, first]).integers(1 << 62, size=count).astype(np.uint64), size)
        own = np.tile(np.arange(size), count)
        hands = deal_hands(stacks, np.repeat((first + np.arange(count)) % size, size), most_raises, seeds)
        seats = (np.arange(size) != own[:, None]).astype(np.int64)
        play_hands(hands, seats, [challenger, opponent], int(random.integers(1 << 62)))
        row = np.arange(len(hands))
        won = hands["stack"][row, own] - hands["start"][row, own]
        yield won.reshape(count, size).mean(1) / 2 * 100
