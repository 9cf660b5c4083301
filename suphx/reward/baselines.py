"""Simple baseline predictors to compare the network with; all are fitted on the training games only."""

import numpy as np

from suphx.reward.games import Games
from suphx.reward.inputs import ROUNDS, encode
from suphx.reward.target import Length, ranks

#: Description of each baseline, in the order of `baselines`.
BASELINES = {
    "constant": "the starting seat's mean reward",
    "current points": "the prize of the rank that the current points have",
    "linear": "least squares on the inputs after the last round",
    "linear by round": "the same, fitted apart for each next round",
}
#: Ridge term that makes the weights of redundant inputs unique; negligible beside thousands of games.
_RIDGE = 1e-3
#: Rounds with fewer training examples per input than this use the linear predictor of all rounds.
_ENOUGH = 20


def baselines(
    training: Games, rewards: np.ndarray, tested: Games, prizes: np.ndarray, length: Length
) -> dict[str, np.ndarray]:
    """Return f64[n, k-1, 4] by name: predictions of each of BASELINES for n test games after each round but the last.

    rewards: f64[m, 4], of the training games. prizes: f64[4] by rank. Predictions of the four seats add up to 0; those
    for rounds that were not played are meaningless.
    """
    inputs, known = encode(training, length)
    x, y, weight = _rows(inputs, known, rewards)
    tested_inputs, tested_known = encode(tested, length)
    shape = tested_inputs.shape[:3]
    linear = tested_inputs @ _fit(x, y, weight)
    predictions = {
        "constant": np.broadcast_to(rewards.mean(0), shape),
        "current points": prizes[ranks(tested.starts["scores"][:, 1:])],
        "linear": linear,
        "linear by round": linear.copy(),
    }
    rounds = np.repeat(training.starts["round"][:, 1:][known], 4)
    tested_rounds = np.where(tested_known, tested.starts["round"][:, 1:], ROUNDS)
    for number in range(ROUNDS):
        chosen = rounds == number
        if chosen.sum() >= _ENOUGH * x.shape[1]:
            here = tested_rounds == number
            predictions["linear by round"][here] = tested_inputs[here] @ _fit(x[chosen], y[chosen], weight[chosen])
    return {name: values - values.mean(-1, keepdims=True) for name, values in predictions.items()}


def _rows(inputs: np.ndarray, known: np.ndarray, rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return inputs [r, INPUTS], rewards [r] and weights [r] of all rounds and seats; all games have equal weight."""
    lengths = np.maximum(known.sum(1), 1)
    shape = inputs.shape[:3]
    y = np.broadcast_to(rewards[:, None], shape)[known]
    weight = np.broadcast_to(1 / lengths[:, None, None], shape)[known]
    return inputs[known].reshape(-1, inputs.shape[-1]), y.ravel(), weight.ravel()


def _fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return f64[INPUTS]: weighted least squares. One-hot inputs make a constant term unnecessary."""
    weighted = x.astype(np.float64) * weight[:, None]
    return np.linalg.solve(weighted.T @ x + _RIDGE * np.eye(x.shape[1]), weighted.T @ y)
