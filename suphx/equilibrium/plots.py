"""Pictures: NashConv over iterations, and the curves of two-player mahjong."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from suphx.plotting import color, one_panel, tidy, write_figure

_DASHES = ("-", "--", ":")
#: Curves of a two-player mahjong table: the field of a point and its label.
_DUEL = {
    "best_of_plans": "best of plans (the paper's)",
    "average_lower_bound": "lower bound, average policy",
    "lower_bound": "lower bound, policy by regrets",
}


def plot_nash_conv(path: Path, curves: Mapping[str, Sequence[tuple[int, float]]], title: str) -> None:
    """Write NashConv over iterations, both on logarithmic scales; curves: name to (iterations, NashConv)."""
    figure, axes = one_panel((7.5, 4.8) if len(curves) > 1 else (6, 4))
    colors = colormaps["tab10"].colors[: max(1, -(-len(curves) // len(_DASHES)))]  # type: ignore[attr-defined]
    for number, (name, curve) in enumerate(curves.items()):
        style = {"color": colors[number % len(colors)], "linestyle": _DASHES[number // len(colors)]}
        axes.loglog(*zip(*curve, strict=True), label=name, linewidth=1.4, **style)
    axes.set(xlabel="iterations", ylabel="NashConv")
    axes.set_title(title, fontsize=10)
    if len(curves) > 1:  # beside the curves, in the order in which they end
        lines = sorted(axes.get_lines(), key=lambda line: -float(np.asarray(line.get_ydata())[-1]))
        figure.legend(handles=lines, loc="outside right center", fontsize=9)
    write_figure(path, figure)


def plot_duels(path: Path, trainings: Sequence[Mapping[str, Any]]) -> None:
    """Write the curves of two-player mahjong, as `duel train --json` prints them, a panel for each length."""
    lengths = sorted({each["curve"][-1]["iterations"] for each in trainings})
    figure = Figure((4.4 * max(1.4, len(lengths)), 3.6), layout="constrained")
    panels = figure.subplots(1, len(lengths), sharey=True, squeeze=False)[0]
    for axes, length in zip(panels, lengths, strict=True):
        tidy(axes)
        shown = [each["curve"] for each in trainings if each["curve"][-1]["iterations"] == length]
        for number, (field, name) in enumerate(_DUEL.items()):
            for at, curve in enumerate(shown):
                values = [[point[key] for point in curve] for key in ("iterations", field)]
                label = None if at else name
                axes.plot(*values, color=color((5, 3, 2)[number]), linewidth=1, alpha=0.75, label=label)
        axes.axhline(0, color="0.35", linewidth=0.9)
        steps = int(shown[0][1]["iterations"] - shown[0][0]["iterations"]) if len(shown[0]) > 1 else 0
        axes.set_title(f"measured every {steps:,} iterations", fontsize=10)
        axes.set_xlabel("iterations")
    panels[0].set_ylabel("points a game")
    panels[-1].legend(fontsize=8)
    write_figure(path, figure)
