"""Generate logs of games between rule-based players, with several processes; a seed always gives the same games."""

import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simulator.files import write_whole
from simulator.logs.from_record import game_log
from simulator.logs.mjlog_codes import rules_of_type, type_of_rules
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import GameLog
from simulator.players import RulePlayer, player
from simulator.players.play import BATCH, play_games
from simulator.processes import share_out
from simulator.record import SEATS
from simulator.rules import Rules, RulesError

#: Games that a process generates at a time.
_CHUNK = 256
#: Date of all members of a zip; constant, so that the same games give an identical file.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Generated:
    """A generated game in written form."""

    name: str
    """File name."""
    data: bytes
    """Its mjlog."""
    rounds: int
    decisions: int


def players_by_seat(names: Sequence[str], seed: int = 0) -> list[RulePlayer]:
    """Return a player for each seat, given four names or one; raises UnknownPlayer, ValueError for another number."""
    names = list(names) * SEATS if len(names) == 1 else list(names)
    if len(names) != SEATS:
        raise ValueError(f"{len(names)} players are named; name one for all seats, or four")
    known = {name: player(name, seed) for name in names}
    return [known[name] for name in names]


def generate_games(
    n: int,
    players: Sequence[str] = ("sensible",),
    rules: Rules | None = None,
    seed: int = 0,
    first: int = 0,
    batch: int = BATCH,
) -> Iterator[GameLog]:
    """Play games number `first` to `first + n - 1` of a seed and yield their logs in that order, one at a time.

    players: four names by seat, or one for all seats. rules: Tenhou's by default. batch: games side by side.
    """
    for log, _ in _played(n, players, rules or Rules.tenhou(), seed, first, batch):
        yield log


def _played(
    n: int, players: Sequence[str], rules: Rules, seed: int, first: int, batch: int = BATCH
) -> Iterator[tuple[GameLog, int]]:
    seated = players_by_seat(players, seed)
    names = [each.name for each in seated]
    for game in play_games(seated, n, rules, seed, first, batch):
        yield game_log(game.rounds, rules, names, f"{seed}-{game.number:07d}"), game.decisions


def generate_mjlogs(
    n: int, players: Sequence[str] = ("sensible",), rules: Rules | None = None, seed: int = 0, workers: int = 1
) -> Iterator[Generated]:
    """Play n games in `workers` processes and yield their mjlogs in order.

    Raises RulesError for rules that an mjlog cannot express.
    """
    rules = rules or Rules.tenhou()
    if rules_of_type(type_of_rules(rules, "")) != rules:
        raise RulesError("rules: an mjlog can only state Tenhou's, with or without red fives and open tanyao")
    players_by_seat(players, seed)  # raises before any process starts
    chunks = [(min(_CHUNK, n - first), players, rules, seed, first) for first in range(0, n, _CHUNK)]
    for written in share_out(_write_chunk, chunks, workers, in_order=True):
        yield from written


def _write_chunk(n: int, players: Sequence[str], rules: Rules, seed: int, first: int) -> list[Generated]:
    """Play a range of games and return them in written form; runs in any process."""
    return [
        Generated(f"{log.source}.mjlog", write_mjlog(log), len(log.rounds), decisions)
        for log, decisions in _played(n, players, rules, seed, first)
    ]


@contextmanager
def log_files(path: Path) -> Iterator[Callable[[str, bytes], None]]:
    """Yield a function that writes a log by name: into a zip archive if `path` ends in `.zip`, otherwise a folder.

    In a folder, each file is written atomically; an archive has a temporary name until the block ends without error.
    """
    if path.suffix.lower() != ".zip":
        path.mkdir(parents=True, exist_ok=True)
        yield lambda name, data: write_whole(path / name, data)
        return

    def add(name: str, data: bytes) -> None:
        member = zipfile.ZipInfo(name, _ZIP_DATE)
        member.external_attr = 0o644 << 16
        archive.writestr(member, data, zipfile.ZIP_DEFLATED)

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with zipfile.ZipFile(temporary, "w") as archive:
            yield add
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
