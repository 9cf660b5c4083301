"""Games in files that the page is given: logs, or archives of them, as the commands take them."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from simulator.logs.archives import TAR_SUFFIXES
from simulator.logs.model import GameLog, LogError
from suphx.review.logs import find_game

_QUOTED_BYTES = re.compile(r", the file begins b.*", re.S)
_SIZE = re.compile(r"(\d{1,3}(?:,\d{3}){2,}) bytes")


def game_of_upload(data: bytes, name: str) -> GameLog:
    """Return the first game of a file; raises LogError, which gives its name and no path of this machine."""
    suffix = next((each for each in TAR_SUFFIXES if name.lower().endswith(each)), "")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(data)
        try:
            game = find_game(str(path))
        except LogError as error:
            raise LogError(_in_words(str(error).replace(str(path), name))) from error
    game.source = name
    return game


def _in_words(message: str) -> str:
    """Return a message with sizes in MB, and without quoted bytes."""
    megabytes = _SIZE.sub(lambda size: f"{int(size[1].replace(',', '')) >> 20} MB", message)
    return _QUOTED_BYTES.sub("", megabytes)
