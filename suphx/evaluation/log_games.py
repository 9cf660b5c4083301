"""Statistics of logged games like those of played ones: replay, verify and tally them, over several processes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from simulator.logs.archives import Chunk, plan, read_chunk
from simulator.logs.formats import read_logs
from simulator.logs.model import GameLog, LogError, SkippedLog
from simulator.logs.verify import verify_game
from simulator.lookup import get_lookup
from simulator.processes import share_out
from simulator.record import GAME, SEATS
from suphx.evaluation.measures import RANK_COLUMNS
from suphx.evaluation.tally import COLUMNS, tally

#: Members of an archive per unit of work: small enough for a steady progress bar.
_CHUNK = 100
_KEPT_WORDS = 20
#: What Tenhou puts before the names of AIs.
AI_MARK = "ⓝ"


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
    """Logged games, and what was left out; parts add up with `+=`."""

    games: list[LoggedGame] = field(default_factory=list)
    skipped: int = 0
    """Games of an unsupported kind (three players)."""
    mismatches: int = 0
    """Games whose log contradicts the engine, or that have no end."""
    errors: int = 0
    """Logs that cannot be read."""
    words: list[str] = field(default_factory=list)
    """Messages about the first that were left out: which and why."""
    seconds: float = 0.0

    def __iadd__(self, other: LoggedGames) -> LoggedGames:
        self.games += other.games
        self.skipped += other.skipped
        self.mismatches += other.mismatches
        self.errors += other.errors
        self.words = (self.words + other.words)[:_KEPT_WORDS]
        return self

    @property
    def left_out(self) -> int:
        """Number of logs that were left out."""
        return self.skipped + self.mismatches + self.errors

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
        rows = []
        for game in self.games:
            seats = [seat for seat in range(SEATS) if wanted(game, seat)]
            if seats:
                rows.append(game.counts[seats].sum(axis=0))
        return np.array(rows, np.int64).reshape(-1, len(COLUMNS))

    def of_path(self, path: int) -> np.ndarray:
        """Return i64[games, columns] of all seats together, for the games of one path, given by its index."""
        return self.units(lambda game, seat: game.path == path)

    def of_players(self, names: Sequence[str]) -> np.ndarray:
        """Return i64[games, columns] of players by name; several are combined into one macro-player."""
        return self.units(lambda game, seat: game.names[seat] in names)

    def places(self, name: str) -> tuple[np.ndarray, int | None]:
        """Return a player's places u8[games] in order, 0 first to 3 fourth, and the level before the first game."""
        counts: list[int] = []
        start = None
        for game in self.games:
            if name in game.names:
                seat = game.names.index(name)
                if not counts and game.dan is not None:
                    start = game.dan[seat]
                counts.append(int(game.counts[seat, RANK_COLUMNS].argmax()))
        return np.array(counts, np.uint8), start


def count_game(log: GameLog, path: int = 0) -> LoggedGame:
    """Replay a log and count it.

    Raises LogError if it contradicts the engine, or is not played to its end.
    """
    records: list[np.void] = []
    verified = verify_game(log, ended=lambda record: records.append(record.copy()))
    if verified.mismatches:
        raise LogError(str(verified.mismatches[0]))
    if verified.final_scores is None:
        raise LogError("a game without an end", log.source)
    counts = tally(np.array(records, GAME))
    dan = None if log.dan is None else tuple(log.dan)
    return LoggedGame(log.source, path, tuple(log.names), log.room, dan, counts)


def _counted(log: GameLog | LogError, path: int) -> LoggedGames:
    if isinstance(log, SkippedLog):
        return LoggedGames(skipped=1, words=[f"skipped: {log}"])
    if isinstance(log, LogError):
        return LoggedGames(errors=1, words=[str(log)])
    try:
        return LoggedGames([count_game(log, path)])
    except LogError as error:
        return LoggedGames(mismatches=1, words=[str(error)])


def _count_chunk(chunk: Chunk, path: int) -> LoggedGames:
    counts = LoggedGames()
    for log in read_logs(read_chunk(chunk)):
        counts += _counted(log, path)
    return counts


def count_logs(paths: Sequence[str | Path], workers: int = 1) -> Iterator[tuple[LoggedGames, float]]:
    """Count all logs under some paths; yield the games so far and the share of the work done, 0 to 1.

    With more than one worker, zip archives and folders are split over processes; tar archives are read in order.
    """
    started = time.perf_counter()
    work = [(chunk, number) for number, path in enumerate(paths) for chunk in plan([path], _CHUNK)]
    total = LoggedGames()
    get_lookup()  # computed before any worker needs it

    for done, part in enumerate(share_out(_count_chunk, work, workers, in_order=False), 1):
        total += part
        total.seconds = time.perf_counter() - started
        yield total, done / len(work)
