"""Choosing by logits: greedily, or with random numbers that depend on the decision alone."""

from __future__ import annotations

import numpy as np

from simulator.jit import jit
from simulator.players.simple import decision_key
from simulator.wall import mix2

_UNIT = 2.0**-53


@jit
def _fill_uniform(games, index, seats, questions, seed, out):
    for n in range(len(index)):
        key = decision_key(seed, games[index[n]], np.int64(seats[n]))
        out[n] = np.float64(mix2(key, np.uint64(questions[n])) >> np.uint64(11)) * _UNIT


def uniform(games: np.ndarray, index: np.ndarray, seats: np.ndarray, questions: np.ndarray, seed: int) -> np.ndarray:
    """Return f64[n] in [0, 1): random numbers named by (seed, game, deal, seat, decision number, question).

    questions: i64[n], which question of the decision it is for (here: the action that is asked about).
    """
    out = np.empty(len(index), np.float64)
    if len(index):
        _fill_uniform(games, index, seats, questions, np.uint64(seed), out)
    return out


def choose(
    logits: np.ndarray, legal: np.ndarray, temperature: float | None, draws: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what is chosen, i64[n], and its log-probability f32[n].

    logits f32[n, m]; legal bool[n, m], at least one a row. temperature: that of the softmax; None for
    the highest logit (the first of equal ones; its log-probability is then that at temperature 1). draws: f64[n] in
    [0, 1), used for sampling.
    """
    scaled = np.where(legal, logits.astype(np.float64) / (temperature or 1.0), -np.inf)
    scaled -= scaled.max(axis=1, keepdims=True)
    weights = np.exp(scaled)
    if temperature is None:
        chosen = scaled.argmax(axis=1)
    else:
        cumulative = weights.cumsum(axis=1)
        chosen = (cumulative <= draws[:, None] * cumulative[:, -1:]).sum(axis=1)
    log_probability = scaled[np.arange(len(chosen)), chosen] - np.log(weights.sum(axis=1))
    return chosen, log_probability.astype(np.float32)


def highest_probability(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Return f32[n]: the probability of the likeliest answer, at most 1; logits f32[n, m], legal bool[n, m]."""
    possible = np.where(legal, logits, -np.inf)
    return 1 / np.exp(possible - possible.max(axis=1, keepdims=True)).sum(axis=1)
