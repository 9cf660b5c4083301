"""Choose actions from logits: greedily, or with random numbers that depend only on the decision."""

import numpy as np

from simulator.jit import jit
from simulator.walls import decision_key, mix2

_UNIT = 2.0**-53


@jit
def _fill_uniform(games, index, seats, options, seed, out):
    for n in range(len(index)):
        key = decision_key(seed, games[index[n]], np.int64(seats[n]))
        out[n] = np.float64(mix2(key, np.uint64(options[n])) >> np.uint64(11)) * _UNIT


def uniform(games: np.ndarray, index: np.ndarray, seats: np.ndarray, options: np.ndarray, seed: int) -> np.ndarray:
    """Return f64[n] in [0, 1): random numbers determined by (seed, game, deal, seat, decision number, option).

    options: i64[n], as in `ModelOutput.option`.
    """
    out = np.empty(len(index), np.float64)
    if len(index):
        _fill_uniform(games, index, seats, options, np.uint64(seed), out)
    return out


def choose(
    logits: np.ndarray, legal: np.ndarray, temperature: float | None, draws: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the chosen actions i64[n] and their log-probabilities f32[n].

    logits f32[n, m]; legal bool[n, m], at least one per row. temperature: temperature of the softmax; None takes the
    highest logit (the first of equal ones, with its log-probability at temperature 1). draws: f64[n] in [0, 1), used
    for sampling.
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


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return probabilities f64[n, m] for logits f64[n, m], -inf for what is not possible."""
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def highest_probability(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Return f32[n]: the probability of the likeliest action; logits f32[n, m], legal bool[n, m]."""
    possible = np.where(legal, logits, -np.inf)
    return 1 / np.exp(possible - possible.max(axis=1, keepdims=True)).sum(axis=1)
