"""Convert logs from any format to any other.

What the target format cannot express is lost: mjai has no yaku and states few rules, Tenhou's JSON has no physical
tiles.
"""

from __future__ import annotations

from simulator.logs.formats import format_named, read_log


def convert(data: bytes, target: str, source: str = "") -> list[bytes]:
    """Return each game of a file in the format named `target` (`mjlog`, `mjai`, `tenhou6`).

    Raises LogError for an unreadable log, an unknown format, or a game that the target format cannot express.
    """
    wanted = format_named(target)
    return [wanted.write(game) for game in read_log(data, source)]
