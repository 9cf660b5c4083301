"""Fetching a log from Tenhou by its id."""

import time

from suphx.errors import InputError

#: Where logs come from; redirections to elsewhere are not followed.
TENHOU = "https://tenhou.net"
#: Largest log that is taken, in bytes; a game has some 10 to 200 KB.
MOST = 8 << 20
#: Seconds that all of it may take.
WITHIN = 20.0


def fetch_log(log: str) -> tuple[str, bytes]:
    """Return the source and contents of a log, given its id at Tenhou. Nothing but the id is sent.

    Raises InputError if it is not to be had.
    """
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
