"""The plot of an outlook's calibration: actual against predicted values, on held-out games."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from suphx.outlook.evaluation import OutlookEvaluation
from suphx.plotting import color, tidy, write_figure
from suphx.reward.evaluation import Bin

#: Those drawn with logarithmic axes: most of their probabilities are below 2 %.
_SMALL = ("tile deals in", "tile deals in to riichi")


def plot_calibration(path: Path, evaluation: OutlookEvaluation) -> None:
    """Write a PNG with a reliability curve of every event and value, with 95 % intervals."""
    curves = {name: each.calibration for name, each in evaluation.events.items()}
    curves |= {name: each.calibration for name, each in evaluation.values.items()}
    figure = Figure((13, 6.5), layout="constrained")
    for axes, (name, bins) in zip(figure.subplots(2, 4).flat, curves.items(), strict=True):
        predicted = np.array([each.predicted for each in bins])
        actual, low, high = (_of(bins, which) for which in ("value", "low", "high"))
        ends = [min(predicted.min(), actual.min()), max(predicted.max(), actual.max())]
        axes.plot(ends, ends, color="0.6", linestyle="--")
        bars = np.maximum([actual - low, high - actual], 0)
        axes.errorbar(predicted, actual, bars, fmt="o-", color=color(0), markersize=4, capsize=3)
        if name in _SMALL:
            axes.set_xscale("log")
            axes.set_yscale("log")
        axes.set_title(name, fontsize=11)
        tidy(axes)
    figure.supxlabel("predicted")
    figure.supylabel("actual")
    words = f"{evaluation.games:,} held-out games, {evaluation.decisions:,} discards; bars: 95 % over games"
    figure.suptitle(words, fontsize=11)
    write_figure(path, figure)


def _of(bins: list[Bin], which: str) -> np.ndarray:
    return np.array([getattr(each.actual, which) for each in bins])
