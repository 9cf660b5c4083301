"""Games in files that the page is given: logs, or archives of them, as the commands take them."""

import re
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from simulator.logs.archives import TAR_SUFFIXES, open_logs
from simulator.logs.formats import read_logs
from simulator.logs.model import GameLog, LogError

_QUOTED_BYTES = re.compile(r", the file begins b.*", re.S)
_SIZE = re.compile(r"(\d{1,3}(?:,\d{3}){2,}) bytes")


def game_of_upload(data: bytes, name: str) -> GameLog:
    """Return the first game of a file; raises LogError as `games_of_upload`."""
    return games_of_upload(data, name, 1)[0]


def games_of_upload(data: bytes, name: str, most: int) -> tuple[GameLog, list[GameLog | LogError]]:
    """Return the first game of a file, whose source is the file, and the others, or errors for those not readable.

    most: how many in all; if there are more, a last error says so. Errors give the file's name and no path of this
    machine. Raises LogError if the first game cannot be read.
    """
    suffix = next((each for each in TAR_SUFFIXES if name.lower().endswith(each)), "")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(data)

        def named(log: GameLog | LogError) -> GameLog | LogError:
            source = (log.source or "").replace(str(path), name)
            if isinstance(log, LogError):
                return LogError(_in_words(log.message.replace(str(path), name)), source, log.place)
            log.source = source
            return log

        logs = read_logs(open_logs([path]))
        first, *others = map(named, islice(logs, most))
        if isinstance(first, LogError):
            raise first
        if others and next(logs, None) is not None:
            others.append(LogError(f"only the first {most} games are reviewed here; suphx review takes all", name))
    first.source = name
    return first, others


def _in_words(message: str) -> str:
    """Return a message with sizes in MB, and without quoted bytes."""
    megabytes = _SIZE.sub(lambda size: f"{int(size[1].replace(',', '')) >> 20} MB", message)
    return _QUOTED_BYTES.sub("", megabytes)
