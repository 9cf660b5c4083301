"""Evaluate a reward predictor on held-out games: errors by round, compared with simple predictors, and calibration.

The simple predictors are fitted on the training games only. Intervals are 95 %, by bootstrap over games: all rounds and
seats of a game stay together.
"""

import numpy as np
from pydantic import BaseModel

from simulator.record import SEATS
from simulator.views.table import round_name
from suphx.reward.games import ROUNDS, Games, encode
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
#: Number of groups for calibration, of equal size, by prediction.
BINS = 10
_INTERVAL = (2.5, 97.5)
#: Name of the predictor itself, in addition to those of BASELINES.
PREDICTOR = "predictor"
ALL_ROUNDS = "all"
_OVERTIME = "West"


class Number(BaseModel):
    """A measured number with its interval, in units of the target."""

    value: float
    low: float
    high: float

    def text(self, digits: int) -> str:
        """Return it with its interval, to `digits` decimals."""
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


class Errors(BaseModel):
    """Errors of one predictor after rounds with one name."""

    rmse: Number
    mae: Number
    excess: Number | None
    """Its RMSE minus the reward predictor's on the same games; above zero the reward predictor is better."""


class Bin(BaseModel):
    """A group of predictions of similar size."""

    predicted: float
    actual: Number
    examples: int


class RewardEvaluation(BaseModel):
    """Evaluation of the predictor on held-out games."""

    games: int
    examples: dict[str, int]
    """Number of predictions (game x seat) by the round just played; `all` counts every prediction."""
    errors: dict[str, dict[str, Errors]]
    """By the round just played (`all`: averaged over a game's rounds first, as in formula 4), then by predictor."""
    calibration: list[Bin]
    calibration_slope: Number
    """Slope of actual rewards on predicted ones: 1 is calibrated, below 1 the predictions are too bold."""


class GameSampler:
    """Ratios of sums over examples, with intervals by bootstrap over games: all examples of a game stay together."""

    def __init__(self, games: np.ndarray, bootstrap: int, seed: int) -> None:
        """games: i64[n], the games of all examples, from which the samples are drawn."""
        self._games = np.unique(games)
        n = len(self._games)
        drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), bootstrap)
        self._draws = np.concatenate([np.ones((1, n)), drawn])  # how often each game is drawn; at first, once

    def ratios(self, games: np.ndarray, above: np.ndarray, below: np.ndarray | None = None) -> np.ndarray:
        """Return f64[bootstrap + 1], all games first: sums of `above` by those of `below` (or number); NaN for 0."""
        game, n = np.searchsorted(self._games, games), len(self._games)
        with np.errstate(invalid="ignore"):
            return (self._draws @ np.bincount(game, above, n)) / (self._draws @ np.bincount(game, below, n))

    def mean(self, games: np.ndarray, values: np.ndarray) -> Number:
        """Return the mean over examples."""
        return with_interval(self.ratios(games, values))

    def slope(self, games: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> Number:
        """Return the slope of actual on predicted values, both centered."""
        return with_interval(self.ratios(games, predicted * actual, predicted**2))

    def bins(self, games: np.ndarray, predicted: np.ndarray, actual: np.ndarray, bounds: np.ndarray) -> list[Bin]:
        """Return groups of examples by their prediction, those of at least two games."""
        group = np.searchsorted(bounds, predicted, side="right")
        insides = [group == number for number in range(len(bounds) + 1)]
        return [
            Bin(
                predicted=float(predicted[inside].mean(dtype=np.float64)),
                actual=self.mean(games[inside], actual[inside]),
                examples=int(inside.sum()),
            )
            for inside in insides
            if len(np.unique(games[inside])) > 1
        ]


def with_interval(values: np.ndarray) -> Number:
    """Return the first value, with the interval from the others."""
    low, high = np.nanpercentile(values[1:], _INTERVAL)
    return Number(value=float(values[0]), low=float(low), high=float(high))


def evaluate(
    games: Games, rewards: np.ndarray, predictions: dict[str, np.ndarray], draws: int, seed: int
) -> RewardEvaluation:
    """Evaluate predictions after every round but the last of n finished games.

    rewards: f64[n, 4], the games' actual rewards. predictions: f64[n, k-1, 4] by name, including PREDICTOR. draws:
    number of bootstrap samples.
    """
    known = np.arange(games.starts.shape[1] - 1) < games.n_starts[:, None] - 1
    chosen = np.flatnonzero(known.any(1))
    games, rewards, known = games.take(chosen), rewards[chosen], known[chosen]
    predictions = {name: values[chosen] for name, values in predictions.items()}
    played = games.starts["round"][:, : known.shape[1]]
    names = {round_name(number): known & (played == number) for number in range(8)}
    names[_OVERTIME] = known & (played >= 8)
    weights = {ALL_ROUNDS: known / known.sum(1, keepdims=True)}
    weights |= {name: mask.astype(float) for name, mask in names.items() if mask.any()}
    rows = np.arange(len(games))
    sampler = GameSampler(rows, draws, seed)
    # of predictions in all known rounds; both they and the rewards have mean 0 over the seats, so are centered
    flat = rows.repeat(known.sum(1) * SEATS), predictions[PREDICTOR][known].ravel(), rewards[known.nonzero()[0]].ravel()
    return RewardEvaluation(
        games=len(games),
        examples={name: int((weight > 0).sum()) * SEATS for name, weight in weights.items()},
        errors={name: _errors(predictions, rewards, weight, sampler) for name, weight in weights.items()},
        calibration=sampler.bins(*flat, np.quantile(flat[1], np.arange(1, BINS) / BINS)),
        calibration_slope=sampler.slope(*flat),
    )


def _errors(
    predictions: dict[str, np.ndarray], rewards: np.ndarray, weight: np.ndarray, sampler: GameSampler
) -> dict[str, Errors]:
    """Return the errors of each predictor; weight: [n, k], of each round."""
    rows, rmse, mae = np.arange(len(weight)), {}, {}
    for name, values in predictions.items():
        mistakes = values - rewards[:, None]
        squares, sizes = (mistakes**2).mean(-1), np.abs(mistakes).mean(-1)
        rmse[name] = np.sqrt(sampler.ratios(rows, (squares * weight).sum(1), weight.sum(1)))
        mae[name] = sampler.ratios(rows, (sizes * weight).sum(1), weight.sum(1))
    return {
        name: Errors(
            rmse=with_interval(rmse[name]),
            mae=with_interval(mae[name]),
            excess=None if name == PREDICTOR else with_interval(rmse[name] - rmse[PREDICTOR]),
        )
        for name in predictions
    }


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
