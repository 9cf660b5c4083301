"""All parts of the benchmark `suphx bench simulator`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from simulator.files import write_whole
from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.generate import generate_games
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.model import LogError, RoundLog
from simulator.logs.verify import verify_game
from simulator.players import player
from simulator.players.play import play_games
from simulator.record import EVENT_DISCARD, EVENT_DRAW, SEATS
from simulator.tiles import KINDS, NO_TILE
from suphx.bench.hands import bench_accepted, bench_shanten
from suphx.bench.play import bench_play, bench_two_processes
from suphx.bench.scoring import bench_scoring
from suphx.bench.startup import bench_startup
from suphx.bench.verifying import bench_verifying

#: Number of games generated for the benchmark if no logs are given.
_GAMES = 400
_HANDS = 20_000


def hands_of_logs(paths: list[Path], most: int = _HANDS) -> np.ndarray:
    """Return u8[n, 34]: hands of 14 tiles after draws in logged games, up to the first call of each round.

    At most `most` hands are returned. Raises LogError for a log that cannot be read.
    """
    hands: list[np.ndarray] = []
    for source, data in open_logs(paths):
        if isinstance(data, LogError):
            raise data
        for log in read_log(data, source):
            for round_log in log.rounds:
                hands += _hands_of_round(round_log)
                if len(hands) >= most:
                    return np.stack(hands[:most])
    return np.stack(hands)


def _hands_of_round(round_log: RoundLog) -> list[np.ndarray]:
    hands = []
    counts = np.zeros((4, KINDS), np.uint8)
    for seat, dealt in enumerate(round_log.hands):
        np.add.at(counts[seat], np.array(dealt) // 4, 1)
    for event in round_log.events:
        seat, kind = event["seat"], event["tile"] >> 2
        if event["type"] == EVENT_DRAW:
            counts[seat, kind] += 1
            hands.append(counts[seat].copy())
        elif event["type"] == EVENT_DISCARD:
            counts[seat, kind] -= 1
        elif event["consumed"][0] != NO_TILE:
            return hands
    return hands


def bench_simulator(logs: list[Path], seconds: float) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield (part, its numbers) for every part; without `logs`, games of `sensible` are generated."""
    list(play_games([player("random")] * SEATS, 1))  # compiles what is measured then, and so does the next line
    verify_game(next(iter(generate_games(1))))
    yield "play", bench_play(seconds)
    yield "two processes", bench_two_processes(seconds)
    with tempfile.TemporaryDirectory(prefix="suphx-bench-") as folder:
        if not logs:
            for number, game in enumerate(generate_games(_GAMES)):
                write_whole(Path(folder) / f"{number}.mjlog", write_mjlog(game))
            logs = [Path(folder)]
        hands = hands_of_logs(logs)
        yield "shanten", bench_shanten(seconds, hands)
        yield "accepted tiles", bench_accepted(seconds, hands)
        yield "scoring", bench_scoring(seconds)
        yield "verifying", bench_verifying(logs)
    yield "start", bench_startup()
