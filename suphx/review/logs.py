"""Finding the logs to review: files, archives, ids at Tenhou, and addresses that name or contain a game."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log, read_logs
from simulator.logs.model import GameLog, LogError
from suphx.errors import InputError

#: Where logs come from; redirections to elsewhere are not followed.
TENHOU = "https://tenhou.net"
#: Maximum size of a log, in bytes; a game has some 10 to 200 KB.
MOST = 8 << 20
#: Maximum time for a log, in seconds.
WITHIN = 20.0
_BARE = re.compile(r"[\w-]+(\.[\w-]+)+/[^\s\"?#]*[?#]")  # as some browsers copy an address
_WEB = re.compile(r"https?://", re.I)
_ID = r"\d{10}gm-[0-9a-f]{4}-\d{4,5}-[0-9a-z]+"
#: An id as it is, or an address at a site that shows games by it.
_ADDRESS = re.compile(
    rf"(?:https?://(?:\w+\.)?(?:tenhou\.net|ron2\.jp)/[\w/.]*\?(?:.*?\blog=(?P<log>[0-9A-Za-z-]+)|(?P<raw>{_ID}))"
    rf"|(?P<bare>{_ID}))(?![\w./])"
)
NO_ADDRESS = "not an address of a game (https://tenhou.net/0/?log=...); elsewhere, save the log and open the file"
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


def find_games(
    names: Iterable[str], game: int | None = None, logs: Path | None = None
) -> Iterator[tuple[GameLog, int | None] | LogError | InputError]:
    """Yield the games of files, folders, archives, ids at Tenhou and addresses as in `game_of_address`.

    Each comes with the seat from whose viewpoint an address shows it, if any; in place of what cannot be read comes the
    error, with file and place. game: number of the only game that is wanted of each, from 1.
    """
    for named in names:
        try:
            if not _exists(named) and (viewed := game_of_address(named, partial(log_at_hand, logs=logs), game or 1)):
                yield viewed
            elif _WEB.match(named):
                yield InputError(f"{named}: {NO_ADDRESS}")
            else:
                yield from ((log, None) if isinstance(log, GameLog) else log for log in _games_in(named, game))
        except (LogError, InputError) as error:
            yield error


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # an address that holds a game is longer than a name may be
        return False


def _games_in(path: str, game: int | None) -> Iterator[GameLog | LogError]:
    games = read_logs(open_logs([path]))
    if game is None:
        yield from games
        return
    count = 0
    for count, log in enumerate(games, 1):
        if count == game:
            yield log
            return
    yield LogError(f"there is no game {game}; it has {count}", path)


def game_of_address(
    address: str, find: Callable[[str], tuple[str, bytes]] = fetch_log, game: int = 1
) -> tuple[GameLog, int | None] | None:
    """Return the game of a viewer address and the seat that it is viewed from; None if it is not such an address.

    address: that of Tenhou's viewer (`https://tenhou.net/0/?log=...&tw=1`) or of ron2.jp, or one that contains the
    game itself (`https://tenhou.net/6/#json=...`), where `https://` may be missing, or a game's id alone. find: returns
    the source and contents of a log by its id. game: number of the game, from 1, if there are several. Raises LogError
    and InputError.
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
        source, data = find(match["log"] or match["raw"] or match["bare"])
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
