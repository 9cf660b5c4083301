"""Preparation of logs: reads, verifies and counts them in several processes, and writes a folder (`prepared.py`).

A log that fails verification is left out and counted, never trained on. The folder's name is a hash of the files'
names, sizes and times, so the same logs are prepared only once.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from simulator.logs.archives import Chunk, plan, read_chunk
from simulator.logs.formats import read_logs
from simulator.logs.model import LOG_EVENT, GameLog, LogError, RoundLog, SkippedLog
from simulator.logs.verify import verify_game
from simulator.lookup import get_lookup
from simulator.processes import share_out
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from suphx.agent.model_decisions import MODEL_DECISION
from suphx.dataset.pairs import COUNTS, collect_pairs
from suphx.dataset.prepared import FORMAT_VERSION, GAME_ROW, NO_DAN, ROUND, LeftOut, Prepared

#: Archive members handed to a process at a time.
_CHUNK = 200


@dataclass
class _Part:
    """Some games as returned by a process: arrays, and for each game the names that `_join` turns into indices."""

    games: list[np.ndarray] = field(default_factory=list)
    rounds: list[np.ndarray] = field(default_factory=list)
    events: list[np.ndarray] = field(default_factory=list)
    absent: list[np.ndarray] = field(default_factory=list)
    names: list[tuple[str, list[str], str, Rules]] = field(default_factory=list)
    """For each game: archive, players, room, rules."""
    left_out: LeftOut = field(default_factory=LeftOut)


def prepared_name(paths: Sequence[str | Path]) -> str:
    """Return the folder name for these logs: a hash of file paths, sizes and times, not of their contents."""
    digest = hashlib.sha256(f"{FORMAT_VERSION} {ROUND} {GAME_ROW}".encode())
    for chunk in plan(paths, 1 << 30):
        path = Path(chunk.path)
        state = path.stat() if path.exists() else None
        digest.update(f"{path.resolve()} {state and (state.st_size, state.st_mtime_ns)}".encode())
    return digest.hexdigest()[:16]


def prepare(paths: Sequence[str | Path], folder: Path, workers: int = 1) -> Iterator[tuple[int, float]]:
    """Prepare all logs under some paths into a folder, which is created atomically.

    Yields the number of games so far and the share of the work done, 0 to 1.
    """
    parts, total = [], 0
    chunks = plan(paths, _CHUNK)
    get_lookup()  # computed once here, before the workers need it
    for part in share_out(_prepare_chunk, [(chunk,) for chunk in chunks], workers, in_order=True):
        parts.append(part)
        total += len(part.games)
        yield total, len(parts) / len(chunks)
    prepared = _join(parts)
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    try:
        prepared.save(temporary)
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def prepare_games(logs: Iterable[GameLog], archive: str = "games") -> Prepared:
    """Prepare games that are in memory, as those of one archive; games that fail verification are left out."""
    part = _Part()
    for log in logs:
        _add(part, log, archive)
    return _join([part])


def _prepare_chunk(chunk: Chunk) -> _Part:
    part = _Part()
    path = Path(chunk.path)
    archive = path.parent.name if chunk.kind == "file" else path.name  # single files count under their folder
    for log in read_logs(read_chunk(chunk)):
        _add(part, log, archive)
    return part


def _add(part: _Part, log: GameLog | LogError, archive: str) -> None:
    """Add a game, or count it as left out."""
    try:
        if isinstance(log, LogError):
            raise log
        _add_verified(part, log, archive)
    except SkippedLog as skipped:
        part.left_out += LeftOut(skipped=1, first=[str(skipped)])
    except LogError as error:
        part.left_out += LeftOut(errors=1, first=[str(error)])


def _add_verified(part: _Part, log: GameLog, archive: str) -> None:
    """Add a game, or count it as left out if it fails verification; raises LogError like `verify_game`."""
    verified = verify_game(log)
    if verified.mismatches and verified.unsure:
        part.left_out += LeftOut(unknown=1, first=[f"{verified.mismatches[0]} ({verified.unsure})"])
        return
    if verified.mismatches:
        part.left_out += LeftOut(mismatches=1, first=[str(verified.mismatches[0])])
        return
    if verified.final_scores is None:
        part.left_out += LeftOut(mismatches=1, first=[f"{log.source}: a game without an end"])
        return
    game = np.zeros(1, GAME_ROW)
    game["n_rounds"] = len(log.rounds)
    game["final_scores"] = verified.final_scores
    game["dan"] = NO_DAN if log.dan is None else log.dan
    game["key"] = _key(log)
    rounds = np.concatenate([_round_row(each) for each in log.rounds])
    events = np.concatenate([each.events for each in log.rounds]).astype(LOG_EVENT)
    rounds["n_events"] = [len(each.events) for each in log.rounds]
    rounds["first_event"] = np.cumsum(rounds["n_events"]) - rounds["n_events"]
    absent = np.concatenate(_absences(log))
    _count(rounds, events, absent, log)
    part.games.append(game)
    part.rounds.append(rounds)
    part.events.append(events)
    part.absent.append(absent)
    part.names.append((archive, list(log.names), log.room, log.rules))


def _key(log: GameLog) -> int:
    digest = hashlib.sha256()
    for each in log.rounds:
        digest.update(np.sort(np.array(each.hands, np.uint8) >> 2, axis=1).tobytes())  # not all formats number copies
        digest.update(np.array([each.round, each.repeat_counter, *each.scores], np.int32).tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def _round_row(log: RoundLog) -> np.ndarray:
    row = np.zeros(1, ROUND)
    for name in ("scores", "hands", "round", "repeat_counter", "bets", "dealer", "indicator"):
        row[name] = getattr(log, name)
    return row


def _absences(log: GameLog) -> list[np.ndarray]:
    """Return for each round u8[events]: a bit mask of the seats that had left the table."""
    found = []
    mask = 0
    for number, each in enumerate(log.rounds):
        masks = np.full(len(each.events), mask, np.uint8)
        for change in log.connections:
            if change.round == number:
                mask = mask & ~(1 << change.seat) if change.present else mask | 1 << change.seat
                masks[change.event :] = mask
        found.append(masks)
    return found


def _count(rounds: np.ndarray, events: np.ndarray, absent: np.ndarray, log: GameLog) -> None:
    """Set the number of pairs of each round of a game; raises LogError for a round that cannot be replayed."""
    counts = np.zeros((len(rounds), SEATS, COUNTS), np.int64)
    records = np.array([log.rules.to_record()])
    first, _ = collect_pairs(
        get_lookup(), np.zeros(3, GAME), records, rounds, events, absent, np.arange(len(rounds)),
        np.full(len(rounds), (1 << SEATS) - 1), 0, np.zeros(0, GAME), np.zeros(0, MODEL_DECISION), counts,
    )  # fmt: skip
    if first < 0:
        raise LogError(f"round {-1 - first} cannot be replayed from its events alone", log.source)
    rounds["counts"] = counts


def _join(parts: Sequence[_Part]) -> Prepared:
    """Join parts: names become indices, and repeated games are dropped."""
    archives: dict[str, int] = {}
    names: dict[str, int] = {}
    rooms: dict[str, int] = {}
    all_rules: dict[Rules, int] = {}
    games, rounds = [np.zeros(0, GAME_ROW)], [np.zeros(0, ROUND)]
    events, absent = [np.zeros(0, LOG_EVENT)], [np.zeros(0, np.uint8)]
    left_out, seen = LeftOut(), set[int]()
    n_rounds = n_events = 0
    for part in parts:
        left_out += part.left_out
        for i, (archive, players, room, rules) in enumerate(part.names):
            game, own = part.games[i], part.rounds[i]
            if int(game["key"][0]) in seen:
                left_out.duplicates += 1
                continue
            seen.add(int(game["key"][0]))
            game["archive"] = archives.setdefault(archive, len(archives))
            game["players"] = [names.setdefault(name, len(names)) for name in players]
            game["room"] = rooms.setdefault(room, len(rooms))
            game["rules"] = own["rules"] = all_rules.setdefault(rules, len(all_rules))
            game["first_round"] = n_rounds
            own["game"] = len(games) - 1
            own["first_event"] += n_events
            n_rounds += len(own)
            n_events += len(part.events[i])
            games.append(game)
            rounds.append(own)
            events.append(part.events[i])
            absent.append(part.absent[i])
    return Prepared(
        games=_concatenate(games),
        rounds=_concatenate(rounds),
        events=_concatenate(events),
        absent=_concatenate(absent),
        archives=list(archives),
        players=list(names),
        rooms=list(rooms),
        rules=list(all_rules),
        left_out=left_out,
    )


def _concatenate(parts: list[np.ndarray]) -> np.ndarray:
    """Join arrays; the padding between fields, which NumPy does not copy, is zero: equal logs give equal bytes."""
    whole = np.zeros(sum(map(len, parts)), parts[0].dtype)
    return np.concatenate(parts, out=whole)
