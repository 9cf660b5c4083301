"""Games in files that the page is given: logs, or archives of them, as the commands take them."""

import re
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from simulator.logs.archives import TAR_SUFFIXES
from simulator.logs.model import GameLog, LogError
from suphx.review.logs import find_games

_QUOTED_BYTES = re.compile(r", the file begins b.*", re.S)
_SIZE = re.compile(r"(\d{1,3}(?:,\d{3}){2,}) bytes")


def game_of_upload(data: bytes, name: str) -> GameLog:
    """Return the first game of a file; raises LogError as `games_of_upload`."""
    return games_of_upload(data, name, 1)[0]


def games_of_upload(data: bytes, name: str, most: int) -> list[GameLog]:
    """Return the first games of a file, which is the source of the first; others that cannot be read are left out.

    Raises LogError, which gives the file's name and no path of this machine, if there is no first game.
    """
    suffix = next((each for each in TAR_SUFFIXES if name.lower().endswith(each)), "")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(data)
        first, *others = islice(find_games([str(path)]), most)
        if isinstance(first, Exception):
            raise LogError(_in_words(str(first).replace(str(path), name))) from first
        games = [first[0], *(each[0] for each in others if isinstance(each, tuple))]
        for game in games[1:]:
            game.source = (game.source or "").replace(str(path), name)
    games[0].source = name
    return games


def _in_words(message: str) -> str:
    """Return a message with sizes in MB, and without quoted bytes."""
    megabytes = _SIZE.sub(lambda size: f"{int(size[1].replace(',', '')) >> 20} MB", message)
    return _QUOTED_BYTES.sub("", megabytes)
