"""From any format of log to any other, by way of the neutral form.

What the target cannot say is lost: mjai has neither yaku nor most rules, Tenhou's JSON no physical tiles.
"""

from __future__ import annotations

from simulator.logs.formats import format_named, read_log


def convert(data: bytes, target: str, source: str = "") -> list[bytes]:
    """Return each game of a file in the format named `target` (`mjlog`, `mjai`, `tenhou6`).

    Raises LogError for an unreadable log, an unknown format, and for a game that the target cannot say.
    """
    wanted = format_named(target)
    return [wanted.write(game) for game in read_log(data, source)]
