"""The log that somebody means: a file, a Tenhou viewer address whose file is at hand, or one that holds the game."""

from __future__ import annotations

import re
from pathlib import Path

from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.model import GameLog, LogError
from suphx.errors import InputError

_ADDRESS = re.compile(r"https?://tenhou\.net/\d/\?.*?\blog=(?P<log>[\w-]+)")
_SEAT = re.compile(r"[?&]tw=(?P<seat>[0-3])\b")
_HOLDS = re.compile(r"https?://[^\s\"#]*#json=")


def find_game(named: str, game: int = 1, logs: Path | None = None) -> tuple[GameLog, int | None]:
    """Return a game, and the seat that a viewer address looks from.

    named: a file or archive, or an address as in `game_of_address`. game: which one, from 1, of several. Raises
    LogError and InputError, with file and place.
    """
    if found := game_of_address(named, game, logs):
        return found
    source, data = next(iter(open_logs([named])))
    if isinstance(data, LogError):
        raise data
    return _one(data, source, game), None


def game_of_address(address: str, game: int = 1, logs: Path | None = None) -> tuple[GameLog, int | None] | None:
    """Return the game of a viewer's address, and the seat that it looks from; None for what is no such address.

    address: of Tenhou's viewer (`https://tenhou.net/0/?log=...&tw=1`), whose file is looked for by its name in `logs`,
    a file, folder or archive, by default among the files of the current folder; or one that holds the game itself
    (`https://tenhou.net/6/#json=...`). game: which one, from 1, of several. Raises LogError and InputError.
    """
    if _HOLDS.match(address):
        return _one(address.encode("utf-8", "replace"), "the address", game), None
    if found := _ADDRESS.match(address):
        seat = _SEAT.search(address)
        source, data = _at_hand(found["log"], logs)
        return _one(data, source, game), int(seat["seat"]) if seat else None
    return None


def _one(data: bytes, source: str, game: int) -> GameLog:
    games = read_log(data, source)
    if not 1 <= game <= len(games):
        raise LogError(f"there is no game {game}; it has {len(games)}", source)
    return games[game - 1]


def _at_hand(name: str, logs: Path | None) -> tuple[str, bytes]:
    """Return the file of a log by its name at Tenhou."""
    places = sorted(path for path in Path().iterdir() if path.name.startswith(name)) if logs is None else [logs]
    for source, found in open_logs(places):
        if name in source.replace("\\", "/").rsplit("/", 1)[-1]:
            if isinstance(found, LogError):
                raise found
            return source, found
    where = "in the current folder" if logs is None else f"in {logs}"
    raise InputError(f"there is no file of the log {name} {where}; download it, or name the place with --logs")
