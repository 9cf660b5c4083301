"""Finding the log to review: a file, a Tenhou viewer address, or an address containing the game."""

import re
import time
from collections.abc import Callable
from pathlib import Path

from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.model import GameLog, LogError
from suphx.errors import InputError

#: Where logs come from; redirections to elsewhere are not followed.
TENHOU = "https://tenhou.net"
#: Maximum size of a log, in bytes; a game has some 10 to 200 KB.
MOST = 8 << 20
#: Maximum time for a log, in seconds.
WITHIN = 20.0
_BARE = re.compile(r"[\w-]+(\.[\w-]+)+/[^\s\"?#]*[?#]")  # as some browsers copy an address
_ADDRESS = re.compile(r"https?://tenhou\.net/\d/\?.*?\blog=(?P<log>[0-9A-Za-z-]+)(?![\w./])")
_SEAT = re.compile(r"[?&]tw=(?P<seat>[0-3])\b")
_MAHJONG_SOUL = re.compile(r"https?://[\w.-]*(mahjongsoul|majsoul|maj-soul)\.", re.I)
_HOLDS = re.compile(r"https?://[^\s\"#]*#json=")


def fetch_log(log: str) -> tuple[str, bytes]:
    """Return the source and contents of a log, given its id at Tenhou, which is all that is sent; raises InputError."""
    import httpx

    data, end = bytearray(), time.monotonic() + WITHIN
    instead = "download it, or give its location with --logs"
    try:
        with httpx.Client(timeout=WITHIN) as client, client.stream("GET", f"{TENHOU}/0/log/?{log}") as answer:
            if answer.status_code != httpx.codes.OK:
                raise InputError(f"Tenhou does not give the log {log} (it answered {answer.status_code}); {instead}")
            for part in answer.iter_bytes():
                data += part
                if len(data) > MOST:
                    raise InputError(f"the log {log} is larger than the {MOST >> 20} MiB that a log may have")
                if time.monotonic() > end:
                    raise InputError(f"the log {log} did not come within {WITHIN:.0f} seconds; {instead}")
    except httpx.HTTPError as error:
        raise InputError(f"the log {log} cannot be fetched from Tenhou ({error}); {instead}") from error
    return log, bytes(data)


def find_game(named: str, game: int = 1, logs: Path | None = None) -> tuple[GameLog, int | None]:
    """Return a game, and the seat from whose viewpoint a viewer address shows it, if any.

    named: a file or archive, or an address as in `game_of_address`. game: number of the game, from 1, if there are
    several. Raises LogError and InputError, with file and place.
    """
    if viewed := game_of_address(named, lambda log: log_at_hand(log, logs), game):
        return viewed
    source, data = next(iter(open_logs([named])))
    if isinstance(data, LogError):
        raise data
    return _one(data, source, game), None


def game_of_address(
    address: str, find: Callable[[str], tuple[str, bytes]] = fetch_log, game: int = 1
) -> tuple[GameLog, int | None] | None:
    """Return the game of a viewer address and the seat that it is viewed from; None if it is not such an address.

    address: that of Tenhou's viewer (`https://tenhou.net/0/?log=...&tw=1`), or one that contains the game itself
    (`https://tenhou.net/6/#json=...`); `https://` may be missing. find: returns the source and contents of a log by its
    id. game: number of the game, from 1, if there are several. Raises LogError and InputError.
    """
    address = f"https://{address.strip()}" if _BARE.match(address.strip()) else address.strip()
    if _MAHJONG_SOUL.search(address):  # the client copies it after some words
        raise InputError(
            "Mahjong Soul gives no logs by address: save the game's record as JSON, or as Tenhou's JSON with a "
            "converter, such as tensoul or the userscript downloadlogs, and open that file"
        )
    if _HOLDS.match(address):
        return _one(address.encode("utf-8", "replace"), "the address", game), None
    if match := _ADDRESS.match(address):
        seat = _SEAT.search(address)
        source, data = find(match["log"])
        return _one(data, source, game), int(seat["seat"]) if seat else None
    return None


def _one(data: bytes, source: str, game: int) -> GameLog:
    games = read_log(data, source)
    if not 1 <= game <= len(games):
        raise LogError(f"there is no game {game}; it has {len(games)}", source)
    return games[game - 1]


def log_at_hand(name: str, logs: Path | None) -> tuple[str, bytes]:
    """Return the source and contents of a log by its id: in `logs`; without, in the current folder or from Tenhou."""
    beside = (path for path in Path().iterdir() if path.name.startswith(name) and path.suffix != ".html")  # our pages
    places = sorted(beside) if logs is None else [logs]
    for source, data in open_logs(places):
        if name in source.replace("\\", "/").rsplit("/", 1)[-1]:
            if isinstance(data, LogError):
                raise data
            return source, data
    if logs is None:
        return fetch_log(name)
    raise InputError(f"there is no file of the log {name} in {logs}")
