"""Benchmark the encoders, in microseconds per position on one core, against riichienv's `encode_extended`."""

import importlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from simulator.legal import is_legal
from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.generate import generate_games
from simulator.logs.mjai_writer import write_mjai
from simulator.logs.model import GameLog, LogError
from simulator.lookup import get_lookup
from simulator.record import ACTIONS
from suphx.features.encode import encode_all, encode_batch, encode_call_batch, is_call
from suphx.features.encode_lookahead import NO_PROPOSAL, encode_lookahead_all
from suphx.features.encode_worth import encode_worth_all
from suphx.features.layout import CALL_PLANES, PLANES
from suphx.features.positions import positions_of_round

_CHUNK = 64  # positions timed at once: few enough that some timings are undisturbed by other processes
_LEAST_PASSES = 3
_EMPTY_CALLS = 1000
#: More games than are ever needed: they are generated lazily.
_ENDLESS = 1_000_000


def games_of_logs(paths: Iterable[Path]) -> Iterator[GameLog]:
    """Yield the games of logs; raise LogError for a log that cannot be read."""
    for source, data in open_logs(list(paths)):
        if isinstance(data, LogError):
            raise data
        yield from read_log(data, source)


def collect_positions(games: Iterable[GameLog], least: int) -> tuple[np.ndarray, np.ndarray, list[GameLog]]:
    """Return GAME[n] and seats i64[n] of every decision in whole games, and these games.

    Games are read until there are at least `least` decisions.
    """
    records: list[np.ndarray] = []
    seats: list[int] = []
    used = []
    for log in games:
        for round_log in log.rounds:
            for position in positions_of_round(log.rules, round_log):
                records.append(position.games)
                seats.append(position.seat)
        used.append(log)
        if len(seats) >= least:
            break
    return np.concatenate(records), np.array(seats, np.int64), used


#: Functions that each encode a chunk of positions, and the total number of positions.
_Contestant = tuple[list[Callable[[], object]], int]


def _in_chunks(encode: Callable[[slice], object], n: int) -> _Contestant:
    return [partial(encode, slice(first, min(first + _CHUNK, n))) for first in range(0, n, _CHUNK)], n


def _peer(games: Iterable[GameLog]) -> _Contestant:
    """Return riichienv's encoding of every decision of the games."""
    riichienv = importlib.import_module("riichienv")
    seen = []
    for log in games:
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(write_mjai(log))
            file.flush()
            rounds = list(riichienv.MjaiReplay.from_jsonl(file.name).take_kyokus())
        seen += [step[0] for each in rounds for seat in range(4) for step in each.steps(seat)]
    return _in_chunks(lambda part: [observation.encode_extended() for observation in seen[part]], len(seen))


def _call_encoder(games: np.ndarray, seats: np.ndarray) -> _Contestant:
    """Return the encoding of every legal call in the positions."""
    calls = [action for action in range(ACTIONS) if is_call(action)]
    found = [(n, seats[n], a) for n in range(len(games)) for a in calls if is_legal(games[n], seats[n], a)]
    index, seat, action = np.array(found, np.int64).reshape(-1, 3).T
    out = np.empty((_CHUNK, CALL_PLANES), np.uint64)

    def encode(part: slice) -> None:
        encode_call_batch(games, index[part], seat[part], action[part], out[: len(index[part])], False)

    return _in_chunks(encode, len(index))


def _each_position(games: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the microseconds of each position timed alone, with look-ahead and without the overhead of the call."""
    lookup, out = get_lookup(), np.empty((1, PLANES), np.int64)
    index, nothing = np.arange(len(games)), np.array([NO_PROPOSAL])

    def timed(which: slice) -> float:
        begin = time.perf_counter()
        encode_all(lookup, games, index[which], seats[which], out)
        encode_worth_all(lookup, games, index[which], seats[which], out)
        encode_lookahead_all(lookup, games, index[which], seats[which], nothing, out)
        return time.perf_counter() - begin

    passes = [[timed(slice(n, n + 1)) for n in range(len(games))] for _ in range(_LEAST_PASSES)]
    empty = np.median([timed(slice(0, 0)) for _ in range(_EMPTY_CALLS)])
    return (np.min(passes, axis=0) - empty) * 1e6


def _least_microseconds(contestants: dict[str, _Contestant], seconds: float) -> dict[str, float]:
    """Return microseconds per position of each contestant, using the least time of every chunk; they take turns."""
    least = {name: np.full(len(chunks), np.inf) for name, (chunks, _) in contestants.items()}
    passes, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end or passes < _LEAST_PASSES:
        for name, (chunks, _) in contestants.items():
            for n, run in enumerate(chunks):
                begin = time.perf_counter()
                run()
                least[name][n] = min(least[name][n], time.perf_counter() - begin)
        passes += 1
    return {name: float(least[name].sum()) / max(1, n) * 1e6 for name, (_, n) in contestants.items()}


def bench_features(seconds: float = 4.0, positions: int = 2000, logs: Iterable[Path] | None = None) -> dict[str, float]:
    """Return microseconds per position for our encoders and riichienv's on the same decisions of whole games.

    logs: real games; by default games of `sensible`. All take turns for `seconds` over chunks of positions, and each
    chunk counts with its least time, since other processes can only add to it. `features_with_lookahead_us` is the
    mean, `..._p99_us` the 99th percentile of positions timed alone; `call_us` is the mean for a proposed call,
    including its position, without look-ahead. Ratios are riichienv's time over ours. `compile_s` is the time to the
    first result in this process.
    """
    source = generate_games(_ENDLESS, seed=1) if logs is None else games_of_logs(logs)
    games, seats, used = collect_positions(source, positions)
    begin = time.perf_counter()
    encode_batch(games[:1], [0], seats[:1])
    compile_s = time.perf_counter() - begin
    index, out = np.arange(len(games)), np.empty((_CHUNK, PLANES), np.uint64)

    def encode(part: slice, with_lookahead: bool) -> None:
        encode_batch(games, index[part], seats[part], out[: len(index[part])], with_lookahead)

    contestants = {
        "features": _in_chunks(lambda part: encode(part, False), len(games)),
        "features_with_lookahead": _in_chunks(lambda part: encode(part, True), len(games)),
        "call": _call_encoder(games, seats),
        "riichienv": _peer(used),
    }
    least = _least_microseconds(contestants, seconds)
    return {
        "positions": len(games),
        "riichienv_positions": contestants["riichienv"][1],
        **{f"{name}_us": value for name, value in least.items()},
        "features_with_lookahead_p99_us": float(np.percentile(_each_position(games, seats), 99)),
        "ratio": least["riichienv"] / least["features"],
        "ratio_with_lookahead": least["riichienv"] / least["features_with_lookahead"],
        "compile_s": compile_s,
    }
