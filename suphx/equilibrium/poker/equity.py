"""Equity: the share of the pot that ranges win when all cards come, exactly or by random deals; ties are shared."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from suphx.equilibrium.poker.cards import CARDS, PAIR_CARDS, card_text
from suphx.equilibrium.poker.hands import BITS, strength
from suphx.equilibrium.poker.holdem import ALL_IN, CALL, FOLD, POT, SEATS, TWO_POTS, random_number
from suphx.errors import InputError
from suphx.intervals import QUANTILE

#: Showdowns that the exact computation may need; about ten seconds' work.
MOST_SHOWDOWNS = 500_000_000
_PAIR_BITS = BITS[PAIR_CARDS[:, 0]] | BITS[PAIR_CARDS[:, 1]]


class Equity(NamedTuple):
    """What each of n ranges wins on average."""

    share: np.ndarray
    """f64[n]: of the pot; adds up to 1."""
    win: np.ndarray
    """f64[n]: probability to win alone."""
    tie: np.ndarray
    """f64[n]: probability to share."""
    half_width: np.ndarray
    """f64[n]: half the 95 % interval of `share`; 0 if exact."""


def _checked(ranges: np.ndarray, board: Sequence[int]) -> np.ndarray:
    if len(board) > 5 or len(set(board)) != len(board):
        raise InputError(f"board {card_text(list(board))!r}: at most five different cards")
    left = np.where(np.isin(PAIR_CARDS, np.array(board, np.int64)).any(1), 0.0, ranges)
    for player, weights in enumerate(left):
        if not weights.any():
            raise InputError(f"player {player + 1} has no hands left on {card_text(list(board))}")
    return left


@jit
def _showdown(held, board, share, win, tie, weight):
    """Add one showdown of n hands (sets of cards) to the sums."""
    best, winners = np.int64(-1), 0
    worth = np.empty(len(held), np.int64)
    for player in range(len(held)):
        worth[player] = strength(board | held[player])
        if worth[player] > best:
            best, winners = worth[player], 0
        winners += worth[player] == best
    for player in range(len(held)):
        if worth[player] == best:
            share[player] += weight / winners
            if winners == 1:
                win[player] += weight
            else:
                tie[player] += weight


@jit
def _exact(hands, weights, boards, share, win, tie):
    """Add all showdowns of combinations of hands i64[k, players] on boards i64[m] (completions, as sets of cards)."""
    total = 0.0
    for combination in range(len(hands)):
        held = hands[combination]
        taken = np.int64(0)
        for player in range(len(held)):
            taken |= held[player]
        for board in range(len(boards)):
            if taken & boards[board] == 0:
                _showdown(held, boards[board], share, win, tie, weights[combination])
                total += weights[combination]
    return total


def exact_equity(ranges: np.ndarray, board: Sequence[int] = ()) -> Equity:
    """Return the equity over all combinations of hands and all completions of the board.

    ranges: f64[players, 1326], 2 to 10 of them. Raises InputError for a range without hands on the board, for ranges
    that cannot be held at once, and if there are too many combinations (`sampled_equity` then).
    """
    left = _checked(ranges, board)
    free = [card for card in range(CARDS) if card not in board]
    completions = comb(len(free), 5 - len(board))
    hands, weights = np.zeros((1, 0), np.int64), np.ones(1)
    for range_ in left:
        pairs = np.flatnonzero(range_)
        if len(hands) * len(pairs) * completions > MOST_SHOWDOWNS:
            raise InputError(f"{len(hands) * len(pairs) * completions:,} showdowns are too many: give --samples")
        grown = np.hstack([np.repeat(hands, len(pairs), 0), np.tile(_PAIR_BITS[pairs], len(hands))[:, None]])
        taken = np.bitwise_or.reduce(grown[:, :-1], axis=1) if grown.shape[1] > 1 else np.zeros(len(grown), np.int64)
        fits = (taken & grown[:, -1]) == 0
        hands, weights = grown[fits], np.outer(weights, range_[pairs]).ravel()[fits]
    if not len(hands):
        raise InputError("the players cannot all have a hand: any choice of hands has a card twice")
    rest = np.array(list(combinations(free, 5 - len(board))), np.int64).reshape(completions, 5 - len(board))
    sums = np.zeros((3, len(left)))
    fixed = np.bitwise_or.reduce(BITS[np.array(board, np.int64)]) if len(board) else np.int64(0)
    total = _exact(hands, weights, np.bitwise_or.reduce(BITS[rest], axis=1) | fixed, *sums)
    share, win, tie = sums / total
    return Equity(share, win, tie, np.zeros(len(left)))


@jit
def _sampled(cumulated, pair_bits, bits, board, missing, uniforms, tries, share, squares, win, tie):
    """Deal at random until the uniform numbers f64[] are used up; returns the deals, which all have the same weight."""
    players, deals, at = len(cumulated), 0, 0
    held, one = np.zeros(players, np.int64), np.zeros(players)
    need = players + 64  # far more than the redrawn cards of any deal
    while at + need <= len(uniforms):
        taken, fits = board, True
        for player in range(players):
            # a combination with a card twice is drawn anew as a whole, so that the rest keep their probabilities
            pair = np.searchsorted(cumulated[player], uniforms[at] * cumulated[player, -1], side="right")
            at += 1
            held[player] = pair_bits[pair]
            fits &= (taken & held[player]) == 0
            taken |= held[player]
        tries[0] += 1
        if not fits:
            continue
        dealt, came = 0, board
        while dealt < missing and at < len(uniforms):
            card = bits[int(uniforms[at] * 52)]
            at += 1
            if (taken | came) & card == 0:
                came |= card
                dealt += 1
        if dealt < missing:
            break
        one[:] = 0
        _showdown(held, came, one, win, tie, 1.0)
        for player in range(players):
            share[player] += one[player]
            squares[player] += one[player] ** 2
        deals += 1
    return deals


def sampled_equity(ranges: np.ndarray, board: Sequence[int] = (), deals: int = 100_000, seed: int = 0) -> Equity:
    """Return the equity over random deals, with its interval; arguments and errors as for `exact_equity`."""
    left = _checked(ranges, board)
    cumulated, random = np.cumsum(left, axis=1), np.random.default_rng(seed)
    share, squares, win, tie = np.zeros((4, len(left)))
    fixed = np.bitwise_or.reduce(BITS[np.array(board, np.int64)]) if len(board) else np.int64(0)
    done, tries = 0, np.zeros(1, np.int64)
    while done < deals:
        done += _sampled(cumulated, _PAIR_BITS, BITS, fixed, 5 - len(board), random.random(1 << 16), tries, share,
                         squares, win, tie)  # fmt: skip
        if tries[0] > 100_000 and done < tries[0] / 10_000:
            raise InputError("the players can hardly all have a hand: nearly any choice of hands has a card twice")
    deviation = np.sqrt(np.maximum(squares / done - (share / done) ** 2, 0))
    return Equity(share / done, win / done, tie / done, QUANTILE * deviation / done**0.5)


@jit
def fill_deck(seen, deck):
    """Write the bits of the cards that are not in a mask to deck i64[52]; return how many."""
    left = 0
    for card in range(CARDS):
        if seen & BITS[card] == 0:
            deck[left] = BITS[card]
            left += 1
    return left


@jit
def draw(deck, left, count, state):
    """Bring random cards of the first `left` of a deck to its first places; return the next state."""
    for at in range(count):
        state, number = random_number(state)
        chosen = at + int(number * (left - at))
        deck[at], deck[chosen] = deck[chosen], deck[at]
    return state


@jit
def chance(hand, seed, deals, deck):
    """Return the mover's sampled equity against as many random hands as there are opponents left.

    It depends on the seed and on what the mover sees alone. hand: a record HAND that is not over. deck: i64[52],
    work space.
    """
    seat, held, board = hand["mover"], np.int64(0), np.int64(0)
    shown = 0 if hand["street"] == 0 else min(hand["street"] + 2, 5)
    for at in range(2):
        held |= BITS[hand["cards"][2 * seat + at]]
    for at in range(shown):
        board |= BITS[hand["cards"][2 * SEATS + at]]
    left, others = fill_deck(held | board, deck), -1
    for other in range(hand["seats"]):
        others += hand["folded"][other] == 0
    state, _ = random_number(np.uint64(seed) ^ np.uint64(held | board) ^ (np.uint64(others) << np.uint64(61)))
    need, won = 5 - shown + 2 * others, 0.0
    for _ in range(deals):
        state = draw(deck, left, need, state)
        full = board
        for at in range(5 - shown):
            full |= deck[at]
        own, equal, beaten = strength(full | held), 1, False
        for other in range(others):
            at = 5 - shown + 2 * other
            theirs = strength(full | deck[at] | deck[at + 1])
            beaten |= theirs > own
            equal += theirs == own
        won += 0.0 if beaten else 1.0 / equal
    return won / deals


@jit
def chances(hands, seed, deals, out):
    """Write `chance` of each hand to out f32[n]."""
    deck = np.empty(CARDS, np.int64)
    for k in range(len(hands)):
        out[k] = chance(hands[k], seed, deals, deck)


@jit
def by_thresholds(can, won, call, bet):
    """Return the action of a player who calls from one chance to win on, and bets from another; can: bool[6]."""
    chosen = CALL if won >= call or not can[FOLD] else FOLD
    for action, least in ((POT, bet), (TWO_POTS, bet + 0.1), (ALL_IN, bet + 0.2)):
        if won >= least and can[action]:
            chosen = action
    return chosen
