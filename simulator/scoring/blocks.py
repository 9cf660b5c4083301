"""A winning hand's tiles as bit masks: counts, sets within a suit, melds, and runs that a tile completes."""

import numpy as np

from simulator.jit import jit
from simulator.record import MELD_CHOW, MELD_CLOSED_KONG, MELD_PONG
from simulator.tiles import EAST, KINDS, TERMINALS_AND_HONORS


@jit
def bit_count(mask):
    """Return how many bits of a non-negative int64 are set."""
    mask = mask - ((mask >> 1) & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    mask += mask >> 8
    mask += mask >> 16
    return (mask + (mask >> 32)) & 127


@jit
def split_suit(suit):
    """Divide a suit (a nibble per number) into triplets | runs << 9 | runs that occur twice << 18; -1 if impossible."""
    triplets, runs, doubled, bit = 0, 0, 0, 1
    while suit:
        count = suit & 15
        suit >>= 4
        if count >= 3:
            triplets |= bit
            count -= 3
        if count:
            if (suit & 15) < count or ((suit >> 4) & 15) < count:
                return -1
            suit -= count * 0x11
            runs |= bit
            doubled |= bit * (count >> 1)
        bit <<= 1
    return triplets | runs << 9 | doubled << 18


@jit
def count_tiles(hand):
    """Return masks of the kinds held at least 1, 2, 3 and 4 times, the number of tiles, and the suits as nibbles."""
    once, twice, thrice, four, tiles = 0, 0, 0, 0, 0
    characters, dots, bamboos = 0, 0, 0
    for kind in range(KINDS):
        count = np.int64(hand[kind])
        once |= ((count + 3) >> 2) << kind
        twice |= ((count + 2) >> 2) << kind
        thrice |= ((count + 1) >> 2) << kind
        four |= (count >> 2) << kind
        tiles += count
    for number in range(9):
        characters |= np.int64(hand[number]) << 4 * number
        dots |= np.int64(hand[9 + number]) << 4 * number
        bamboos |= np.int64(hand[18 + number]) << 4 * number
    return once, twice, thrice, four, tiles, (characters, dots, bamboos)


@jit
def meld_facts(melds, n_melds):
    """Return (kinds, triplets, runs, kongs, closed kongs, fu) of the melds."""
    kinds, triplets, runs, kongs, closed_kongs, fu = 0, 0, 0, 0, 0, 0
    for i in range(n_melds):
        meld_type = np.int64(melds[i]["type"])
        kind = np.int64(melds[i]["kind"])
        if meld_type == MELD_CHOW:
            kinds |= 7 << kind
            runs |= 1 << kind
            continue
        kinds |= 1 << kind
        triplets |= 1 << kind
        value = 4 if TERMINALS_AND_HONORS >> kind & 1 else 2
        if meld_type != MELD_PONG:
            value *= 4
            kongs += 1
            if meld_type == MELD_CLOSED_KONG:
                value *= 2
                closed_kongs += 1
        fu += value
    return kinds, triplets, runs, kongs, closed_kongs, fu


@jit
def winning_runs(win_kind):
    """Return masks of the runs (by lowest kind) that the winning tile completes from a two-sided and a narrow wait."""
    if win_kind >= EAST:
        return 0, 0
    number = win_kind % 9
    bit = 1 << win_kind
    wide, narrow = 0, bit >> 1
    if number == 6:
        narrow |= bit
    else:
        wide |= bit
    if number == 2:
        narrow |= bit >> 2
    else:
        wide |= bit >> 2
    return wide, narrow
