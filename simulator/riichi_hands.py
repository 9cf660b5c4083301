"""The hands of other seats in riichi, drawn anew: tenpai, and such that what they did since was legal."""

from __future__ import annotations

import numpy as np

from simulator.deal_sampling import count_hands, draw_below, draw_unit, number_of_hands
from simulator.jit import jit
from simulator.joint_sampling import count_joint, draw_apart, draw_together, no_joint_counts, number_of_joint_hands
from simulator.legal import closed_kong_in_riichi
from simulator.record import EVENT_CLOSED_KONG, EVENT_RIICHI, PHASE_RIICHI_DISCARD
from simulator.shanten import tenpai_discards, waits
from simulator.tenpai_automaton import HAND_TILES
from simulator.tiles import KINDS

#: More of the unseen tiles than this in riichi hands: these are drawn together, not independently until they fit.
_CROWDED = 0.54
#: Independent draws before hands are drawn together all the same; with one hand, or together, before giving up.
ATTEMPTS = 1 << 16


@jit
def has_just_declared(game, seat):
    """Return whether a seat has declared riichi and not discarded yet."""
    return game["phase"] == PHASE_RIICHI_DISCARD and game["turn"] == seat


@jit
def _kongs_in_riichi_are_legal(lookup, game, seat, counts):
    """Return whether the closed kongs a seat has made in riichi were legal if it holds `counts` u8[34] now.

    The hand has not changed otherwise, so that it is followed back: before a kong it held three of the kind and drew
    the fourth. The seat's fields serve as scratch paper.
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
def _discard_chance(lookup, hand, n_melds, drawn):
    """Return one over the number of tiles that a tenpai hand i8[34] with one more tile may discard to be tenpai.

    A hand of 3n+2 tiles is drawn as a tenpai hand and a tile: in as many ways as it has such discards. Kept with this
    probability, each is as likely as any other. The hand gets the tile.
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
    """Return the kind of a tile drawn uniformly from what `hands` i8[n, 34] leave, or -1 if they leave none."""
    left = available - hands.sum(axis=0)
    if left.sum() == 0:
        return -1
    place = draw_below(stream, left.sum())
    kind = 0
    while place >= left[kind]:
        place -= left[kind]
        kind += 1
    return kind


@jit
def no_counts(automata):
    """Return the counts to begin with: of no tiles."""
    nothing = np.zeros(0, np.int64)
    return nothing, nothing, count_hands(automata, np.zeros(KINDS, np.int64)), no_joint_counts()


@jit
def draw_riichi_hands(lookup, automata, game, seats, available, counted, stream, hands):
    """Write the counts i8[n, 34] of the hands of `seats` in riichi; return whether there are any, and the counts.

    `counted` is (tiles i8[34], melds i8[n], HandCounts, JointCounts) of the deal before: reused where they fit.
    """
    melds = np.empty(len(seats), np.int64)
    for n in range(len(seats)):
        melds[n] = game["n_melds"][seats[n]]
    if not (np.array_equal(counted[0], available) and np.array_equal(counted[1], melds)):
        counted = (available, melds, count_hands(automata, available), no_joint_counts())
    for n in melds:
        if number_of_hands(automata, counted[2], n) == 0.0:
            return False, counted
    crowded = len(melds) > 1 and (HAND_TILES * len(melds) - 3 * melds.sum()) > _CROWDED * available.sum()
    for attempt in range(2 * ATTEMPTS):
        if len(melds) == 1 or (attempt < ATTEMPTS and not crowded):
            if not draw_apart(automata, available, counted[2], melds, stream, hands):
                continue
        else:
            if len(counted[3].first) == 0:
                joint = count_joint(automata, available, counted[2], melds)
                counted = (counted[0], counted[1], counted[2], joint)
            if number_of_joint_hands(automata, counted[3], melds) == 0.0:
                return False, counted
            draw_together(automata, available, counted[3], melds, stream, hands)
        fits = True
        for n in range(len(seats)):
            fits = fits and _kongs_in_riichi_are_legal(lookup, game, seats[n], hands[n].astype(np.uint8))
        for n in range(len(seats)):
            if fits and has_just_declared(game, seats[n]):
                drawn = _draw_kind(stream, available, hands)
                fits = drawn >= 0 and draw_unit(stream) < _discard_chance(lookup, hands[n], melds[n], drawn)
        if fits:
            return True, counted
    return False, counted
