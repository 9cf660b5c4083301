"""The worth of the winning hands that the look-ahead finds: by ron, on one of the tiles drawn."""

from typing import NamedTuple

import numpy as np

from simulator.jit import jit
from simulator.record import NO_TILE
from simulator.scoring import yaku as y
from simulator.scoring.blocks import meld_facts
from simulator.scoring.winning import Facts, keep_best, nine_gates, tile_yaku, tile_yakuman, try_pair
from simulator.tiles import EAST, RED_FIVE_KINDS, TERMINALS_AND_HONORS
from suphx.features import lookahead_parts as p
from suphx.features.lookahead_parts import STEPS, lowest

_STEPS = np.array(STEPS)
_THREES, _SEVENS = (sum(1 << 9 * suit + number for suit in range(3)) for number in (2, 6))
_WORTH_SHIFT = 24  # shift of the base points in the value by which `scoring` orders readings


class OwnFacts(NamedTuple):
    """The facts common to all winning hands of a seat."""

    kinds: int  # mask of the kinds in melds
    triplets: int  # mask of melded triplets and kongs
    runs: int  # mask of melded runs, by their lowest kind
    kongs: int
    closed_kongs: int
    closed: int  # 1: no open meld, so that riichi is declared
    melds: int
    fu: int  # without concealed triplets, pair and wait
    han: int  # dora and red fives in melds
    seat_wind: int  # 0..3
    round_wind: int
    times: int  # factor of the base points for the payment by ron


@jit
def own_facts(melds, n_melds, dora, seat_wind, round_wind, rules):
    """Return the facts of a seat with these melds."""
    kinds, triplets, runs, kongs, closed_kongs, meld_fu = meld_facts(melds, n_melds)
    closed = 1 if closed_kongs == n_melds else 0
    han = np.int64(0)
    for n in range(n_melds):
        for place in range(4):
            tile = np.int64(melds[n]["tiles"][place])
            if tile != NO_TILE:
                han += dora[tile >> 2]
                for kind in RED_FIVE_KINDS:
                    han += 1 if tile == 4 * kind and rules["red_fives"] else 0
    fu = 20 + meld_fu + 10 * closed
    times = 4 if seat_wind else 6
    return OwnFacts(kinds, triplets, runs, kongs, closed_kongs, closed, n_melds, fu, han, seat_wind, round_wind, times)


@jit
def _steps_reached(base, times):
    """Return how many of STEPS a hand with these base points reaches by ron, with payments rounded up to hundreds."""
    worth = 0
    for n in range(len(_STEPS)):
        worth += 1 if base * times > _STEPS[n] - 100 else 0
    return worth


@jit
def _waits_of(drawn):
    """Return masks of the runs (by lowest kind) that a drawn kind completes from a wide wait, and from a narrow wait.

    The masks also contain kinds that start no run, which is harmless since no hand has such a run.
    """
    narrow = drawn >> 1 | (drawn & _SEVENS) | (drawn & _THREES) >> 2
    return (drawn & ~_SEVENS) | (drawn & ~_THREES) >> 2, narrow


@jit
def worth_of_sets(search, part, own, rules, win):
    """Return the worth of a winning hand of sets and a pair, for its best reading and best winning tile.

    part: the combined parts of all suits; win: a WIN record as scratch space. The possible winning tiles need not be
    tried one by one. As with the roles of a single winning tile in a reading (see `simulator.scoring.winning`), a tile
    that gives pinfu is better than one for a narrow wait, which is better than one for a wide wait; one that completes
    a triplet is worst, most of all a triplet of terminals or honors.
    """
    kinds, drawn = part[p.HELD] | own.kinds, part[p.DRAWN]
    yaku = own.closed << y.RIICHI | tile_yaku(kinds, own.closed, own.kongs, rules["open_tanyao"])
    yakuman = tile_yakuman(kinds, own.kongs, 0, own.seat_wind)
    if own.melds == 0 and yaku >> y.CHINITSU & 1:
        yakuman |= nine_gates(part[p.NIBBLES], 0)  # it makes no difference here which of its two yakuman it is
    win["dora"] = own.han + (part[p.WORD] >> p.HAN_SHIFT & p.HAN_FIELD)
    wide, narrow = _waits_of(drawn)
    simple = drawn & ~TERMINALS_AND_HONORS
    completes = lowest(simple if simple else drawn)
    first = part[p.WORD] >> p.READING_SHIFT & p.READING_FIELD
    best = 0
    for n in range(first, first + (part[p.WORD] >> p.READINGS_SHIFT & p.READINGS_FIELD)):
        reading = search["readings"][n]
        pair = reading[p.READING_PAIR]
        facts = Facts(
            kinds, own.triplets, own.runs, own.closed, own.closed_kongs, own.fu, yaku, yakuman, 0,
            pair if drawn >> pair & 1 else completes, wide, narrow, EAST + own.seat_wind, EAST + own.round_wind,
        )  # fmt: skip
        triplets, runs = part[p.TRIPLETS] | reading[p.READING_TRIPLETS], part[p.RUNS] | reading[p.READING_RUNS]
        doubled = part[p.DOUBLED] | reading[p.READING_DOUBLED]
        best = try_pair(facts, triplets, runs, doubled, pair, best, rules, win)
    return _steps_reached(best >> _WORTH_SHIFT, own.times)


@jit
def worth_of_pairs(kinds, han, own, rules, win):
    """Return the worth of seven pairs of these kinds; han: dora and red fives among them."""
    yakuman = tile_yakuman(kinds, 0, 0, own.seat_wind)
    yaku = 1 << y.RIICHI | 1 << y.SEVEN_PAIRS | tile_yaku(kinds, 1, 0, rules["open_tanyao"])
    win["dora"] = han
    return _steps_reached(keep_best(0, yakuman if yakuman else yaku, 25, 1, rules, win) >> _WORTH_SHIFT, own.times)
