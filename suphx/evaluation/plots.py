"""Plots of results: stable ranks as in the paper's Figures 8 and 12, rank rates, and the running estimate."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from suphx.agent.registry import is_external
from suphx.evaluation.log_stats import AI_MARK
from suphx.evaluation.measures import MEASURE, RANKS
from suphx.evaluation.statistics import LEAST_DEALS, SAMPLES, bootstrap, resampled, running
from suphx.evaluation.tally import COLUMN
from suphx.plotting import color, one_panel, write_figure

_WHISKERS = (2.5, 97.5)
_LONG_NAME = 14


def plot_stable_ranks(path: Path, samples: Mapping[str, np.ndarray], room: str, how: str) -> None:
    """Write the paper's Figure 8, of bootstrap samples, so that the whiskers are the 95 % intervals of the tables.

    samples: name to f64[n], stable ranks; infinite ones (never fourth) are left out.
    """
    figure, axes = one_panel((max(4.5, 1.6 + 1.1 * len(samples)), 4.4))
    finite = [_finite(values) for values in samples.values()]
    _boxes(axes, finite, list(range(len(finite))), 0.55, [color(n) for n in range(len(finite))])
    for place, values in enumerate(finite):
        if len(values):
            top = np.percentile(values, _WHISKERS[1])
            axes.annotate(
                f"{np.median(values):.2f}", (place, top), (0, 4), textcoords="offset points", ha="center", fontsize=9
            )
    axes.margins(y=0.12)
    slanted = any(len(_shown(name)) > _LONG_NAME for name in samples)
    rotation, ha = (25, "right") if slanted else (0, "center")
    axes.set_xticks(range(len(samples)), map(_shown, samples), rotation=rotation, ha=ha)
    axes.set(xlim=(-0.6, len(samples) - 0.4), ylabel=f"stable rank, {room} room (dan)")
    axes.set_title(f"Stable rank\n{how}", fontsize=10)
    _explain_boxes(figure)
    write_figure(path, figure)


def plot_resampling(path: Path, samples: Mapping[str, Mapping[int, np.ndarray]], room: str, how: str) -> None:
    """Write the paper's Figure 12; samples: name to games per sample to f64[n], stable ranks of the samples."""
    counts = sorted({games for each in samples.values() for games in each})
    figure, axes = one_panel((max(5.5, 2.2 + 0.75 * len(counts) * max(1, len(samples)) ** 0.7), 4.6))
    width = 0.8 / max(1, len(samples))
    for number, each in enumerate(samples.values()):
        have = [games for games in counts if games in each]
        shift = (number - (len(samples) - 1) / 2) * width
        places = [counts.index(games) + shift for games in have]
        _boxes(axes, [_finite(each[games]) for games in have], places, 0.8 * width, [color(number)] * len(have))
    axes.set_xticks(range(len(counts)), [f"{games:,}" for games in counts])
    axes.set(xlabel="games in a sample", ylabel=f"stable rank, {room} room (dan)")
    axes.set_title(f"Stable rank of resampled games\n{how}", fontsize=10)
    boxes = [Patch(facecolor=color(number), label=_shown(name)) for number, name in enumerate(samples)]
    axes.legend(handles=boxes, fontsize=9, loc="upper right")
    _explain_boxes(figure)
    write_figure(path, figure)


def plot_ranks(path: Path, summaries: Mapping[str, Mapping[str, Any]], how: str) -> None:
    """Write a bar chart of each player's places, with 95 % intervals; summaries: name to the result of `summary`."""
    figure, axes = one_panel((max(6.0, 3 + 1.1 * len(summaries)), 4.2))
    width = 0.84 / max(1, len(summaries))
    places = np.arange(len(RANKS))
    for number, (name, estimate) in enumerate(summaries.items()):
        values = np.array([estimate[rank]["value"] for rank in RANKS])
        ends = np.array([estimate[rank]["interval"] for rank in RANKS]).T
        shift = (number - (len(summaries) - 1) / 2) * width
        errors = np.maximum([values - ends[0], ends[1] - values], 0)
        axes.bar(
            places + shift, 100 * values, 0.92 * width, yerr=100 * errors, capsize=2.5, color=color(number),
            error_kw={"elinewidth": 1, "ecolor": "0.25"}, label=f"{_shown(name)} ({estimate['games']:,} games)",
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
    """Write a measure after more and more games, with a 95 % band; estimates: name to the result of `running`."""
    figure, axes = one_panel((7.5, 4.2))
    values = []
    for number, (name, estimate) in enumerate(estimates.items()):
        line = {key: np.array(estimate[key], float) for key in ("games", "value", "low", "high")}
        axes.fill_between(line["games"], line["low"], line["high"], color=color(number), alpha=0.2, linewidth=0)
        axes.plot(line["games"], line["value"], color=color(number), linewidth=1.8, label=_shown(name))
        # The band is very wide at first, so scale the axis to the estimates after a tenth of the games.
        late = line["games"] >= 0.1 * line["games"][-1]
        values += [line["low"][late], line["high"][late]]
    shown = _finite(np.concatenate(values)) if values else np.zeros(0)
    if len(shown) and np.ptp(shown):
        margin = 0.08 * np.ptp(shown)
        axes.set_ylim(shown.min() - margin, shown.max() + margin)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set(xlabel="games", ylabel=label)
    axes.set_title(f"Running estimate with its 95 % interval\n{how}", fontsize=10)
    axes.legend(fontsize=9, loc="upper right")
    write_figure(path, figure)


def _boxes(axes: Axes, values: list[np.ndarray], places: list[float], width: float, colors: list[str]) -> None:
    boxes = axes.boxplot(
        values, positions=places, widths=width, whis=_WHISKERS, showfliers=False, patch_artist=True,
        medianprops={"color": "black", "linewidth": 1.4}, manage_ticks=False,
    )  # fmt: skip
    for box, fill in zip(boxes["boxes"], colors, strict=True):
        box.set(facecolor=fill, alpha=0.85, linewidth=0.8)


def _explain_boxes(figure: Figure) -> None:
    figure.supxlabel("box: quartiles, line: median, whiskers: 2.5 to 97.5 % of the samples", fontsize=8, color="0.35")


def _shown(name: str) -> str:
    return name.replace(AI_MARK, "")  # the font lacks it


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


_SIZES = 6


def write_pictures(
    folder: Path,
    units: Mapping[str, np.ndarray],
    summaries: Mapping[str, Any],
    room: str = "phoenix",
    seed: int = 0,
    unit: str = "deals",
    sampled: Mapping[str, Mapping[int, np.ndarray]] | None = None,
) -> None:
    """Write `stable-rank.png`, `resampling.png`, `ranks.png` and `running.png` into a folder.

    units: name to [deals, columns]. summaries: name to their `summary`. room: room of the stable ranks. unit: what a
    row of the units is called. sampled: name to games per sample to stable ranks of samples; by default for halves,
    quarters and so on of all games. Without any there is no `resampling.png`.
    """
    measure = MEASURE[f"stable_rank_{room}"]
    boxes = {name: measure.of(bootstrap(each, SAMPLES, seed)) for name, each in units.items()}
    counts = sorted(map(len, units.values()))
    deals = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    few = f"\nonly {deals} {unit}: too few to conclude anything" if counts[0] < LEAST_DEALS else ""
    plot_stable_ranks(folder / "stable-rank.png", boxes, room, f"{deals} {unit}, drawn anew with replacement{few}")
    if sampled is None:
        sampled = {
            name: {games: measure.of(resampled(each, SAMPLES, games, seed)) for games in _sizes(each)}
            for name, each in units.items()
        }
    if any(sampled.values()):
        plot_resampling(folder / "resampling.png", sampled, room, f"whole {unit}, drawn without replacement{few}")
    plot_ranks(folder / "ranks.png", summaries, f"with 95 % intervals{few}")
    estimates = {name: running(each, measure) for name, each in units.items()}
    plot_running(folder / "running.png", estimates, f"stable rank, {room} room (dan)", f"{unit} in order{few}")


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """Return short names for plots: a folder's last part but `agent`; equal ones stay in full, and so do bots."""
    short = {each: each if is_external(each) else _last_part(each) for each in agents}
    times = Counter(short.values())
    return {agent: name if times[name] == 1 else agent for agent, name in short.items()}


def _last_part(agent: str) -> str:
    kind, colon, folder = agent.rpartition(":")
    parts = PurePath(folder).parts
    if len(parts) > 1 and parts[-1] == "agent":
        parts = parts[:-1]
    return kind + colon + (parts[-1] if parts else folder)


def _sizes(units: np.ndarray) -> list[int]:
    """Return sample sizes in games: half of all games, half of that, and so on."""
    games = int(units[:, COLUMN["games"]].sum())
    per_deal = games // len(units)
    return [games // 2**halvings for halvings in range(_SIZES, 0, -1) if games // 2**halvings >= 10 * per_deal]
