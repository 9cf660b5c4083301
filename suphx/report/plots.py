"""The curves of trainings by self-play: read from TensorBoard's event files, and drawn in one plot."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[import-untyped]
from tensorboard.compat.tensorflow_stub.errors import DataLossError, OutOfRangeError  # type: ignore[import-untyped]
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New  # type: ignore[import-untyped]

from suphx.errors import InputError
from suphx.networks.models import MODELS
from suphx.plotting import color, one_panel, tidy, write_figure

#: Subfolder of each training's folder.
CURVES_FOLDER = "tensorboard"
#: Names of curves that earlier versions wrote under others.
_RENAMED = {"reward_spread": "reward_std", "kl_behaviour": "kl_behavior"}
#: Points (step, value) by the curve's name; steps are games or pairs.
Curves = dict[str, list[tuple[int, float]]]

#: Window of the moving mean, as a share of a curve.
_SMOOTHING = 0.05
_COLUMNS = 2
#: Panels of curves of self-play: title and curve, with `MODEL` for each model. A panel without a curve is left out.
_PANELS = (
    ("entropy (nats)", "MODEL/entropy"),
    ("KL from the start (nats)", "MODEL/kl_reference"),
    ("KL from the policy that played (nats)", "MODEL/kl_behavior"),
    ("largest importance weight of a step", "MODEL/weight_max"),
    ("share of the squared gradient that earlier ones predict", "MODEL/gradient_signal"),
    ("variance of the rewards that the critic explains", "critic/explained_variance"),
    ("share of hidden information that is shown", "play/gamma"),
    ("average rank minus the start's; below 0 is better", "evaluation/less_start"),
    ("games per second", "rate/games_per_s"),
)


def plot_trainings(path: Path, trainings: Mapping[str, Curves]) -> None:
    """Write a plot of the curves of trainings by self-play over games, by name; raises InputError if none has any."""
    named = [
        (title if model == MODELS[0] else f"{model}: {title}", name.replace("MODEL", model))
        for title, name in _PANELS
        for model in (MODELS if "MODEL" in name else MODELS[:1])
    ]
    panels = [  # of a curve that is always 0 there is nothing to see
        (title, name)
        for title, name in named
        if any(value for curves in trainings.values() for _, value in curves.get(name, ()))
    ]
    if not panels:
        raise InputError(f"{', '.join(trainings)}: no curves of a training by self-play")
    rows = -(-len(panels) // _COLUMNS)
    figure = Figure((10, 2.6 * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, _COLUMNS, sharex=True, squeeze=False).flatten().tolist()
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    for axes, (title, name) in zip(grid, panels, strict=False):
        tidy(axes)
        axes.set_title(title, fontsize=10)
        for number, (training, curves) in enumerate(trainings.items()):
            if name in curves:
                _draw(axes, curves[name], color(number), training)
    figure.supxlabel("games of self-play", fontsize=10)
    labels = {label: line for axes in grid for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(labels.values(), labels, loc="outside upper center", ncols=min(len(labels), 6), fontsize=9)
    write_figure(path, figure)


def plot_gain(path: Path, curves: Curves, games: int, match: tuple[float, float, float]) -> None:
    """Write a plot of what self-play gained in average rank over its games, with 95 % intervals.

    curves: of the training, whose measurements are drawn. games: at its end. match: gain, low and high end.
    """
    figure, axes = one_panel((8, 4))
    gaps, lows, highs = (dict(curves.get(f"evaluation/less_start{end}", ())) for end in ("", "_low", "_high"))
    points = [(at, -gaps[at], -highs[at], -lows[at]) for at in gaps if at in lows and at in highs]
    curve = [((0, 0.0, 0.0, 0.0), *points)] if points else []  # a short training is not measured on the way
    for series, label, number in (
        *((each, "while it trains: one against three", 0) for each in curve),
        ([(games, *match)], "the match: two against two", 1),
    ):
        at, value, low, high = np.array(series).T
        axes.errorbar(
            at, value, (value - low, high - value), fmt="o-", color=color(number), capsize=3, label=label, clip_on=False
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlim(left=0)
    axes.set_xlabel("games of self-play")
    axes.set_ylabel("gain in average rank (higher is better)")
    axes.legend()
    write_figure(path, figure)


def _draw(axes: Axes, points: Sequence[tuple[int, float]], color: str, label: str) -> None:
    """Draw the points of a curve, and a line of moving means."""
    steps, values = np.array(points).T
    width = max(1, round(_SMOOTHING * len(values)))
    sums = np.concatenate([[0], values.cumsum()])
    axes.plot(steps, values, ".", color=color, markersize=2, alpha=0.35)
    axes.plot(steps[width - 1 :], (sums[width:] - sums[:-width]) / width, color=color, linewidth=1.5, label=label)


def read_curves(folder: Path) -> Curves:
    """Return the finite scalars in a TensorBoard folder by name; none if there is no such folder.

    A file that resumes from an earlier step replaces the values of previous files from there on, as TensorBoard itself
    does. The incomplete end that a kill leaves is ignored; a file that is damaged otherwise raises InputError.
    """
    curves: Curves = {}
    for path in sorted(folder.glob("*.tfevents.*")):  # file names start with the time
        for event in _events(path):
            if event.session_log.status == SessionLog.START:
                curves = {name: [point for point in old if point[0] < event.step] for name, old in curves.items()}
            for value in event.summary.value:
                if value.HasField("simple_value") and math.isfinite(value.simple_value):
                    group, slash, name = value.tag.rpartition("/")
                    tag = group + slash + _RENAMED.get(name, name)
                    curves.setdefault(tag, []).append((event.step, value.simple_value))
    return {name: points for name, points in sorted(curves.items()) if points}


def _events(path: Path) -> Iterator[Event]:
    reader = PyRecordReader_New(str(path))
    while True:
        try:
            reader.GetNext()
        except OutOfRangeError:
            return
        except DataLossError as error:
            if "truncated" in str(error.message):
                return
            raise InputError(f"{path}: not a TensorBoard file, or damaged; move it away") from error
        yield Event.FromString(reader.record())


def read_trainings(folders: Sequence[Path]) -> dict[str, Curves]:
    """Return the curves of trainings by the names of their folders; raises InputError for a training without curves."""
    names = [folder.resolve().name for folder in folders]
    trainings = {}
    for name, folder in zip(names, folders, strict=True):
        curves = read_curves(folder / CURVES_FOLDER)
        if not curves:
            raise InputError(f"{folder}: no curves; `suphx train` leaves them in {CURVES_FOLDER}/ there")
        trainings[name if names.count(name) == 1 else str(folder)] = curves
    return trainings
