"""Statistics of players from logs, which are replayed, verified and tallied: measures, stable ranks, careers, plots."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from simulator.logs.archives import Chunk, plan, read_chunk
from simulator.logs.formats import read_logs
from simulator.logs.model import GameLog, LogError
from simulator.logs.verify import Verified
from simulator.lookup import get_lookup
from simulator.processes import share_out
from simulator.record import GAME, SEATS
from suphx.dataset.prepare import whole_game
from suphx.dataset.prepared import LeftOut
from suphx.errors import InputError
from suphx.evaluation.ladder import follow_summary, simulate
from suphx.evaluation.measures import MEASURE, OF_PLACES, PRIZE, RANK_COLUMNS
from suphx.evaluation.report import career_table, played_career_table, report, resampling_table, tables
from suphx.evaluation.statistics import resampled
from suphx.evaluation.tally import COLUMN, COLUMNS, tally

#: Members of an archive per unit of work: small enough for a steady progress bar.
_CHUNK = 100
#: What Tenhou puts before the names of AIs.
AI_MARK = "ⓝ"
MACRO_PLAYER = "all of them"
PEOPLE = "people"
_ALL_SEATS = "all seats of"
#: Rooms with a stable rank; logs of other rooms, or of none, are treated as of the first.
_ROOMS = ("expert", "phoenix")
_QUANTILES = (2.5, 25, 50, 75, 97.5)


@dataclass(frozen=True)
class LoggedGame:
    """The counts of one logged game."""

    source: str
    path: int
    """Index of the given path that contains it."""
    names: tuple[str, ...]
    room: str
    dan: tuple[int, ...] | None
    """Tenhou's level numbers before the game, by seat (`ladder.LEVELS`)."""
    counts: np.ndarray
    """i32[4, columns]: what each seat did."""


@dataclass
class LoggedGames:
    """Logged games, and what was left out."""

    games: list[LoggedGame] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)
    seconds: float = 0.0

    def in_order(self) -> LoggedGames:
        """Sort the games by file name, which at Tenhou begins with the hour; return these games."""
        self.games.sort(key=lambda game: (game.source.rsplit("/", 1)[-1], game.source))
        return self

    def names(self) -> dict[str, int]:
        """Return the number of games of each player name, largest first."""
        counts = Counter(name for game in self.games for name in set(game.names))
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def units(self, wanted: Callable[[LoggedGame, int], bool]) -> np.ndarray:
        """Return i64[games, columns]: counts of the wanted seats in each game with any; wanted: of (game, seat)."""
        seats = [[seat for seat in range(SEATS) if wanted(game, seat)] for game in self.games]
        rows = [game.counts[chosen].sum(axis=0) for game, chosen in zip(self.games, seats, strict=True) if chosen]
        return np.array(rows, np.int64).reshape(-1, len(COLUMNS))

    def of_players(self, names: Sequence[str]) -> np.ndarray:
        """Return i64[games, columns] of players by name; several are combined into one macro-player."""
        return self.units(lambda game, seat: game.names[seat] in names)

    def places(self, name: str) -> tuple[np.ndarray, int | None]:
        """Return a player's places u8[games] in order, 0 first to 3 fourth, and the level before the first game."""
        played = [(game, game.names.index(name)) for game in self.games if name in game.names]
        start = next((game.dan[seat] if game.dan is not None else None for game, seat in played), None)
        return np.array([game.counts[seat, RANK_COLUMNS].argmax() for game, seat in played], np.uint8), start


def count_game(log: GameLog | LogError, path: int = 0) -> LoggedGame | LeftOut:
    """Replay a log and count it, or return why it is left out."""

    def count(log: GameLog, verified: Verified) -> LoggedGame:
        dan = None if log.dan is None else tuple(log.dan)
        counts = tally(np.array(verified.ends, GAME))
        return LoggedGame(log.source, path, tuple(log.names), log.room, dan, counts)

    return whole_game(log, count)


def _count_chunk(chunk: Chunk, path: int) -> list[LoggedGame | LeftOut]:
    return [count_game(log, path) for log in read_logs(read_chunk(chunk))]


def count_logs(paths: Sequence[str | Path], workers: int = 1) -> Iterator[tuple[LoggedGames, float]]:
    """Count the logs under some paths, by several processes; yield the games so far and the share of the work done."""
    started = time.perf_counter()
    work = [(chunk, number) for number, path in enumerate(paths) for chunk in plan([path], _CHUNK)]
    total = LoggedGames()
    get_lookup()  # computed before any worker needs it

    for done, part in enumerate(share_out(_count_chunk, work, workers, in_order=False), 1):
        for each in part:
            if isinstance(each, LeftOut):
                total.left_out += each
            else:
                total.games.append(each)
        total.seconds = time.perf_counter() - started
        yield total, done / len(work)


@dataclass
class LogStats:
    """Statistics of the players of some logs."""

    room: str
    """Room of the stable rank in plots and resampling, and the highest room of careers."""
    units: dict[str, np.ndarray]
    """Name to i64[games, columns], of players; all seats together have no places."""
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
    (room, _), *_ = Counter(game.room for game in games.games).most_common(1)
    room = room if room in _ROOMS else _ROOMS[0]
    result = LogStats(room, units, report(units, seed=seed, prizes=prizes))
    if not players:
        _leave_out_places(result)
    for size, samples in samplings:
        _resample(result, size, samples, seed)
    for name, each in result.units.items() if career else ():
        result.careers[name] = {"simulated": simulate(each[:, RANK_COLUMNS].sum(axis=0), top_room=room, seed=seed)}
        places, start = games.places(name)
        if start is not None:
            result.careers[name]["as_played"] = follow_summary(places, start, room)
    return result


def _leave_out_places(result: LogStats) -> None:
    """Remove what is the same in every game for all its seats together: places, points at the end, prizes."""
    for name in [name for name in result.units if name.startswith(_ALL_SEATS)]:
        for measure in (OF_PLACES | {PRIZE}) & result.report["agents"][name].keys():
            result.report["agents"][name][measure] = {"value": None, "interval": [None, None]}
        del result.units[name]
    if not result.units:
        result.remarks.append("places are shown of players: name them with --player")


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
        here = LoggedGames([game for game in games.games if game.path == number])
        if here.games:
            units[f"{_ALL_SEATS} {Path(path).name}"] = here.units(lambda game, seat: True)
    if artificial := [name for name in games.names() if name.startswith(AI_MARK)]:
        units |= {name: games.of_players([name]) for name in artificial}
        units[PEOPLE] = games.units(lambda game, seat: not game.names[seat].startswith(AI_MARK))
    return units


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
