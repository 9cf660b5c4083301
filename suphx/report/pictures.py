"""Plots of a run, in addition to those that its steps write themselves, and of several trainings for comparison."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from suphx.errors import InputError
from suphx.networks.models import MODELS
from suphx.plotting import colour, one_panel, tidy, write_figure
from suphx.report.curves import Curve, Curves
from suphx.report.parts import Accuracy, SelfPlay, Supervised

PICTURES_FOLDER = "pictures"
#: Window of the moving mean, as a share of a curve.
_SMOOTHED = 0.05
#: Panels of the plot of self-play: title and curves, with `MODEL` for each model that learns.
_PANELS = (
    ("entropy (nats); dashed: the target", ("MODEL/entropy", "MODEL/entropy_target")),
    ("alpha, weight of the entropy", ("MODEL/alpha",)),
    ("KL from the policy that played (nats)", ("MODEL/kl_behaviour",)),
    ("importance weights: mean, and dashed the highest", ("MODEL/weight_mean", "MODEL/weight_max")),
    ("standard deviation of the rounds' rewards", ("play/reward_std",)),
    ("finished games/s", ("rate/games_per_s",)),
)
_COLUMNS = 2
#: Panels of the plot of several trainings: title and curve; a panel is left out if no training has its curve.
_COMPARED = (
    ("KL from the start (nats)", "MODEL/kl_reference"),
    ("entropy (nats)", "MODEL/entropy"),
    ("share of the squared gradient that earlier ones predict", "MODEL/gradient_signal"),
    ("variance of the rewards that the critic explains", "critic/explained_variance"),
    ("share of what is hidden that is shown", "play/gamma"),
    ("average rank minus the start's; below 0 is better", "evaluation/less_start"),
)


def plot_supervised(path: Path, found: Supervised) -> None:
    """Write a plot of each network's accuracy at imitating the players, at the end and during training."""
    figure = Figure((10, 4.2), layout="constrained")
    bars, lines = figure.subplots(1, 2)
    for place, (name, each) in enumerate(found.models.items()):
        _draw_accuracy(bars, place, each)
        if curve := found.validation[name].get(f"{name}/validation_accuracy"):
            style = {"color": colour(place), "marker": "o", "markersize": 3, "linewidth": 1.6}
            lines.plot(np.array(curve.steps) / 1000, 100 * np.array(curve.values), label=name, **style)
    bars.set_xticks(range(len(found.models)), list(found.models))
    bars.set_ylim(0, 100)
    bars.set_title("Answers as the players', games held out (%)\nblack: always the commonest answer", fontsize=10)
    lines.set_title("The same while it learns, on validation games (%)", fontsize=10)
    lines.set_xlabel("thousand pairs learned from")
    if lines.lines:
        lines.legend(fontsize=8.5, loc="lower right")
    for axes in (bars, lines):
        tidy(axes)
    write_figure(path, figure)


def _draw_accuracy(axes: Axes, place: int, found: Accuracy) -> None:
    if found.accuracy is None:
        return
    low, high = found.interval or (found.accuracy, found.accuracy)
    errors = 100 * np.maximum([[found.accuracy - low], [high - found.accuracy]], 0)
    axes.bar(place, 100 * found.accuracy, 0.7, yerr=errors, capsize=3, color=colour(place))
    if found.commoner_answer is not None:
        axes.hlines(100 * found.commoner_answer, place - 0.35, place + 0.35, color="black", linewidth=1.8)


def plot_selfplay(path: Path, found: SelfPlay) -> None:
    """Write a plot of the curves of self-play over games: raw points, and a line of moving means."""
    figure, grid = _panels([title for title, _ in _PANELS])
    models = found.config.learning.models
    for axes, (_, names) in zip(grid, _PANELS, strict=True):
        for number, model in enumerate(models if "MODEL" in names[0] else [""]):
            for name, style in zip(names, ("-", "--"), strict=False):
                curve = found.curves.get(name.replace("MODEL", model))
                if curve is not None:
                    _draw(axes, curve, colour(number), style, model if style == "-" else "")
        if len(models) > 1 and axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    write_figure(path, figure)


def _panels(titles: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each title, over the games of self-play."""
    rows = -(-len(titles) // _COLUMNS)
    figure = Figure((10, 2.6 * rows), layout="constrained")
    grid = figure.subplots(rows, _COLUMNS, sharex=True, squeeze=False).flatten().tolist()
    for axes, title in zip(grid, titles, strict=False):
        tidy(axes)
        axes.set_title(title, fontsize=10)
    for axes in grid[len(titles) :]:
        axes.set_axis_off()
    figure.supxlabel("games of self-play", fontsize=10)
    return figure, grid[: len(titles)]


def plot_strength(path: Path, found: SelfPlay) -> None:
    """Write a plot of the measurements during self-play: average rank minus that of the start, on the same deals."""
    figure, axes = one_panel((7, 3.6))
    gaps = [each.less_start for each in found.measurements]
    values, ends = np.array([gap.value for gap in gaps]), np.array([gap.interval for gap in gaps]).T
    errors = np.maximum([values - ends[0], ends[1] - values], 0)
    games = [each.games for each in found.measurements]
    axes.errorbar(games, values, errors, fmt="o", capsize=4, color=colour(0))
    axes.axhline(0, color="0.35", linewidth=0.9, linestyle="--", zorder=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("games of self-play")
    axes.set_ylabel("average rank minus the start's")
    axes.set_title("The agent less its start, on the same deals, with 95 % intervals; below 0 is better", fontsize=10)
    write_figure(path, figure)


def plot_trainings(path: Path, found: Mapping[str, Curves]) -> None:
    """Write a plot of the curves of several trainings over games, by name; raises InputError if none has any."""
    named = [
        (title if model == MODELS[0] else f"{model}: {title}", name.replace("MODEL", model))
        for title, name in _COMPARED
        for model in (MODELS if "MODEL" in name else MODELS[:1])
    ]
    panels = [  # of a curve that is always 0 there is nothing to see
        (title, name)
        for title, name in named
        if any(any(curves[name].values) for curves in found.values() if name in curves)
    ]
    if not panels:
        raise InputError(f"{', '.join(found)}: no curves of a training by self-play")
    figure, grid = _panels([title for title, _ in panels])
    for axes, (_, name) in zip(grid, panels, strict=True):
        for number, (training, curves) in enumerate(found.items()):
            if name in curves:
                _draw(axes, curves[name], colour(number), "-", training)
    labels = {label: line for axes in grid for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.set_figheight(figure.get_figheight() + 0.4)
    figure.legend(labels.values(), labels, loc="outside upper center", ncols=min(len(labels), 6), fontsize=9)
    write_figure(path, figure)


def draw(folder: Path, supervised: Supervised | None, selfplay: SelfPlay | None) -> None:
    """Write the plots of the parts that exist: `supervised.png`, `selfplay.png` and `strength.png`."""
    pictures = folder / PICTURES_FOLDER
    if supervised is not None:
        plot_supervised(pictures / "supervised.png", supervised)
    if selfplay is not None and selfplay.curves:
        plot_selfplay(pictures / "selfplay.png", selfplay)
    if selfplay is not None and selfplay.measurements:
        plot_strength(pictures / "strength.png", selfplay)


def _draw(axes: Axes, curve: Curve, line_colour: str, style: str, label: str) -> None:
    steps, values = np.array(curve.steps), np.array(curve.values)
    width = max(1, round(_SMOOTHED * len(values)))
    sums = np.concatenate([[0], values.cumsum()])
    smooth = (sums[width:] - sums[:-width]) / width
    axes.plot(steps, values, ".", color=line_colour, markersize=2, alpha=0.35)
    axes.plot(steps[width - 1 :], smooth, style, color=line_colour, linewidth=1.5, label=label or None)
