"""Oracle guiding (paper, section 3.3; formula 5): a network sees perfect information, which is then dropped out.

What the network sees is [x_normal, delta x x_perfect], each element of delta 1 with probability gamma. Play drops
elements and hands on what was left (`Experience.oracle`), so that learning sees what play has seen.
"""

from __future__ import annotations

import numpy as np
import torch

from simulator.jit import jit
from simulator.players.simple import decision_key
from simulator.wall import mix2
from suphx.features.layout import ORACLE_PLANES
from suphx.networks.policy import PolicyNetwork
from suphx.selfplay.learning_config import OracleConfig

#: Gamma is rounded to a multiple of 2^-16.
_GAMMA_BITS = 16
#: Keeps the random numbers of dropout apart from those that answers are drawn with.
_DROPOUT = np.uint64(0x0D)


def widen(network: PolicyNetwork, planes: int = ORACLE_PLANES) -> PolicyNetwork:
    """Return a network that sees so many planes more, with weights of zero: the same function, whatever they show."""
    return _resized(network, network.planes + planes)


def narrow(network: PolicyNetwork, planes: int = ORACLE_PLANES) -> PolicyNetwork:
    """Return a network without the last planes: the same function as with zeros in them."""
    return _resized(network, network.planes - planes)


@torch.no_grad()
def _resized(network: PolicyNetwork, planes: int) -> PolicyNetwork:
    with torch.device("meta"):
        found = PolicyNetwork(network.model, network.size, planes)
    found.to_empty(device=network.first.weight.device)
    weights = network.state_dict()
    kept = min(planes, network.planes)
    first = torch.zeros_like(found.first.weight)
    first[:, :kept] = weights["first.weight"][:, :kept]
    found.load_state_dict(weights | {"first.weight": first})
    return found


def gamma_at(config: OracleConfig, games: int) -> float:
    """Return gamma after so many games: 1, then falling in a straight line, then 0."""
    decayed = games - config.full_games
    if decayed < 0:
        return 1.0
    return max(0.0, 1 - decayed / config.decay_games) if config.decay_games else 0.0


def dropout_keys(games: np.ndarray, index: np.ndarray, seats: np.ndarray, options: np.ndarray, seed: int) -> np.ndarray:
    """Return uint64[n]: what names the dropout of a question, (seed, game, deal, seat, decision number, option).

    games: GAME[...]; index i64[n]; seats u8[n]; options i64[n], the action in question.
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
    """Return packed planes uint64[n, k] with each element kept with probability gamma, the others 0.

    keys: uint64[n]; the same key drops the same elements at the same gamma.
    """
    threshold = round(gamma * (1 << _GAMMA_BITS))
    if not 0 <= threshold <= 1 << _GAMMA_BITS:
        raise ValueError(f"gamma is a probability, not {gamma}")
    if threshold == 1 << _GAMMA_BITS:
        return planes.copy()
    kept = np.zeros_like(planes)
    if threshold and len(planes):
        _drop(planes, np.int64(threshold), keys, kept)
    return kept


@jit
def _drop(planes, threshold, keys, kept):
    """Keep a bit where a random number of 16 bits is below the threshold; 64 such comparisons at once.

    A bit of `below` says whether the lower bits of its random number, so far, are below those of the threshold.
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
            kept[n, plane] = planes[n, plane] & below
