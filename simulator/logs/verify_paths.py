"""Verify all logs in files, folders and archives with several processes, and sum up the results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from simulator.logs.archives import Chunk, plan, read_chunk
from simulator.logs.formats import read_logs
from simulator.logs.model import GameLog, LogError, SkippedLog
from simulator.logs.verify import Mismatch, verify_game
from simulator.lookup import get_lookup
from simulator.processes import Sums, share_out

#: Members of an archive given to a process at a time; small enough for a smooth progress bar.
_CHUNK = 200


@dataclass
class Summary(Sums):
    """The results of verifying several logs; of mismatches and errors only the first messages are kept."""

    KEPT: ClassVar[int] = 50
    games: int = 0
    rounds: int = 0
    decisions: int = 0
    """Decisions with more than one legal action."""
    skipped: int = 0
    """Logs of unsupported games (three players)."""
    unfinished: int = 0
    """Games that end before they are over, such as single rounds; what is there was verified."""
    incomplete: int = 0
    """Logs whose text ends early; what is there was verified."""
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
    first_incomplete: list[str] = field(default_factory=list)
    first_remarks: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether there are logs, and every one could be read to its end and agrees with the engine."""
        return self.mismatches == self.errors == self.incomplete == 0 and self.games + self.skipped > 0


def _verify(log: GameLog | LogError) -> Summary:
    try:
        if isinstance(log, LogError):
            raise log
        verified = verify_game(log)
    except SkippedLog as skipped:
        return Summary(skipped=1, first_skipped=[str(skipped)])
    except LogError as error:
        return Summary(errors=1, first_errors=[str(error)])
    summary = Summary(1, verified.rounds, verified.decisions, unfinished=int(verified.unfinished))
    if log.missing:
        summary.incomplete, summary.first_incomplete = 1, [f"{log.source}: {log.missing}"]
    if log.remark:
        summary.first_remarks = [f"{log.source}: {log.remark}"]
    mismatches = verified.mismatches
    if mismatches and verified.unsure:
        summary.unknown, summary.first_unknown = 1, [f"{mismatches[0]} ({verified.unsure})"]
    else:
        summary.mismatches, summary.first_mismatches = len(mismatches), mismatches
    return summary


def verify_chunk(chunk: Chunk) -> Summary:
    """Verify the logs in one chunk; runs in any process."""
    summary = Summary()
    for log in read_logs(read_chunk(chunk)):
        summary += _verify(log)
    return summary


def verify_paths(paths: list[str | Path], workers: int = 1) -> Iterator[tuple[Summary, float]]:
    """Verify all logs under `paths`; yield the summary so far and the fraction of the work done, 0 to 1."""
    started = time.perf_counter()
    chunks = plan(paths, _CHUNK)
    total = Summary()
    get_lookup()  # creates the tables and loads compiled code once, before the workers need them
    for done, part in enumerate(share_out(verify_chunk, [(chunk,) for chunk in chunks], workers, in_order=False), 1):
        total += part
        total.seconds = time.perf_counter() - started
        yield total, done / len(chunks)
