"""What is shown of an experiment: its numbers as a table, every hand's gain, and the shares of hands that improve."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table

from suphx.adaptation.notebook import HandResult
from suphx.intervals import QUANTILE
from suphx.plotting import colour, one_panel, tidy, write_figure


def experiment_table(found: Mapping[str, Any]) -> Table:
    """Return the result of `summarise` as a table for the terminal."""
    rollouts = " or ".join(f"{rollouts:,}" for rollouts in found["rollouts"])
    title = f"{found['hands']} hands, {rollouts} rollouts each; gains in {found['units']}"
    caption = (
        "share: of hands that gain, among those that differ, by each hand's mean over "
        f"{' or '.join(f'{deals:,}' for deals in found['deals'])} test deals; the fewer deals, the nearer to one half; "
        "less shuffled: the mean gain less that of the control, and the share of hands that gain more than with it"
    )
    gains = "share", "95 %", "mean gain", "95 %", "less shuffled", "95 %", "share", "95 %"
    table = Table("way", "hands", *gains, "kept", "with check", title=title, caption=caption)
    for way, all_of in found["ways"].items():
        for name, part in {way: all_of, **all_of["by_kind"], **all_of["by_situation"], **all_of["by_deals"]}.items():
            less = part.get("less_shuffled")
            table.add_row(
                name if name == way else f"  {name}", str(part["hands"]), *_share(part),
                *_with_ends(part["gain"]),
                *(_with_ends(less["gain"]) if less else ("", "")), *_share(less or {}),
                f"{part['kept']:.0%}", f"{part['gain_with_check']['value']:+.2g}",
            )  # fmt: skip
    return table


def _share(part: Mapping[str, Any]) -> tuple[str, str]:
    """Return a share of hands and its interval, as they are shown."""
    if part.get("share") is None:
        return "", ""
    low, high = part["share_interval"]
    return f"{part['share']:.1%}", f"{low:.1%} to {high:.1%}"


def _with_ends(gain: Mapping[str, Any]) -> tuple[str, str]:
    """Return a mean gain and its interval, as they are shown."""
    ends = gain["interval"]
    return f"{gain['value']:+.2g}", f"{ends[0]:+.2g} to {ends[1]:+.2g}" if ends else ""


def plot_gains(path: Path, hands: Sequence[HandResult], unit: float, summary: Mapping[str, Any]) -> None:
    """Write a plot of the gains of all hands, sorted, with 95 % intervals, one panel for each way of adapting.

    unit, summary: as in `summarise`.
    """
    ways = list(hands[0].trials)
    figure = Figure((7.5, 2.6 * len(ways)), layout="constrained")
    panels = figure.subplots(len(ways), sharex=True, squeeze=False)[:, 0]
    for number, (way, axes) in enumerate(zip(ways, panels, strict=True)):
        tidy(axes)
        trials = sorted((hand.trials[way] for hand in hands), key=lambda trial: trial.gain)
        gains, errors = (np.array([getattr(trial, name) for trial in trials]) * unit for name in ("gain", "error"))
        axes.errorbar(
            np.arange(len(trials)),
            gains,
            QUANTILE * errors,
            fmt=".",
            markersize=3,
            elinewidth=0.6,
            color=colour(number),
        )
        axes.axhline(0, color="0.35", linewidth=0.9)
        found = summary["ways"][way]
        share = "no hand differs" if found["share"] is None else f"{found['share']:.0%} of hands that differ gain"
        axes.set_title(f"{way}: {share}, {found['gain']['value']:+.2g} on average", fontsize=10)
        axes.set_ylabel(f"gain ({summary['units']})", fontsize=8)
    panels[-1].set_xlabel("hands, in order of the gain")
    write_figure(path, figure)


def plot_shares(path: Path, summary: Mapping[str, Any]) -> None:
    """Write a plot of the shares of hands that improve, by kind and situation, with 95 % intervals.

    summary: from `summarise`.
    """
    figure, axes = one_panel((7.5, 4.2))
    ways = summary["ways"]
    for number, (way, found) in enumerate(ways.items()):
        parts = {"all hands": found, **found["by_kind"], **found["by_situation"]}  # the same ones for every way
        shown = [place for place, part in enumerate(parts.values()) if part["share"] is not None]
        shares = np.array([part["share"] for part in parts.values()], np.float64)[shown]
        ends = np.array([part["share_interval"] or (np.nan,) * 2 for part in parts.values()])[shown].T
        axes.errorbar(np.array(shown) + 0.12 * (number - (len(ways) - 1) / 2), 100 * shares,
                      100 * np.abs(ends - shares), fmt="o", capsize=3, color=colour(number), label=way)  # fmt: skip
        axes.set_xticks(range(len(parts)), [f"{name}\n({part['hands']})" for name, part in parts.items()], fontsize=8)
    axes.axhline(50, color="0.35", linewidth=0.9, linestyle="--")
    axes.set_ylabel("hands that gain, of those that differ (%)")
    axes.legend(fontsize=9)
    write_figure(path, figure)
