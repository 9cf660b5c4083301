"""A bot as the client of an mjai server over TCP: the original form of mjai, `mjsonp://host:port/room`."""

import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from suphx.errors import InputError
from suphx.mjai.bot.bot import DEFAULT_ROOM, Bot, converse

SCHEME = "mjsonp"
_CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Server:
    """The address of an mjai server and the name of a room there."""

    host: str
    port: int
    room: str = DEFAULT_ROOM

    @classmethod
    def parse(cls, address: str) -> Self:
        """Read `mjsonp://host:port/room`, or `host:port` alone; raises InputError."""
        wrong = InputError(f"no mjai server {address!r}: write {SCHEME}://HOST:PORT/ROOM or HOST:PORT")
        try:
            parts = urlsplit(address if "://" in address else f"{SCHEME}://{address}")
            host, port = parts.hostname or "", parts.port
            host.encode("idna")  # report an invalid name here rather than when it is looked up
        except ValueError:
            raise wrong from None
        if parts.scheme != SCHEME or not host or not port:
            raise wrong
        return cls(host, port, parts.path.strip("/") or DEFAULT_ROOM)


def play_at(server: Server, bot: Bot) -> None:
    """Play one game at a server; the bot joins the room given when it was made, and must reply to every event.

    Raises InputError if the server cannot be reached, hangs up before the game is over, or sends invalid mjai.
    """
    where = f"{server.host}:{server.port}"
    try:
        with socket.create_connection((server.host, server.port), _CONNECT_SECONDS) as connection:
            connection.settimeout(None)  # other players may think, or stay away, for any length of time
            with connection.makefile("rb") as lines, connection.makefile("wb") as replies:
                converse(bot, lines, replies, until_game_over=True)
    except OSError as error:
        if not bot.game_over:  # after the game, nobody waits for the last reply
            raise InputError(f"the mjai server {where}: {error.strerror or error}") from error
    if not bot.game_over:
        raise InputError(f"the mjai server {where} hung up before the game was over")
