"""Evaluate a reward predictor on held-out games: errors by round, compared with simple predictors, and calibration.

Intervals are 95 %, by bootstrap over games: all rounds and seats of a game stay together.
"""

import numpy as np
from pydantic import BaseModel

from simulator.record import SEATS
from simulator.views.table import round_name
from suphx.reward.games import Games

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
    """Root mean squared error."""
    mae: Number
    """Mean absolute error."""
    excess: Number | None
    """Its RMSE minus the reward predictor's on the same games; above zero the reward predictor is better."""


class Bin(BaseModel):
    """A group of predictions of similar size."""

    predicted: float
    """Mean of the predictions."""
    actual: Number
    """Mean of the actual rewards."""
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
    drawn = game_draws(len(games), draws, seed)
    played = games.starts["round"][:, : known.shape[1]]
    names = {round_name(number): known & (played == number) for number in range(8)}
    names[_OVERTIME] = known & (played >= 8)
    weights = {ALL_ROUNDS: known / known.sum(1, keepdims=True)}
    weights |= {name: mask.astype(float) for name, mask in names.items() if mask.any()}
    examples = {name: int((weight > 0).sum()) * SEATS for name, weight in weights.items()}
    predicted = predictions[PREDICTOR]
    return RewardEvaluation(
        games=len(games),
        examples=examples,
        errors={name: _errors(predictions, rewards, weight, drawn) for name, weight in weights.items()},
        calibration=_calibration(predicted, rewards, known, drawn),
        calibration_slope=_slope(predicted, rewards, known, drawn),
    )


def game_draws(n: int, draws: int, seed: int) -> np.ndarray:
    """Return f64[draws + 1, n]: how often each game is drawn; the first row has each game once."""
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), draws)
    return np.concatenate([np.ones((1, n)), drawn])


def with_interval(values: np.ndarray) -> Number:
    """Return the first value, with the interval from the others."""
    low, high = np.nanpercentile(values[1:], _INTERVAL)
    return Number(value=float(values[0]), low=float(low), high=float(high))


def ratio(above: np.ndarray, below: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return f64[draws + 1]: the ratio of two sums over games, with terms [n] each; NaN if the second sum is 0."""
    with np.errstate(invalid="ignore"):
        return (drawn @ above) / (drawn @ below)


def _errors(
    predictions: dict[str, np.ndarray], rewards: np.ndarray, weight: np.ndarray, drawn: np.ndarray
) -> dict[str, Errors]:
    """Return the errors of each predictor; weight: [n, k], of each round."""
    rmse, mae = {}, {}
    for name, values in predictions.items():
        mistakes = values - rewards[:, None]
        squares, sizes = (mistakes**2).mean(-1), np.abs(mistakes).mean(-1)
        rmse[name] = np.sqrt(ratio((squares * weight).sum(1), weight.sum(1), drawn))
        mae[name] = ratio((sizes * weight).sum(1), weight.sum(1), drawn)
    return {
        name: Errors(
            rmse=with_interval(rmse[name]),
            mae=with_interval(mae[name]),
            excess=None if name == PREDICTOR else with_interval(rmse[name] - rmse[PREDICTOR]),
        )
        for name in predictions
    }


def _calibration(predicted: np.ndarray, rewards: np.ndarray, known: np.ndarray, drawn: np.ndarray) -> list[Bin]:
    real = np.repeat(known[..., None], SEATS, -1)
    actual = np.broadcast_to(rewards[:, None], predicted.shape)
    bounds = np.quantile(predicted[real], np.arange(1, BINS) / BINS)
    which = np.where(real, np.searchsorted(bounds, predicted), -1)
    bins = []
    for number in range(BINS):
        inside = which == number
        if inside.any():
            means = ratio((actual * inside).sum((1, 2)), inside.sum((1, 2)), drawn)
            bins.append(
                Bin(
                    predicted=float(predicted[inside].mean()),
                    actual=with_interval(means),
                    examples=int(inside.sum()),
                )
            )
    return bins


def _slope(predicted: np.ndarray, rewards: np.ndarray, known: np.ndarray, drawn: np.ndarray) -> Number:
    """Return the slope of rewards on predictions; both have mean 0 over the seats, so no intercept is needed."""
    real = known[..., None]
    products = (predicted * rewards[:, None] * real).sum((1, 2))
    return with_interval(ratio(products, (predicted**2 * real).sum((1, 2)), drawn))
