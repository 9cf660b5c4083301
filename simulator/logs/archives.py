"""Logs out of files, folders and archives, one at a time, with bounds on what an archive may unpack to."""

from __future__ import annotations

import zlib

from simulator.logs.model import LogError

MAX_LOG_BYTES = 64 << 20
GZIP_MAGIC = b"\x1f\x8b"


def plain_data(data: bytes, source: str = "", limit: int = MAX_LOG_BYTES) -> bytes:
    """Return `data`, unpacked if it is gzip; raise LogError for broken gzip and for more than `limit` bytes."""
    if not data.startswith(GZIP_MAGIC):
        if len(data) > limit:
            raise LogError(f"{len(data):,} bytes; a log has at most {limit:,}", source)
        return data
    parts, size = [], 0
    while data:
        unpack = zlib.decompressobj(wbits=31)
        try:
            part = unpack.decompress(data, limit - size + 1)
        except zlib.error as error:
            raise LogError(f"broken gzip data: {error}", source) from error
        size += len(part)
        if size > limit:
            raise LogError(f"the gzip data unpacks to more than {limit:,} bytes", source)
        if not unpack.eof:
            raise LogError("the gzip data is cut off", source)
        parts.append(part)
        data = unpack.unused_data.lstrip(b"\0")
    return b"".join(parts)
