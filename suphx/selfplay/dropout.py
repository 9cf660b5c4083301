"""Dropout of what a learning oracle is shown: each element of its planes stays with probability gamma (formula 5)."""

import numpy as np

from simulator.jit import jit
from simulator.walls import decision_key, mix2

#: Gamma is rounded to a multiple of 2^-16.
_GAMMA_BITS = 16
#: Separates the random numbers of dropout from those that answers are drawn with.
_DROPOUT = np.uint64(0x0D)


def dropout_keys(games: np.ndarray, index: np.ndarray, seats: np.ndarray, options: np.ndarray, seed: int) -> np.ndarray:
    """Return uint64[n]: dropout keys that hash (seed, game, deal, seat, decision number, option) of each decision.

    games: GAME[...]; index i64[n]; seats u8[n]; options i64[n], the proposed action.
    """
    keys = np.empty(len(index), np.uint64)
    if len(index):
        _write_keys(games, index, seats, options, np.uint64(seed), keys)
    return keys


@jit
def _write_keys(games, index, seats, options, seed, keys):
    for n in range(len(index)):
        key = decision_key(seed, games[index[n]], np.int64(seats[n]))
        keys[n] = mix2(mix2(key, _DROPOUT), np.uint64(options[n]))


def drop(planes: np.ndarray, gamma: float, keys: np.ndarray) -> np.ndarray:
    """Return packed planes uint64[n, k] with each element kept with probability gamma and set to 0 otherwise.

    keys: uint64[n]; the same key drops the same elements at the same gamma.
    """
    threshold = round(gamma * (1 << _GAMMA_BITS))
    if threshold == 1 << _GAMMA_BITS:
        return planes.copy()
    shown = np.zeros_like(planes)
    if threshold and len(planes):
        _drop(planes, np.int64(threshold), keys, shown)
    return shown


@jit
def _drop(planes, threshold, keys, shown):
    """Keep each bit whose random 16-bit number is below the threshold; 64 comparisons are done at once.

    Each bit of `below` says whether the bits of its random number so far, lowest first, are below the threshold's.
    """
    for n in range(planes.shape[0]):
        for plane in range(planes.shape[1]):
            if planes[n, plane] == 0:
                continue
            key = mix2(keys[n], np.uint64(plane))
            below = np.uint64(0)
            for bit in range(_GAMMA_BITS):
                word = mix2(key, np.uint64(bit))
                if threshold >> bit & 1:
                    below = below | ~word
                else:
                    below = below & ~word
            shown[n, plane] = planes[n, plane] & below
