"""How fast positions are encoded, in microseconds on one core."""

import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

from simulator.legal import is_legal
from simulator.logs.formats import read_games
from simulator.logs.generate import generate_games
from simulator.logs.model import GameLog
from simulator.record import ACTIONS
from suphx.features.encode import encode_batch, encode_call_batch, is_call
from suphx.features.layout import CALL_PLANES, PLANES
from suphx.features.positions import positions_of_round

_CHUNK = 64  # positions timed at once: few enough that some timings are undisturbed by other processes
_MIN_PASSES = 3
#: More games than are ever needed: they are generated lazily.
_ENDLESS = 1_000_000

#: Functions that each encode a chunk of positions, and the total number of positions.
Contestant = tuple[list[Callable[[], object]], int]


def collect_positions(games: Iterable[GameLog], at_least: int) -> tuple[np.ndarray, np.ndarray, list[GameLog]]:
    """Return GAME[n] and seats i64[n] of all decisions, `at_least` a number, in whole games, and these games."""
    records: list[np.ndarray] = []
    seats: list[int] = []
    used = []
    for log in games:
        for round_log in log.rounds:
            for position in positions_of_round(log.rules, round_log):
                records.append(position.games)
                seats.append(position.seat)
        used.append(log)
        if len(seats) >= at_least:
            break
    return np.concatenate(records), np.array(seats, np.int64), used


def in_chunks(encode: Callable[[slice], object], n: int) -> Contestant:
    """Return the encoding of n positions as chunks that can be timed."""
    return [partial(encode, slice(first, min(first + _CHUNK, n))) for first in range(0, n, _CHUNK)], n


def position_encoder(games: np.ndarray, seats: np.ndarray, with_lookahead: bool) -> Contestant:
    """Return the encoding of every position."""
    index, out = np.arange(len(games)), np.empty((_CHUNK, PLANES), np.uint64)

    def encode(part: slice) -> None:
        encode_batch(games, index[part], seats[part], out[: len(index[part])], with_lookahead)

    return in_chunks(encode, len(games))


def call_encoder(games: np.ndarray, seats: np.ndarray) -> Contestant:
    """Return the encoding of every legal call in the positions, without look-ahead."""
    actions = [action for action in range(ACTIONS) if is_call(action)]
    calls = [(n, seats[n], a) for n in range(len(games)) for a in actions if is_legal(games[n], seats[n], a)]
    index, seat, action = np.array(calls, np.int64).reshape(-1, 3).T
    out = np.empty((_CHUNK, CALL_PLANES), np.uint64)

    def encode(part: slice) -> None:
        encode_call_batch(games, index[part], seat[part], action[part], out[: len(index[part])], False)

    return in_chunks(encode, len(index))


def min_microseconds(contestants: dict[str, Contestant], seconds: float) -> dict[str, float]:
    """Return microseconds per position of each contestant, by the least time of every chunk; they take turns."""
    least = {name: np.full(len(chunks), np.inf) for name, (chunks, _) in contestants.items()}
    passes, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end or passes < _MIN_PASSES:
        for name, (chunks, _) in contestants.items():
            for n, run in enumerate(chunks):
                begin = time.perf_counter()
                run()
                least[name][n] = min(least[name][n], time.perf_counter() - begin)
        passes += 1
    return {name: float(least[name].sum()) / max(1, n) * 1e6 for name, (_, n) in contestants.items()}


def bench_features(seconds: float = 4.0, positions: int = 2000, logs: list[Path] | None = None) -> dict[str, float]:
    """Return microseconds per position of the encoders, over the decisions of whole games.

    logs: by default games of `sensible` are generated. Each chunk of positions counts with its least time in
    `seconds`, since other processes can only add to it. `call_us` is the mean of a proposed call, including its
    position, without look-ahead.
    """
    source = read_games(logs) if logs else generate_games(_ENDLESS, seed=1)
    games, seats, _ = collect_positions(source, positions)
    contestants = {
        "features": position_encoder(games, seats, False),
        "features_with_lookahead": position_encoder(games, seats, True),
        "call": call_encoder(games, seats),
    }
    least = min_microseconds(contestants, seconds)
    return {"positions": len(games), **{f"{name}_us": value for name, value in least.items()}}
