"""Statistics of players from logs: which players, their measures, resampled stable ranks, careers and plots."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from suphx.errors import InputError
from suphx.evaluation.ladder import follow_summary, simulate
from suphx.evaluation.log_games import AI_MARK, LoggedGames
from suphx.evaluation.measures import MEASURE, RANK_COLUMNS
from suphx.evaluation.report import career_table, played_career_table, report, resampling_table, tables
from suphx.evaluation.statistics import resampled
from suphx.evaluation.tally import COLUMN

MACRO_PLAYER = "all of them"
PEOPLE = "people"
#: Rooms with a stable rank; logs of other rooms, or of none, are treated as of the first.
_ROOMS = ("expert", "phoenix")
_QUANTILES = (2.5, 25, 50, 75, 97.5)


@dataclass
class LogStats:
    """Statistics of the players of some logs."""

    room: str
    """Room of the stable rank in plots and resampling, and the highest room of careers."""
    units: dict[str, np.ndarray]
    """Name to i64[games, columns]."""
    report: dict[str, Any]
    samples: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    """Name to games per sample to f64[n], stable ranks of samples of the games."""
    careers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Name to a career: `simulated` at its rank rates, and `as_played`, its games in order, where levels are stated."""
    remarks: list[str] = field(default_factory=list)

    @property
    def resampled(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Name to games per sample to quantile in percent to stable rank; None for never fourth."""
        return {name: {str(size): _quantiles(each) for size, each in by.items()} for name, by in self.samples.items()}

    def tables(self) -> Iterator[Table]:
        """Yield all statistics as tables for the terminal."""
        yield from tables(self.report, unit="logs")
        if self.resampled:
            yield resampling_table(self.resampled, self.room)
        for name, each in self.careers.items():
            yield career_table(name, each["simulated"])
            if "as_played" in each:
                yield played_career_table(name, each["as_played"])

    def plot(self, folder: Path, seed: int = 0) -> None:
        """Write the plots of `plots.write_pictures`."""
        from suphx.evaluation.plots import write_pictures

        write_pictures(folder, self.units, self.report["agents"], self.room, seed, "games", self.samples or None)


def read_resampling(text: str) -> tuple[int, int]:
    """Parse `K,N` into (games per sample, samples); raise InputError for anything else."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdigit() and int(part) for part in parts):
        raise InputError(f"--resample {text}: write K,N, as in 800,1000 for 1,000 samples of 800 games each")
    return int(parts[0]), int(parts[1])


def log_stats(
    games: LoggedGames,
    paths: Sequence[str],
    players: Sequence[str],
    samplings: Sequence[tuple[int, int]] = (),
    career: bool = False,
    prizes: Sequence[float] | None = None,
    seed: int = 0,
) -> LogStats:
    """Return the statistics of players over some games, at least one.

    paths: the paths that the games' `path` indexes. players: names; if empty, all seats of each path, and AIs and
    people where names tell them apart. samplings: (games per sample, samples). Raises InputError for an unknown player.
    """
    units = _units_of(games, paths, players)
    room = _room(games)
    result = LogStats(room, units, report(units, seed=seed, prizes=prizes))
    for size, samples in samplings:
        _resample(result, size, samples, seed)
    if career:
        for name, each in units.items():
            result.careers[name] = _career(games, name, each, room, seed)
    return result


def _units_of(games: LoggedGames, paths: Sequence[str], players: Sequence[str]) -> dict[str, np.ndarray]:
    if players:
        known = games.names()
        for name in players:
            if name not in known:
                most = ", ".join(f"{each} ({count:,})" for each, count in list(known.items())[:8])
                raise InputError(f"no player {name!r} in these logs; those with the most games: {most}")
        units = {name: games.of_players([name]) for name in players}
        if len(units) > 1:
            units[MACRO_PLAYER] = games.of_players(list(units))
        return units
    units = {}
    for number, path in enumerate(paths):
        here = games.of_path(number)
        if len(here):
            units[f"all seats of {Path(path).name}"] = here
    artificial = [name for name in games.names() if name.startswith(AI_MARK)]
    if artificial:
        units |= {name: games.of_players([name]) for name in artificial}
        units[PEOPLE] = games.units(lambda game, seat: not game.names[seat].startswith(AI_MARK))
    return units


def _room(games: LoggedGames) -> str:
    (room, _), *_ = Counter(game.room for game in games.games).most_common(1)
    return room if room in _ROOMS else _ROOMS[0]


def _resample(result: LogStats, size: int, samples: int, seed: int) -> None:
    measure = MEASURE[f"stable_rank_{result.room}"]
    for name, units in result.units.items():
        played = int(units[:, COLUMN["games"]].sum())
        if size > played:
            result.remarks.append(f"{name}: {size:,} games cannot be drawn from {played:,}; not resampled")
            continue
        result.samples.setdefault(name, {})[size] = measure.of(resampled(units, samples, size, seed))


def _quantiles(values: np.ndarray) -> dict[str, float | None]:
    result = np.percentile(values, _QUANTILES, method="nearest")
    return {f"{q:g}": float(value) if np.isfinite(value) else None for q, value in zip(_QUANTILES, result, strict=True)}


def _career(games: LoggedGames, name: str, units: np.ndarray, room: str, seed: int) -> dict[str, Any]:
    result: dict[str, Any] = {"simulated": simulate(units[:, RANK_COLUMNS].sum(axis=0), top_room=room, seed=seed)}
    places, start = games.places(name)
    if start is not None:
        result["as_played"] = follow_summary(places, start, room)
    return result
