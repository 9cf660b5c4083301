"""Preparation of logs: read, verify and count them in several processes, and write a folder (`prepared.py`).

A log that fails verification is left out and counted, never trained on. The folder's name is a hash of the files'
names, sizes and times, so the same logs are prepared only once.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from simulator.logs.archives import Chunk, plan, read_chunk
from simulator.logs.formats import read_logs
from simulator.logs.model import LOG_EVENT, GameLog, LogError, RoundLog, SkippedLog
from simulator.logs.verify import Verified, verify_game
from simulator.lookup import get_lookup
from simulator.processes import share_out
from simulator.record import GAME, SEATS
from simulator.rules import Rules
from suphx.agent.model_decisions import MODEL_DECISION
from suphx.dataset.pairs import COUNTS, collect_pairs
from suphx.dataset.prepared import FORMAT_VERSION, GAME_ROW, NO_DAN, ROUND, LeftOut, Prepared

#: Archive members handed to a process at a time.
_CHUNK = 200

T = TypeVar("T")


@dataclass
class _Game:
    """A verified game, whose names `_join` turns into indices."""

    row: np.ndarray
    """GAME_ROW[1]"""
    rounds: np.ndarray
    events: np.ndarray
    absent: np.ndarray
    archive: str
    players: list[str]
    room: str
    rules: Rules


def prepared_name(paths: Sequence[str | Path]) -> str:
    """Return the folder name for these logs: a hash of file paths, sizes and times, not of their contents."""
    digest = hashlib.sha256(f"{FORMAT_VERSION} {ROUND} {GAME_ROW}".encode())
    for chunk in plan(paths, 1 << 30):
        path = Path(chunk.path)
        state = path.stat() if path.exists() else None
        digest.update(f"{path.resolve()} {state and (state.st_size, state.st_mtime_ns)}".encode())
    return digest.hexdigest()[:16]


def prepare(paths: Sequence[str | Path], folder: Path, workers: int = 1) -> Iterator[tuple[int, float]]:
    """Prepare logs into a folder, created atomically; yields the games so far and the share of the work done."""
    results: list[_Game | LeftOut] = []
    n_games = 0
    chunks = plan(paths, _CHUNK)
    get_lookup()  # computed once here, before the workers need it
    parts = share_out(_prepare_chunk, [(chunk,) for chunk in chunks], workers, in_order=True)
    for number, part in enumerate(parts, 1):
        results += part
        n_games += sum(isinstance(each, _Game) for each in part)
        yield n_games, number / len(chunks)
    prepared = _join(results)
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
    return _join(_prepare_log(log, archive) for log in logs)


def _prepare_chunk(chunk: Chunk) -> list[_Game | LeftOut]:
    path = Path(chunk.path)
    archive = path.parent.name if chunk.kind == "file" else path.name  # single files count under their folder
    return [_prepare_log(log, archive) for log in read_logs(read_chunk(chunk))]


def whole_game(log: GameLog | LogError, use: Callable[[GameLog, Verified], T]) -> T | LeftOut:
    """Return use(log, result) of a whole log that verifies, or else why it is left out; use may raise LogError."""
    try:
        if isinstance(log, LogError):
            raise log
        verified = verify_game(log)
        if verified.mismatches and verified.unsure:
            return LeftOut(unknown=1, first=[f"{verified.mismatches[0]} ({verified.unsure})"])
        if verified.mismatches:
            return LeftOut(mismatches=1, first=[str(verified.mismatches[0])])
        if verified.final_scores is None and log.missing:
            raise LogError(log.missing, log.source)
        if verified.final_scores is None:
            return LeftOut(mismatches=1, first=[f"{log.source}: a game without an end"])
        return use(log, verified)
    except SkippedLog as skipped:
        return LeftOut(skipped=1, first=[str(skipped)])
    except LogError as error:
        return LeftOut(errors=1, first=[str(error)])


def _prepare_log(log: GameLog | LogError, archive: str) -> _Game | LeftOut:
    return whole_game(log, lambda game, verified: _prepare_game(game, verified, archive))


def _prepare_game(log: GameLog, verified: Verified, archive: str) -> _Game:
    row = np.zeros(1, GAME_ROW)
    row["n_rounds"] = len(log.rounds)
    row["final_scores"] = verified.final_scores
    row["dan"] = NO_DAN if log.dan is None else log.dan
    row["key"] = key_of(log)
    rounds = np.concatenate([round_row(each) for each in log.rounds])
    rounds["first_event"] = np.cumsum(rounds["n_events"]) - rounds["n_events"]
    events = np.concatenate([each.events for each in log.rounds]).astype(LOG_EVENT)
    absent = np.concatenate(_absences(log))
    _count(rounds, events, absent, log)
    return _Game(row, rounds, events, absent, archive, list(log.names), log.room, log.rules)


def key_of(log: GameLog) -> int:
    """Return a hash of a game's deals and scores, the same in every format, by which games are told apart and split."""
    digest = hashlib.sha256()
    for each in log.rounds:
        digest.update(np.sort(np.array(each.hands, np.uint8) >> 2, axis=1).tobytes())  # not all formats number copies
        digest.update(np.array([each.round, each.repeat_counter, *each.scores], np.int32).tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def round_row(log: RoundLog) -> np.ndarray:
    """Return ROUND[1]: the starting state of a round and its number of events."""
    row = np.zeros(1, ROUND)
    for name in ("scores", "hands", "round", "repeat_counter", "bets", "dealer", "indicator"):
        row[name] = getattr(log, name)
    row["n_events"] = len(log.events)
    return row


def _absences(log: GameLog) -> list[np.ndarray]:
    """Return for each round u8[events]: a bit mask of the seats that had left the table."""
    absent = []
    mask = 0
    for number, each in enumerate(log.rounds):
        masks = np.full(len(each.events), mask, np.uint8)
        for change in log.connections:
            if change.round == number:
                mask = mask & ~(1 << change.seat) if change.present else mask | 1 << change.seat
                masks[change.event :] = mask
        absent.append(masks)
    return absent


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


def _join(results: Iterable[_Game | LeftOut]) -> Prepared:
    """Join games: names become indices, and repeated games are dropped."""
    archives: dict[str, int] = {}
    players: dict[str, int] = {}
    rooms: dict[str, int] = {}
    rules: dict[Rules, int] = {}
    games: dict[int, _Game] = {}
    left_out = LeftOut()
    n_rounds = n_events = 0
    for each in results:
        if isinstance(each, LeftOut):
            left_out += each
            continue
        row, key = each.row, int(each.row["key"][0])
        if key in games:
            left_out.duplicates += 1
            continue
        row["archive"] = archives.setdefault(each.archive, len(archives))
        row["players"] = [players.setdefault(name, len(players)) for name in each.players]
        row["room"] = rooms.setdefault(each.room, len(rooms))
        row["rules"] = each.rounds["rules"] = rules.setdefault(each.rules, len(rules))
        row["first_round"] = n_rounds
        each.rounds["game"] = len(games)
        each.rounds["first_event"] += n_events
        n_rounds += len(each.rounds)
        n_events += len(each.events)
        games[key] = each
    every = games.values()
    return Prepared(
        games=_concatenate([each.row for each in every], GAME_ROW),
        rounds=_concatenate([each.rounds for each in every], ROUND),
        events=_concatenate([each.events for each in every], LOG_EVENT),
        absent=_concatenate([each.absent for each in every], np.dtype("u1")),
        archives=list(archives), players=list(players), rooms=list(rooms), rules=list(rules), left_out=left_out,
    )  # fmt: skip


def _concatenate(parts: list[np.ndarray], dtype: np.dtype) -> np.ndarray:
    """Join arrays; the padding between fields, which NumPy does not copy, is zero: equal logs give equal bytes."""
    whole = np.zeros(sum(map(len, parts)), dtype)
    return np.concatenate([whole[:0], *parts], out=whole)
