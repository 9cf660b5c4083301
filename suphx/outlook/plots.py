"""The plot of an outlook's calibration: actual against predicted values, on held-out games."""

from pathlib import Path

from matplotlib.figure import Figure

from suphx.outlook.evaluation import OutlookEvaluation
from suphx.plotting import tidy, write_figure
from suphx.reward.plots import draw_calibration

#: Those drawn with logarithmic axes: most of their probabilities are below 2 %.
_SMALL = ("tile deals in", "tile deals in to riichi")


def plot_calibration(path: Path, evaluation: OutlookEvaluation) -> None:
    """Write a PNG with a reliability curve of every event and value, with 95 % intervals."""
    curves = {name: each.calibration for name, each in evaluation.events.items()}
    curves |= {name: each.calibration for name, each in evaluation.values.items()}
    figure = Figure((13, 6.5), layout="constrained")
    for axes, (name, bins) in zip(figure.subplots(2, 4).flat, curves.items(), strict=True):
        draw_calibration(axes, bins, "o-")
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
