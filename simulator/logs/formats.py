"""The log formats and their detection, which looks only at a file's content, never at its name."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from simulator.logs.archives import GZIP_MAGIC, UTF8_MARK, Found, open_logs, plain_data, plain_part
from simulator.logs.damage import single_attributes, whole_items, whole_tags, whole_values
from simulator.logs.mahjong_soul import read_mahjong_soul
from simulator.logs.mahjong_soul_writer import write_mahjong_soul
from simulator.logs.mjai import read_mjai
from simulator.logs.mjai_writer import write_mjai
from simulator.logs.mjlog import read_mjlog
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.mjx import read_mjx
from simulator.logs.mjx_writer import write_mjx
from simulator.logs.model import GameLog, LogError, SkippedLog
from simulator.logs.tenhou6 import read_tenhou6
from simulator.logs.tenhou6_writer import write_tenhou6

_HEAD = 4096
_MJX = re.compile(rb'\{\s*"(?:hiddenState|publicObservation)"')
#: Records of Mahjong Soul: an object with a `head`, or the name of one of its messages with which records begin.
_MAHJONG_SOUL = re.compile(rb'[\s\[]*\{[\s\S]*?"(?:head"\s*:\s*\{|(?:\.lq\.)?(?:RecordNewRound|GameDetailRecords)")')


@dataclass(frozen=True)
class Format:
    """A log format: how its files begin, how they are read and written, and what is whole of one that ends early."""

    name: str
    suffix: str
    begins: re.Pattern[bytes]
    read: Callable[[bytes, str], list[GameLog]]
    write: Callable[[GameLog], bytes]
    whole: Callable[[bytes], bytes]


#: In the order in which they are tried.
FORMATS = (
    Format(
        "mjlog", ".mjlog", re.compile(rb"<"), lambda data, source: [read_mjlog(data, source)], write_mjlog, whole_tags
    ),
    Format("mjx", ".jsonl", _MJX, read_mjx, write_mjx, whole_values),
    Format("mahjong_soul", ".json", _MAHJONG_SOUL, read_mahjong_soul, write_mahjong_soul, whole_items),
    Format("mjai", ".jsonl", re.compile(rb'[\s\[]*\{[\s\S]*?"type"\s*:\s*"'), read_mjai, write_mjai, whole_values),
    Format("tenhou6", ".json", re.compile(rb'\{\s*"|https?:[^\s"]*#json='), read_tenhou6, write_tenhou6, whole_items),
)


def format_named(name: str) -> Format:
    """Return the format of that name; raise LogError, which lists the formats, if there is none."""
    for each in FORMATS:
        if each.name == name:
            return each
    raise LogError(f"no log format {name!r}; there are {', '.join(each.name for each in FORMATS)}")


def detect(data: bytes, source: str = "") -> Format:
    """Return the format of a file's content, plain or gzipped; raise LogError if it matches none."""
    head = (plain_data(data, source) if data.startswith(GZIP_MAGIC) else data)[:_HEAD]
    head = head.removeprefix(UTF8_MARK).lstrip()
    if not head:
        raise LogError("the file is empty", source)
    for each in FORMATS:
        if each.begins.match(head):
            return each
    names = "Tenhou's mjlog, Tenhou's JSON, mjai, Mahjong Soul's records or mjx"
    raise LogError(f"not a game log: {names} was expected, the file begins {head[:20]!r}", source)


def read_log(data: bytes, source: str = "") -> list[GameLog]:
    """Return the games of a file in any format, plain or gzipped.

    Of a text that ends early, what is whole is returned, and the last game's `missing` says so. Raises SkippedLog for
    an unsupported game, and LogError for what cannot be read; both name source and place.
    """
    data, cut = plain_part(data, source)
    kind = detect(data, source)
    try:
        games = kind.read(data, source)
    except SkippedLog:
        raise
    except LogError as error:
        games, ends_early = _read_damaged(data, source, kind, error)
        cut |= ends_early
    if cut:
        games[-1].missing = f"the text ends early: {_extent(games[-1])}"
    return games


def _read_damaged(data: bytes, source: str, kind: Format, error: LogError) -> tuple[list[GameLog], bool]:
    """Return the games of a damaged text, and whether it ends early; raise its error if nothing can be mended."""
    single, remark = single_attributes(data) if kind.name == "mjlog" else (data, "")
    whole = kind.whole(single)
    if whole == data:
        raise error
    try:
        games = kind.read(whole, source)
    except SkippedLog:
        raise
    except LogError:
        raise error from None
    games[-1].remark = remark
    return games, whole != single


def _extent(game: GameLog) -> str:
    rounds = f"{len(game.rounds)} whole round{'' if len(game.rounds) == 1 else 's'}"
    return f"{rounds} and the beginning of another were read" if game.cut else f"{rounds} could be read"


def read_logs(sources: Iterable[Found]) -> Iterator[GameLog | LogError]:
    """Yield the games of logs from `archives`; in place of a log that cannot be read, its LogError or SkippedLog."""
    for source, data in sources:
        try:
            yield from [data] if isinstance(data, LogError) else read_log(data, source)
        except LogError as error:
            yield error


def read_games(paths: Iterable[str | Path]) -> Iterator[GameLog]:
    """Yield the games of logs in files, folders and archives; raises LogError at a log that cannot be read."""
    for log in read_logs(open_logs(paths)):
        if isinstance(log, LogError):
            raise log
        yield log
