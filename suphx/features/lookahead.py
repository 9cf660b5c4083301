"""The paper's look-ahead features: what can still be won, for how much and how likely, after each discard. Compiled.

Definition. H is the concealed hand of 3n+2 tiles, W a complete hand (four sets with the melds and a pair, seven pairs,
thirteen orphans; the last two without melds only) of as many tiles. W is K away where K of its tiles are not in H;
then K tiles of H are not in W: those *replaced*, and W is reached by discarding any of them first, drawing a tile,
discarding the next, and so on; the K-th tile drawn wins. So it *belongs* to the kinds replaced, and

    ways(W) = product over the kinds drawn of C(unseen copies, copies drawn)
    likelihood(K, S, d) = sum of ways(W) over all W exactly K away, worth at least S, that belong to d
                          * D (D-1) ... (D-K+1) / (U (U-1) ... (U-K+1))

with D own draws left and U unseen tiles: the expected number of such sets of K tiles among the next D draws. For
K = 1, 2, 3 and each S of `STEPS`, four planes say for each kind d whether such a W exists (ways > 0, however few draws
are left), and whether its likelihood is at least each of `LIKELIHOODS`.

- *Exactly* K away, not at most: a smaller K has its own planes, and a network can join planes but not part them.
- All W together, not the likeliest: so K = 1 counts the tiles that win, K = 2 those that lead to them, and so on.
- W is worth what is paid by ron without repeat counters and bets: by a dealer half as much again. The winning tile is
  the one of those drawn that is worth most. Closed hands are in riichi (whatever points and tiles are left); there is
  no ippatsu, ura dora or last tile. An open W without a yaku does not count.
- Dora and red fives count. Of the fives held the red one is discarded last; of those unseen it is drawn last.
- Only unseen tiles come. What others do, furiten among it, is left out.

For 3n+1 tiles (before a draw or claim; K tiles are drawn, K-1 replaced) the planes are over the kinds drawn instead:
which tiles lead to such a W. A proposed chow or pong is judged with its meld added, as 3n+2 tiles.
"""

from __future__ import annotations

import numpy as np

from simulator.jit import hold, jit
from simulator.lookup import SETS
from simulator.record import WIN
from simulator.shanten import SUITS, shanten
from simulator.tiles import KINDS
from suphx.features.lookahead_parts import (
    CODES,
    CODES_TOGETHER,
    COLUMNS,
    DRAWN,
    FURTHEST,
    NO_CODE,
    PAIR_CODE,
    REPLACED,
    WORD,
)
from suphx.features.lookahead_search import NO_PART, SEARCH, STEPS, count_hand, fill_missing, fill_steps, lowest
from suphx.features.lookahead_special import add_orphans, add_seven_pairs
from suphx.features.lookahead_suits import find_parts
from suphx.features.lookahead_worth import own_facts, worth_of_sets

#: What a likelihood is held against: one in so many.
LIKELIHOODS = (16, 4, 2)
BUCKETS = 1 + len(LIKELIHOODS)
#: Plane of K, S and bucket: ((K - 1) * len(STEPS) + index of S) * BUCKETS + bucket; bucket 0 is the reachable.
PLANES = FURTHEST * len(STEPS) * BUCKETS

_ONE_IN = np.array(LIKELIHOODS)


@jit
def _join(first, second, out):
    """Write two groups of parts put together."""
    for column in range(COLUMNS):
        out[column] = first[column] + second[column]


@jit
def _codes_of(codes, others):
    """Return the mask of the codes that two groups of parts can have together."""
    mask = np.int64(0)
    while codes:
        code = lowest(codes)
        codes &= codes - 1
        rest = others
        while rest:
            both = np.int64(CODES_TOGETHER[code, lowest(rest)])
            rest &= rest - 1
            mask |= np.int64(both != NO_CODE) << (both & (CODES - 1))
    return mask


@jit
def _targets(search, code):
    """Return the mask of the codes that make a winning hand out of a group with `code`."""
    mask = np.int64(0)
    for drawn in range(1, FURTHEST + 1):
        more_drawn = drawn - (code & 3)
        more_replaced = drawn - FURTHEST + search["most_replaced"] - (code >> 2 & 3)
        if more_drawn >= 0 and more_replaced >= 0:
            mask |= np.int64(1) << (more_drawn | more_replaced << 2 | (PAIR_CODE & ~code))
    return mask


@jit
def _add_hands(search, code_2, code_3, own, rules, win):
    """Count the hands made of the group in `joined[0]` and parts of suits 2 and 3 with these codes."""
    joined, parts, following = search["joined"], search["parts"], search["next"]
    part_2 = search["first"][2, code_2]
    while part_2 != NO_PART:
        _join(joined[0], parts[part_2], joined[1])
        part_3 = search["first"][3, code_3]
        while part_3 != NO_PART:
            hand = joined[2]
            _join(joined[1], parts[part_3], hand)
            worth = worth_of_sets(search, hand, own, rules, win)
            count_hand(search, hand[WORD], hand[DRAWN], hand[REPLACED], worth)
            part_3 = following[part_3]
        part_2 = following[part_2]


@jit
def _complete(search, code, own, rules, win):
    """Count the hands with the group in `joined[0]`, of that code."""
    codes_2 = search["codes"][2]
    while codes_2:
        code_2 = lowest(codes_2)
        codes_2 &= codes_2 - 1
        both = np.int64(CODES_TOGETHER[code, code_2])
        if both != NO_CODE:
            codes_3 = search["codes"][3] & _targets(search, both)
            while codes_3:
                _add_hands(search, code_2, lowest(codes_3), own, rules, win)
                codes_3 &= codes_3 - 1


@jit
def _add_sets(search, own, rules, win):
    """Count every winning hand of sets and a pair: one part of each suit."""
    parts, following = search["parts"], search["next"]
    behind = _codes_of(search["codes"][2], search["codes"][3])
    codes_0 = search["codes"][0]
    while codes_0:
        code_0 = lowest(codes_0)
        codes_0 &= codes_0 - 1
        codes_1 = search["codes"][1]
        while codes_1:
            code_1 = lowest(codes_1)
            codes_1 &= codes_1 - 1
            both = np.int64(CODES_TOGETHER[code_0, code_1])
            if both == NO_CODE or not _targets(search, both) & behind:
                continue
            part_0 = search["first"][0, code_0]
            while part_0 != NO_PART:
                part_1 = search["first"][1, code_1]
                while part_1 != NO_PART:
                    _join(parts[part_0], parts[part_1], search["joined"][0])
                    _complete(search, both, own, rules, win)
                    part_1 = following[part_1]
                part_0 = following[part_0]


@jit
def _write_planes(search, draws_left, unseen, out):
    """Turn the ways that were counted into planes."""
    tiles = np.int64(0)
    for kind in range(KINDS):
        tiles += unseen[kind]
    draws, orders = np.int64(1), np.int64(1)  # D (D-1) ... and U (U-1) ...
    for drawn in range(FURTHEST):
        draws *= max(0, draws_left - drawn)
        orders *= max(1, tiles - drawn)
        for kind in range(KINDS):
            ways = np.int64(0)
            bit = np.int64(1) << kind
            for step in range(len(STEPS) - 1, -1, -1):
                ways += search["ways"][drawn, kind, step + 1]
                if ways:
                    plane = (drawn * len(STEPS) + step) * BUCKETS
                    out[plane] = np.int64(out[plane]) | bit
                    for n in range(len(_ONE_IN)):
                        if ways * draws * _ONE_IN[n] >= orders:
                            out[plane + 1 + n] = np.int64(out[plane + 1 + n]) | bit


@jit
def lookahead(
    lookup, hand, red, melds, n_melds, unseen, unseen_red, dora, seat_wind, round_wind, draws_left, rules, out
):
    """Write the look-ahead planes of a hand of 3n+2 tiles (over discards) or 3n+1 tiles (over draws) into `out`.

    lookup: the shanten tables; hand: u8[34], concealed; red: u8[3], red fives in it; melds: MELD records, the first
    n_melds count, tiles included; unseen: u8[34], tiles of each kind that the seat does not see; unseen_red: u8[3], red
    fives among them; dora: u8[34], han that a tile of each kind is worth by the indicators; seat_wind, round_wind:
    0..3, East to North; draws_left: draws that this seat still has; rules: a RULES record; out: u64 or
    i64[PLANES], masks of kinds. All is as one seat sees it: nothing hidden is read.
    """
    out[:] = 0
    n_melds, seat_wind, round_wind = np.int64(n_melds), np.int64(seat_wind), np.int64(round_wind)
    if shanten(lookup, hand, n_melds) >= FURTHEST:
        return
    searches, wins = np.empty(1, SEARCH), np.zeros(1, WIN)
    search, win = searches[0], wins[0]
    search["n_parts"], search["n_readings"] = 0, 0
    search["ways"][:] = 0
    tiles = 3 * n_melds
    for kind in range(KINDS):
        tiles += np.int64(hand[kind])
    search["by_drawn"] = tiles % 3 == 1
    search["most_replaced"] = FURTHEST - search["by_drawn"]
    fill_steps(search, hand, red, unseen, unseen_red, dora)
    fill_missing(lookup, search, hand, n_melds)
    own = own_facts(melds, n_melds, dora, seat_wind, round_wind, rules)
    for suit in range(SUITS):
        find_parts(search, suit, hand, SETS - n_melds)
    _add_sets(search, own, rules, win)
    if n_melds == 0:
        add_seven_pairs(lookup, search, hand, own, rules, win)
        add_orphans(search, hand)
    _write_planes(search, np.int64(draws_left), unseen, out)
    hold(searches)
    hold(wins)
