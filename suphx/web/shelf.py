"""Finished reviews with their notes and logs, and finished games, saved in one SQLite file."""

import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from suphx.errors import InputError
from suphx.review.document import Note

#: How many of each kind are saved, the latest: some 0.2 MB for a review, 10 KB for a game.
KEPT = 200
#: Name of the file, in the folder of runs.
SHELF_NAME = "page.sqlite"
#: Changes when the tables do.
_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS kept (kind TEXT, id TEXT, source TEXT, made REAL, data BLOB, PRIMARY KEY (kind, id)) STRICT;
CREATE TABLE IF NOT EXISTS notes (
    review TEXT, seat INTEGER, number INTEGER, words TEXT, PRIMARY KEY (review, seat, number)
) STRICT;
"""
#: Maximum size of an entry, unpacked, in bytes.
_LARGEST = 1 << 26
_PATIENCE = 5.0  # seconds to wait for another command that writes

Kind = Literal["review", "log", "played", "live"]


@dataclass(frozen=True)
class ShelfEntry:
    """A saved review or game; time: when it was saved, in seconds since 1970."""

    id: str
    source: str
    time: float


class Shelf:
    """The saved reviews and games, for any thread and command; raises InputError where the file cannot be used."""

    def __init__(self, path: Path | None = None) -> None:
        """path: the file, created if needed; None keeps everything in memory, as long as the shelf lives."""
        self._name, self._lock = "saved reviews" if path is None else str(path), threading.Lock()
        with self._access(open_first=path or ":memory:") as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT")
            elif version != _VERSION:
                raise InputError(f"{self._name}: written by another version of suphx; move it away to begin a new one")

    @contextmanager
    def _access(self, open_first: Path | str | None = None) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                if open_first is not None:
                    self._db = sqlite3.connect(
                        open_first, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
                    )
                yield self._db
        except (sqlite3.Error, zlib.error) as error:
            raise InputError(f"{self._name}: {error}") from error

    def add(self, kind: Kind, entry_id: str, source: str, data: bytes) -> None:
        """Save an entry, and drop those older than the latest KEPT of its kind."""
        row = (kind, entry_id, source, time.time(), zlib.compress(data))
        with self._access() as db:
            db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", row)
            db.execute(
                "DELETE FROM kept WHERE kind = ? AND id NOT IN "
                "(SELECT id FROM kept WHERE kind = ? ORDER BY rowid DESC LIMIT ?)",
                (kind, kind, KEPT),
            )
            db.execute("DELETE FROM notes WHERE review NOT IN (SELECT id FROM kept WHERE kind = 'review')")

    def data(self, kind: Kind, entry_id: str) -> bytes | None:
        """Return the contents of an entry; None if there is none."""
        with self._access() as db:
            row = db.execute("SELECT data FROM kept WHERE kind = ? AND id = ?", (kind, entry_id)).fetchone()
            return None if row is None else zlib.decompressobj().decompress(row[0], _LARGEST)

    def all(self, kind: Kind, entry_id: str | None = None) -> list[ShelfEntry]:
        """Return all entries of a kind, the latest first, or only the one with an id."""
        wanted = "SELECT id, source, made FROM kept WHERE kind = ? AND id = coalesce(?, id) ORDER BY rowid DESC"
        with self._access() as db:
            return [ShelfEntry(*row) for row in db.execute(wanted, (kind, entry_id))]

    def forget(self, kind: Kind, entry_id: str) -> bool:
        """Delete an entry with its notes; return whether it was there."""
        with self._access() as db:
            if kind == "review":
                db.execute("DELETE FROM notes WHERE review = ?", (entry_id,))
            return db.execute("DELETE FROM kept WHERE kind = ? AND id = ?", (kind, entry_id)).rowcount > 0

    def notes(self, review: str) -> list[Note]:
        """Return the notes on a review's decisions, in the order of seats and decisions."""
        with self._access() as db:
            rows = db.execute("SELECT seat, number, words FROM notes WHERE review = ? ORDER BY seat, number", (review,))
            return [Note(seat=seat, number=number, words=words) for seat, number, words in rows]

    def write(self, review: str, note: Note) -> None:
        """Set the note on a decision of a review; an empty one deletes it."""
        place = (review, note.seat, note.number)
        with self._access() as db:
            if note.words:
                db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)", (*place, note.words))
            else:
                db.execute("DELETE FROM notes WHERE review = ? AND seat = ? AND number = ?", place)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
