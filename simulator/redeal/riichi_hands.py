"""Resampling of the hidden hands of seats in riichi: tenpai, and consistent with what they have done since."""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.legal import closed_kong_in_riichi
from simulator.record import EVENT_CLOSED_KONG, EVENT_RIICHI, PHASE_RIICHI_DISCARD
from simulator.redeal import deal_sampling as sampling
from simulator.redeal.missed_wins import has_let_a_win_go
from simulator.redeal.tenpai_automaton import TenpaiAutomata
from simulator.shanten import tenpai_discards, waits
from simulator.tiles import KINDS

#: Hands are drawn in turns if none of so many trial draws apart, by a key of their own, has had no tile in common.
_TRIALS, _TRIAL_KEY = 1 << 12, 0x747269616C
#: Attempts to draw apart, after which hands are drawn in turns as well, and attempts in turns, before drawing gives up.
ATTEMPTS, _ATTEMPTS_IN_TURNS = 1 << 15, 1 << 11
#: Draws rejected because a hand has missed a win, before such hands are accepted after all.
_REFUSALS = 1 << 9


@jit
def has_just_declared(game, seat):
    """Return whether a seat has declared riichi but not made the declaring discard yet."""
    return game["phase"] == PHASE_RIICHI_DISCARD and game["turn"] == seat


@jit
def _kongs_in_riichi_are_legal(lookup, game, seat, counts):
    """Return whether the closed kongs that a seat made in riichi were legal, if it now holds `counts` u8[34].

    In riichi the hand changes only by kongs, so it is traced back: before each kong it held three tiles of the kind and
    drew the fourth. The seat's fields are used as scratch space and restored.
    """
    melds, waited = np.int64(game["n_melds"][seat]), game["waits"][seat]
    hand = game["hand"][seat]
    held = hand.copy()
    hand[:] = counts
    legal = True
    for n in range(np.int64(game["n_events"]) - 1, -1, -1):
        event = np.int64(game["events"][n])
        if event >> 4 & 3 != seat:
            continue
        if event & 15 == EVENT_RIICHI:
            break
        if event & 15 == EVENT_CLOSED_KONG:
            kind = event >> 10
            game["n_melds"][seat] -= 1
            hand[kind] = 3
            game["waits"][seat] = waits(lookup, hand, np.int64(game["n_melds"][seat]))
            hand[kind] = 4
            legal = closed_kong_in_riichi(lookup, game, seat, kind)
            hand[kind] = 3
            if not legal:
                break
    game["n_melds"][seat] = melds
    game["waits"][seat] = waited
    hand[:] = held
    return legal


@jit
def _takes_every_win(lookup, game, seat, counts):
    """Return whether a seat in riichi has missed no win, if it now holds `counts` u8[34] (without a tile just drawn).

    The seat's fields are used as scratch space and restored.
    """
    waited, hand = game["waits"][seat], game["hand"][seat]
    held = hand.copy()
    hand[:] = counts
    game["waits"][seat] = waits(lookup, hand, np.int64(game["n_melds"][seat]))
    taken = not has_let_a_win_go(game, seat)
    game["waits"][seat] = waited
    hand[:] = held
    return taken


@jit
def _discard_chance(lookup, hand, n_melds, drawn):
    """Add a tile to a tenpai hand i8[34]; return 1 / (number of its tiles whose discard leaves it tenpai).

    A hand of 3n+2 tiles is drawn as a tenpai hand plus one tile, in as many ways as it has such discards. Accepting it
    with this probability makes all such hands equally likely.
    """
    hand[drawn] += 1
    counts = hand.astype(np.uint8)
    kinds = tenpai_discards(lookup, counts, n_melds)
    tiles = 0
    for kind in range(KINDS):
        if kinds >> kind & 1:
            tiles += hand[kind]
    return 1.0 / tiles


@jit
def _draw_kind(stream, available, hands):
    """Return the kind of a tile drawn uniformly from those that `hands` i8[n, 34] leave, or -1 if there are none."""
    left = available - hands.sum(axis=0)
    total = left.sum()
    if total == 0:
        return -1
    place = sampling.draw_below(stream, total)
    kind = 0
    while place >= left[kind]:
        place -= left[kind]
        kind += 1
    return kind


class CountedHands(NamedTuple):
    """The counts for the tiles that are unseen now, kept for further deals of the same tiles."""

    tiles: np.ndarray
    """i8[34]: the numbers of tiles of each kind for which `hands` was counted."""
    melds: np.ndarray
    """i8[3]: the numbers of melds of the hands that were tried, -1 for none."""
    hands: sampling.HandCounts
    """Filled by `draw_riichi_hands` as needed."""
    crowded: np.ndarray
    """bool[1]: whether no trial draw of such hands from these tiles was apart."""
    scratch: sampling.HandCounts
    """For `draw_in_turns`."""


def nothing_counted(automata: TenpaiAutomata) -> CountedHands:
    """Return an initial Counted that is valid for no position."""
    none = np.full(KINDS, -1)
    hands, scratch = sampling.new_counts(automata), sampling.new_counts(automata)
    return CountedHands(none, none[:3].copy(), hands, np.zeros(1, np.bool_), scratch)


@jit
def _count(automata, available, melds, counted, hands):
    """Count the hands that can be drawn from the tiles, and try whether they can be drawn apart."""
    known = True
    for n in range(len(counted.melds)):
        number = melds[n] if n < len(melds) else -1
        known = known and counted.melds[n] == number
        counted.melds[n] = number
    if known and (counted.tiles == available).all():
        return
    counted.tiles[:] = available
    sampling.count_hands(automata, available, counted.hands)
    counted.crowded[0] = len(melds) > 1
    for n in melds:
        if sampling.number_of_hands(automata, counted.hands, n) == 0.0:
            return
    stream = sampling.open_stream(np.uint64(_TRIAL_KEY))
    for _ in range(_TRIALS):
        if not counted.crowded[0]:
            return
        counted.crowded[0] = not sampling.draw_apart(automata, available, counted.hands, melds, stream, hands)


@jit
def draw_riichi_hands(lookup, automata, game, seats, available, wins_taken, counted, stream, hands):
    """Draw the hands of `seats` in riichi and write their counts into `hands` i8[n, 34].

    `wins_taken`: prefer hands that have missed no win, as long as such hands are found. Return whether any hands fit.
    """
    melds = np.empty(len(seats), np.int64)
    for n in range(len(seats)):
        melds[n] = game["n_melds"][seats[n]]
    _count(automata, available, melds, counted, hands)
    for n in melds:
        if sampling.number_of_hands(automata, counted.hands, n) == 0.0:
            return False
    refused = 0
    for attempt in range(ATTEMPTS if counted.crowded[0] else 0, ATTEMPTS + _ATTEMPTS_IN_TURNS):
        if attempt < ATTEMPTS or len(melds) == 1:
            if not sampling.draw_apart(automata, available, counted.hands, melds, stream, hands):
                continue
        elif not sampling.draw_in_turns(automata, available, counted.scratch, melds, stream, hands):
            continue
        fits = True
        for n in range(len(seats)):
            fits = fits and _kongs_in_riichi_are_legal(lookup, game, seats[n], hands[n].astype(np.uint8))
        if fits and wins_taken and refused < _REFUSALS:
            for n in range(len(seats)):
                fits = fits and _takes_every_win(lookup, game, seats[n], hands[n].astype(np.uint8))
            refused += not fits
        for n in range(len(seats)):
            if fits and has_just_declared(game, seats[n]):
                drawn = _draw_kind(stream, available, hands)
                fits = drawn >= 0 and sampling.draw_unit(stream) < _discard_chance(lookup, hands[n], melds[n], drawn)
        if fits:
            return True
    return False
