"""Write all plots of some agents' results into one folder: the paper's Figures 8 and 12, and two more."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from suphx.agent.in_turns import TURNS
from suphx.evaluation.measures import MEASURE
from suphx.evaluation.plots import plot_ranks, plot_resampling, plot_running, plot_stable_ranks
from suphx.evaluation.statistics import resampled, running
from suphx.evaluation.tally import COLUMN
from suphx.mjai.host.specs import is_external

SAMPLES = 1000
#: Share of the deals in each sample of the box plot (in the paper 800K of a million games).
SHARE = 0.8
_SIZES = 6


def write_pictures(
    folder: Path,
    units: Mapping[str, np.ndarray],
    summaries: Mapping[str, Any],
    room: str = "phoenix",
    seed: int = 0,
    unit: str = "deals",
    sampled: Mapping[str, Mapping[int, np.ndarray]] | None = None,
) -> list[Path]:
    """Write `stable-rank.png`, `resampling.png`, `ranks.png` and `running.png` into a folder; return their paths.

    units: name to [deals, columns]. summaries: name to their `summary`. room: room of the stable ranks. unit: what a
    row of the units is called. sampled: name to games per sample to stable ranks of samples; by default for halves,
    quarters and so on of all games. Without any there is no `resampling.png`.
    """
    measure = MEASURE[f"stable_rank_{room}"]
    paths = {name: folder / f"{name}.png" for name in ("stable-rank", "resampling", "ranks", "running")}
    boxes = {name: measure.of(resampled(each, SAMPLES, SHARE, seed=seed)) for name, each in units.items()}
    deals = " to ".join(
        f"{count:,}" for count in sorted({min(map(len, units.values())), max(map(len, units.values()))})
    )
    plot_stable_ranks(
        paths["stable-rank"], boxes, room, f"{SAMPLES:,} samples of {100 * SHARE:.0f} % of {deals} {unit}"
    )
    if sampled is None:
        sampled = {
            name: {games: measure.of(resampled(each, SAMPLES, games=games, seed=seed)) for games in _sizes(each)}
            for name, each in units.items()
        }
    if any(sampled.values()):
        plot_resampling(paths["resampling"], sampled, room, f"whole {unit}, drawn without replacement")
    else:
        del paths["resampling"]
    plot_ranks(paths["ranks"], summaries, "with 95 % intervals")
    estimates = {name: running(each, measure) for name, each in units.items()}
    plot_running(paths["running"], estimates, f"stable rank, {room} room (dan)", f"{unit} in order")
    return list(paths.values())


def short_names(agents: Iterable[str]) -> dict[str, str]:
    """Return short names of agents for plots: the last part of a folder, or for `runs/first/agent` the one before it.

    Agents whose short names would be the same keep their full names, and so do bots with their commands.
    """
    short = {each: each if is_external(each) else TURNS.join(map(_last_part, each.split(TURNS))) for each in agents}
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
