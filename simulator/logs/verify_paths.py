"""Verify all logs in files, folders and archives with several processes, and sum up the results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from simulator.logs.archives import Chunk, plan, read_chunk
from simulator.logs.formats import read_log
from simulator.logs.model import LogError, SkippedLog
from simulator.logs.verify import Mismatch, verify_game
from simulator.lookup import get_lookup
from simulator.processes import share_out

#: Members of an archive given to a process at a time; small enough for a smooth progress bar.
_CHUNK = 200
#: Number of mismatches and errors of which a summary keeps the messages; all are counted.
KEPT = 50


@dataclass
class Summary:
    """The results of verifying several logs; summaries are added with `+=`."""

    games: int = 0
    rounds: int = 0
    decisions: int = 0
    """Decisions with more than one legal action."""
    skipped: int = 0
    """Logs of unsupported games (three players)."""
    unfinished: int = 0
    """Games that end before they are over, such as single rounds; what is there was verified."""
    unknown: int = 0
    """Games that differ where not all of their rules are known, such as those of private lobbies."""
    mismatches: int = 0
    errors: int = 0
    """Files that could not be read."""
    seconds: float = 0.0
    first_mismatches: list[Mismatch] = field(default_factory=list)
    first_errors: list[str] = field(default_factory=list)
    first_skipped: list[str] = field(default_factory=list)
    first_unknown: list[str] = field(default_factory=list)

    def __iadd__(self, other: Summary) -> Summary:
        self.games += other.games
        self.rounds += other.rounds
        self.decisions += other.decisions
        self.skipped += other.skipped
        self.unfinished += other.unfinished
        self.unknown += other.unknown
        self.mismatches += other.mismatches
        self.errors += other.errors
        self.first_mismatches = (self.first_mismatches + other.first_mismatches)[:KEPT]
        self.first_errors = (self.first_errors + other.first_errors)[:KEPT]
        self.first_skipped = (self.first_skipped + other.first_skipped)[:KEPT]
        self.first_unknown = (self.first_unknown + other.first_unknown)[:KEPT]
        return self

    @property
    def good(self) -> bool:
        """Whether there are logs, and every one could be read and agrees with the engine."""
        return self.mismatches == 0 and self.errors == 0 and self.games + self.skipped > 0


def _verify_data(data: bytes, source: str) -> Summary:
    summary = Summary()
    try:
        for log in read_log(data, source):
            verified = verify_game(log)
            summary.games += 1
            summary.rounds += verified.rounds
            summary.unfinished += verified.unfinished
            summary.decisions += verified.decisions
            found = verified.mismatches or []
            if found and verified.unsure:
                summary.unknown += 1
                summary.first_unknown.append(f"{found[0]} ({verified.unsure})")
                continue
            summary.mismatches += len(found)
            summary.first_mismatches += found
    except SkippedLog as skipped:
        summary.skipped += 1
        summary.first_skipped.append(str(skipped))
    except LogError as error:
        summary.errors += 1
        summary.first_errors.append(str(error))
    return summary


def verify_chunk(chunk: Chunk) -> Summary:
    """Verify the logs in one chunk; runs in any process."""
    summary = Summary()
    for source, data in read_chunk(chunk):
        if isinstance(data, LogError):
            summary += Summary(errors=1, first_errors=[str(data)])
        else:
            summary += _verify_data(data, source)
    return summary


def verify_paths(paths: list[str | Path], workers: int = 1) -> Iterator[tuple[Summary, float]]:
    """Verify all logs under `paths`; yield the summary so far and the fraction of the work done, 0 to 1.

    With more than one worker, zip archives and folders are split between processes; a tar archive is read by one.
    """
    started = time.perf_counter()
    chunks = plan(paths, _CHUNK)
    total = Summary()
    get_lookup()  # creates the tables and loads compiled code once, before the workers need them
    for done, part in enumerate(share_out(verify_chunk, [(chunk,) for chunk in chunks], workers, in_order=False), 1):
        total += part
        total.seconds = time.perf_counter() - started
        yield total, done / len(chunks)
