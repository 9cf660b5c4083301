"""Plots of a reward predictor: Phi along a game, and predicted against actual rewards."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.record import SEATS
from simulator.views.table import WIND_NAMES, round_name
from suphx.plotting import color, one_panel, tidy, write_figure
from suphx.reward.evaluation import Bin, RewardEvaluation
from suphx.reward.games import Games


def plot_game(path: Path, games: Games, phi: np.ndarray, which: int, units: str) -> None:
    """Write a PNG of Phi along one finished game, one line per seat, above a plot of the seats' points.

    phi: f64[n, k + 1, 4] of the games, as returned by `RewardPredictor.phi`. which: index of the game. units: units of
    Phi.
    """
    n = int(games.n_starts[which])
    scores = np.concatenate([games.starts["scores"][which, :n], games.final_scores[which][None]])
    figure = Figure((9, 6.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    places = np.arange(n + 1)
    for seat in range(SEATS):
        style = {"color": color(seat), "marker": "o", "markersize": 4, "linewidth": 1.8}
        above.plot(places, phi[which, : n + 1, seat], label=f"seat {seat} ({WIND_NAMES[seat]} at the start)", **style)
        below.plot(places, scores[:, seat] / 1000, **style)
    for axes in (above, below):
        tidy(axes)
        axes.axvline(n - 1, color="0.6", linestyle=":")
    above.axhline(0, color="0.4", linewidth=0.8)
    above.set_ylabel(f"Phi ({units})", wrap=True)
    above.set_title("Phi along a held-out game; the last value is what the game was worth", fontsize=11)
    above.legend(ncols=2, fontsize=8, loc="best")
    below.set_ylabel("points / 1000")
    below.set_xticks(places, [*map(_name, games.starts[which, :n]), "end"], rotation=45, ha="right", fontsize=8)
    below.set_xlabel("before this round")
    write_figure(path, figure)


def plot_calibration(path: Path, evaluation: RewardEvaluation, units: str) -> None:
    """Write a PNG of mean actual against mean predicted rewards of held-out games, by group, with 95 % intervals."""
    figure, axes = one_panel((5.5, 5))
    draw_calibration(axes, evaluation.calibration, "o")
    axes.set(xlabel=f"predicted ({units})", ylabel=f"actual ({units})")
    axes.set_title(f"Calibration, {evaluation.games:,} held-out games", fontsize=11)
    axes.legend()
    write_figure(path, figure)


def draw_calibration(axes: Axes, bins: Sequence[Bin], markers: str) -> None:
    """Draw mean actual against mean predicted values of groups, with their intervals; markers: a format string."""
    predicted = np.array([each.predicted for each in bins])
    actual, low, high = np.array([(each.actual.value, each.actual.low, each.actual.high) for each in bins]).T
    ends = [min(predicted.min(), actual.min()), max(predicted.max(), actual.max())]
    axes.plot(ends, ends, color="0.6", linestyle="--", label="as predicted")
    bars = np.maximum([actual - low, high - actual], 0)
    axes.errorbar(predicted, actual, bars, fmt=markers, color=color(0), markersize=4, capsize=3, label="held-out games")


def _name(start: np.void) -> str:
    return round_name(int(start["round"]), int(start["repeat_counter"]))
