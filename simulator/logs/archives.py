"""Read logs from files, folders and archives, one at a time, with limits on the unpacked size of an archive.

Nothing is written to disk, and no archive is held in memory as a whole.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Self

from simulator.logs.model import LogError, shown_text

#: Reading a log takes up to 30 times the bytes of a game, and a few times those of the file. With these bounds on a
#: file, on a game (a JSON value, or the lines of an mjai game) and on the rounds of a file, 512 MB are enough.
MAX_LOG_BYTES = 64 << 20
MAX_GAME_BYTES = 8 << 20
MAX_ROUNDS = 50_000
UTF8_MARK = b"\xef\xbb\xbf"
#: An archive may unpack to at most MAX_RATIO times its size plus FREE_BYTES.
MAX_RATIO = 200
FREE_BYTES = 64 << 20
#: Names of a tar's members, and what else a header before theirs says.
MAX_HEADER_BYTES = 1 << 20
_BEFORE_A_HEADER = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP_MAGIC = b"PK\x05\x06"
TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
LOG_SUFFIXES = (".mjlog", ".xml", ".json", ".jsonl", ".mjson", ".mjai", ".log", ".gz", ".zip", *TAR_SUFFIXES)

Found = tuple[str, bytes | LogError]
_FIRST_BLOCK = 64

#: The exceptions raised when a file, an archive or one of its members cannot be read.
_UNREADABLE = (
    OSError,
    EOFError,
    RuntimeError,  # and its subclass NotImplementedError: zips that are encrypted, or of a later version
    ValueError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
)


@dataclass(frozen=True)
class Chunk:
    """A unit of work for one process: a file, a range of a zip's members, or a whole tar."""

    path: str
    kind: str
    """`file`, `zip`, `tar`, or `error` (`message` then says what is wrong with the path)."""
    start: int = 0
    stop: int = 0
    message: str = ""


def open_logs(paths: Iterable[str | Path]) -> Iterator[Found]:
    """Yield (source name, content or LogError) for every log in files, folders and archives.

    Folders are walked in sorted order; inside folders and archives, files without one of the `LOG_SUFFIXES` are
    ignored. An error affects only its own entry: the other entries are still read.
    """
    for chunk in plan(paths):
        yield from read_chunk(chunk)


def plan(paths: Iterable[str | Path], members: int = 1000) -> list[Chunk]:
    """Return the logs under `paths` as chunks for several processes; zips are split every `members` members."""
    chunks: list[Chunk] = []
    for each in paths:
        path = Path(each)
        files = [path]
        if path.is_dir():
            inside = (file for file in sorted(path.rglob("*")) if _is_log(file.name) and file.is_file())
            files = [file for file in inside if not file.name.startswith(".")]
            if not files:
                chunks.append(Chunk(str(path), "error", message="a folder without logs"))
        for file in files:
            chunks += _plan_file(file, members)
    return chunks


def _is_log(name: str) -> bool:
    return name.lower().endswith(LOG_SUFFIXES)


def _plan_file(path: Path, members: int) -> list[Chunk]:
    name = str(path)
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        return [Chunk(name, "error", message=error.strerror or str(error))]
    if path.name.lower().endswith(TAR_SUFFIXES):
        return [Chunk(name, "tar")]
    if magic not in (ZIP_MAGIC, EMPTY_ZIP_MAGIC):
        return [Chunk(name, "file")]
    try:
        members_of = _zip(name, path.stat().st_mtime_ns).infolist()
    except _UNREADABLE as error:
        return [Chunk(name, "error", message=f"not a readable zip archive: {error}")]
    count = len(members_of)
    if not any(_is_log(info.filename) and not info.is_dir() for info in members_of):
        return [Chunk(name, "error", message="an archive without logs")]
    return [Chunk(name, "zip", at, min(at + members, count)) for at in range(0, count, members)]


@lru_cache(maxsize=1)
def _zip(path: str, _modified: int) -> zipfile.ZipFile:
    """Return an open zip, cached so that a process reads its directory only once for all its chunks."""
    return zipfile.ZipFile(path)


def read_chunk(chunk: Chunk) -> Iterator[Found]:
    """Yield (source name, safe to print, and content or LogError) for the logs in a chunk."""
    try:
        for source, data in _found(chunk):
            yield shown_text(source), data
    except _UNREADABLE as error:
        yield chunk.path, error if isinstance(error, LogError) else LogError(f"cannot be read: {error}", chunk.path)


def _found(chunk: Chunk) -> Iterator[Found]:
    if chunk.kind == "zip":
        yield from _read_zip(chunk)
    elif chunk.kind == "tar":
        yield from _read_tar(chunk.path)
    elif chunk.kind == "error":
        yield chunk.path, LogError(chunk.message, chunk.path)
    else:
        with open(chunk.path, "rb") as file:
            data = _read(file, chunk.path)
        yield chunk.path, data


def _read(file: IO[bytes], source: str) -> bytes | LogError:
    data = file.read(MAX_LOG_BYTES + 1)
    return data if len(data) <= MAX_LOG_BYTES else _too_large(source)


def _too_large(source: str) -> LogError:
    return LogError(f"larger than a log may be ({MAX_LOG_BYTES:,} bytes)", source)


def _read_zip(chunk: Chunk) -> Iterator[Found]:
    archive = _zip(chunk.path, Path(chunk.path).stat().st_mtime_ns)
    left = FREE_BYTES + MAX_RATIO * Path(chunk.path).stat().st_size
    for info in archive.infolist()[chunk.start : chunk.stop]:
        source = f"{chunk.path}/{info.filename}"
        if info.is_dir() or not _is_log(info.filename):
            continue
        if info.file_size > MAX_LOG_BYTES or info.file_size > FREE_BYTES + MAX_RATIO * info.compress_size:
            yield source, _too_large(source)
            continue
        left -= info.file_size
        if left < 0:
            yield source, _bomb(source)
            return
        try:
            with archive.open(info) as file:
                data = _read(file, source)
        except _UNREADABLE as error:
            data = LogError(f"cannot be unpacked: {error}", source)
        yield source, _no_archive(data, source)


def _no_archive(data: bytes | LogError, source: str) -> bytes | LogError:
    if isinstance(data, bytes) and (data.startswith(ZIP_MAGIC) or source.lower().endswith(TAR_SUFFIXES)):
        return LogError("an archive inside an archive; unpack the outer one first", source)
    return data


def _bomb(source: str) -> LogError:
    return LogError(f"the archive unpacks to more than {MAX_RATIO} times its size", source)


class _Bounded(io.RawIOBase):
    """A stream that raises LogError once more than `limit` bytes are read."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, limit: int, source: str) -> None:
        self._stream, self._left, self._source = stream, limit, source
        self.tail = b""
        """The last block read."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise _bomb(self._source)
        self.tail = (self.tail + data)[-tarfile.BLOCKSIZE :]
        return data


class _Header(tarfile.TarInfo):
    """The header of a tar's member; those that go before another are read whole, so their size is bounded."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the header in a block; raises ReadError for one that announces a longer name than there may be."""
        header = super().frombuf(buf, encoding, errors)
        if header.type in _BEFORE_A_HEADER and header.size > MAX_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of more than {MAX_HEADER_BYTES:,} bytes")
        return header


def _read_tar(path: str) -> Iterator[Found]:
    any_log = False
    with _decompressed(path) as stream:
        bounded = _Bounded(stream, FREE_BYTES + MAX_RATIO * Path(path).stat().st_size, path)
        with tarfile.open(fileobj=bounded, mode="r|", tarinfo=_Header) as archive:
            for member in archive:
                archive.members.clear()  # type: ignore[attr-defined] # it would keep every header
                source = f"{path}/{member.name}"
                if not member.isreg() or not _is_log(member.name):
                    continue
                any_log = True
                file = archive.extractfile(member) if member.size <= MAX_LOG_BYTES and not member.issparse() else None
                if file is None:
                    yield source, _too_large(source)
                else:
                    yield source, _no_archive(file.read(), source)
        while bounded.read(1 << 16):
            pass
    if any(bounded.tail):
        yield path, LogError("the archive is cut off", path)
    elif not any_log:
        yield path, LogError("an archive without logs", path)


def _decompressed(path: str) -> IO[bytes] | gzip.GzipFile:
    """Open a tar as a stream, decompressed according to its first bytes."""
    with open(path, "rb") as file:
        magic = file.read(6)
    for start, opener in ((GZIP_MAGIC, gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open)):
        if magic.startswith(start):
            return opener(path, "rb")
    return open(path, "rb")


def plain_data(data: bytes, source: str = "", limit: int = MAX_LOG_BYTES) -> bytes:
    """Return `data`, unpacked if gzipped; raise LogError for broken gzip data or more than `limit` unpacked bytes."""
    plain, cut = plain_part(data, source, limit)
    if cut:
        raise LogError("broken gzip data: the data is cut off", source)
    return plain


def plain_part(data: bytes, source: str = "", limit: int = MAX_LOG_BYTES) -> tuple[bytes, bool]:
    """Return `data`, unpacked if gzipped, as `plain_data` does, and whether it is gzip data that is cut off."""
    if not data.startswith(GZIP_MAGIC):
        if len(data) > limit:
            raise LogError(f"{len(data):,} bytes; a log has at most {limit:,}", source)
        return data, False
    parts: list[bytes] = []
    try:
        cut = not _unpack(data, limit, parts)
    except zlib.error as error:
        raise LogError(f"broken gzip data: {error}", source) from error
    plain = b"".join(parts)
    if len(plain) > limit:
        raise LogError(f"the gzip data unpacks to more than {limit:,} bytes", source)
    return plain, cut


def _unpack(data: bytes, limit: int, parts: list[bytes]) -> bool:
    """Append the content of all members of gzip data, up to `limit` + 1 bytes; return whether none is cut off.

    Members are fed in small blocks at first, because zlib copies what follows a member in its last block.
    """
    at, left = 0, limit + 1
    while at < len(data) and left:
        if not data[at]:  # zeros may follow the last member
            if data[at:].strip(b"\0"):
                raise zlib.error("there is something after its end")
            return True
        member, size = zlib.decompressobj(wbits=31), _FIRST_BLOCK
        while left and not member.eof:
            block = data[at : at + size]
            if not block:
                return False
            part = member.decompress(block, left)
            left -= len(part)
            at += len(block) - len(member.unused_data)
            size = min(2 * size, 1 << 16)
            parts.append(part)
    return True
