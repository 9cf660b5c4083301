"""Plots of results: stable ranks as in the paper's Figures 8 and 12, rank rates, and the running estimate.

Each function writes one file, PNG or SVG by its suffix, from values that `statistics.py` returns, by player name.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from suphx.evaluation.measures import RANKS
from suphx.figures import colour, tidy, write_figure

_WHISKERS = (2.5, 97.5)
_LONG_NAME = 14
#: Prefix of AI names at Tenhou, which the font of the plots lacks.
_AI_MARK = "ⓝ"


def plot_stable_ranks(path: Path, samples: Mapping[str, np.ndarray], room: str, how: str) -> None:
    """Write the paper's Figure 8: a box of stable ranks for each player.

    samples: name to f64[n], stable ranks of resampled games; infinite ones (never fourth) are left out. room: room of
    the stable rank. how: description of the resampling, e.g. `1,000 samples of 80 % of 25,000 deals`.
    """
    figure, axes = _figure((max(4.5, 1.6 + 1.1 * len(samples)), 4.4))
    finite = [_finite(values) for values in samples.values()]
    _boxes(axes, finite, list(range(len(finite))), 0.55, [colour(n) for n in range(len(finite))])
    for place, values in enumerate(finite):
        if len(values):
            top = np.percentile(values, _WHISKERS[1])
            axes.annotate(
                f"{np.median(values):.2f}", (place, top), (0, 4), textcoords="offset points", ha="center", fontsize=9
            )
    axes.margins(y=0.12)
    _name_places(axes, [_shown(name) for name in samples])
    axes.set_ylabel(f"stable rank, {room} room (dan)")
    axes.set_title(f"Stable rank\n{how}", fontsize=10)
    _explain_boxes(figure)
    write_figure(path, figure)


def plot_resampling(path: Path, samples: Mapping[str, Mapping[int, np.ndarray]], room: str, how: str) -> None:
    """Write the paper's Figure 12: the spread of a player's stable rank over samples of its games, by sample size.

    samples: name to games per sample to f64[n], stable ranks of the samples. how: description of what was drawn.
    """
    counts = sorted({games for each in samples.values() for games in each})
    figure, axes = _figure((max(5.5, 2.2 + 0.75 * len(counts) * max(1, len(samples)) ** 0.7), 4.6))
    width = 0.8 / max(1, len(samples))
    for number, each in enumerate(samples.values()):
        have = [games for games in counts if games in each]
        shift = (number - (len(samples) - 1) / 2) * width
        places = [counts.index(games) + shift for games in have]
        _boxes(axes, [_finite(each[games]) for games in have], places, 0.8 * width, [colour(number)] * len(have))
    axes.set_xticks(range(len(counts)), [f"{games:,}" for games in counts])
    axes.set_xlabel("games in a sample")
    axes.set_ylabel(f"stable rank, {room} room (dan)")
    axes.set_title(f"Stable rank of resampled games\n{how}", fontsize=10)
    boxes = [Patch(facecolor=colour(number), label=_shown(name)) for number, name in enumerate(samples)]
    axes.legend(handles=boxes, fontsize=9, loc="upper right")
    _explain_boxes(figure)
    write_figure(path, figure)


def plot_ranks(path: Path, summaries: Mapping[str, Mapping[str, Any]], how: str) -> None:
    """Write a bar chart of how often each player came first to fourth, with 95 % intervals.

    summaries: name to the result of `summary`.
    """
    figure, axes = _figure((max(6.0, 3 + 1.1 * len(summaries)), 4.2))
    width = 0.84 / max(1, len(summaries))
    places = np.arange(len(RANKS))
    for number, (name, found) in enumerate(summaries.items()):
        values = np.array([found[rank]["value"] for rank in RANKS])
        ends = np.array([found[rank]["interval"] for rank in RANKS]).T
        shift = (number - (len(summaries) - 1) / 2) * width
        errors = np.maximum([values - ends[0], ends[1] - values], 0)
        axes.bar(
            places + shift, 100 * values, 0.92 * width, yerr=100 * errors, capsize=2.5, color=colour(number),
            error_kw={"elinewidth": 1, "ecolor": "0.25"}, label=f"{_shown(name)} ({found['games']:,} games)",
        )  # fmt: skip
        if len(summaries) <= 4:
            for place, value, high in zip(places + shift, values, ends[1], strict=True):
                axes.annotate(
                    f"{100 * value:.1f}", (place, 100 * high), (0, 3), textcoords="offset points", ha="center",
                    fontsize=7.5,
                )  # fmt: skip
    axes.axhline(25, color="0.35", linewidth=0.9, linestyle="--", zorder=0)
    axes.set_xticks(places, list(RANKS))
    axes.set_ylabel("games (%)")
    axes.margins(y=0.12)
    axes.set_title(f"Places\n{how}", fontsize=10)
    axes.legend(fontsize=8.5, ncols=min(2, len(summaries)), loc="upper center", bbox_to_anchor=(0.5, -0.1))
    write_figure(path, figure)


def plot_running(path: Path, estimates: Mapping[str, Mapping[str, Sequence[Any]]], label: str, how: str) -> None:
    """Write a plot of a measure's estimate after more and more games, with a 95 % band.

    estimates: name to the result of `running`. label: name of the measure, with its unit.
    """
    figure, axes = _figure((7.5, 4.2))
    values = []
    for number, (name, found) in enumerate(estimates.items()):
        line = {key: np.array(found[key], float) for key in ("games", "value", "low", "high")}
        axes.fill_between(line["games"], line["low"], line["high"], color=colour(number), alpha=0.2, linewidth=0)
        axes.plot(line["games"], line["value"], color=colour(number), linewidth=1.8, label=_shown(name))
        # The band is very wide at first, so scale the axis to the estimates after a tenth of the games.
        late = line["games"] >= 0.1 * line["games"][-1]
        values += [line["low"][late], line["high"][late]]
    shown = _finite(np.concatenate(values)) if values else np.zeros(0)
    if len(shown) and np.ptp(shown):
        margin = 0.08 * np.ptp(shown)
        axes.set_ylim(shown.min() - margin, shown.max() + margin)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("games")
    axes.set_ylabel(label)
    axes.set_title(f"Running estimate with its 95 % interval\n{how}", fontsize=10)
    axes.legend(fontsize=9, loc="upper right")
    write_figure(path, figure)


def _figure(size: tuple[float, float]) -> tuple[Figure, Axes]:
    figure = Figure(size, layout="constrained")
    axes = figure.subplots()
    tidy(axes)
    return figure, axes


def _boxes(axes: Axes, values: list[np.ndarray], places: list[float], width: float, colours: list[str]) -> None:
    boxes = axes.boxplot(
        values, positions=places, widths=width, whis=_WHISKERS, showfliers=False, patch_artist=True,
        medianprops={"color": "black", "linewidth": 1.4}, manage_ticks=False,
    )  # fmt: skip
    for box, fill in zip(boxes["boxes"], colours, strict=True):
        box.set(facecolor=fill, alpha=0.85, linewidth=0.8)


def _name_places(axes: Axes, names: list[str]) -> None:
    slanted = any(len(name) > _LONG_NAME for name in names)
    axes.set_xticks(range(len(names)), names, rotation=25 if slanted else 0, ha="right" if slanted else "center")
    axes.set_xlim(-0.6, len(names) - 0.4)


def _explain_boxes(figure: Figure) -> None:
    figure.supxlabel("box: quartiles, line: median, whiskers: 2.5 to 97.5 % of the samples", fontsize=8, color="0.35")


def _shown(name: str) -> str:
    return name.replace(_AI_MARK, "")


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]
