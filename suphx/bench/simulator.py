"""How fast the table is: random play, shanten and accepted tiles on one core, and verified logs on all cores."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np

from simulator.efficiency import discards_batch, shanten_batch
from simulator.logs.generate import generate_games
from simulator.logs.mjlog_writer import write_mjlog
from simulator.logs.verify import verify_game
from simulator.logs.verify_paths import Summary, verify_paths
from simulator.players.simple import choose_random
from simulator.record import GAME
from simulator.shanten import COMPLETE
from simulator.tables import Tables
from simulator.tiles import KINDS, TILES

#: Games side by side: enough to make Python's share of a step negligible.
GAMES = 4096
HANDS = 4096
#: Games that are generated and verified if no logs are given.
_LOGS = 400
#: Most draws of a seat in a round without calls.
_MAX_DRAWS = 17


def random_hands(n: int = HANDS, seed: int = 0) -> np.ndarray:
    """Return u8[n, 34]: closed hands of 14 tiles, each dealt from its own shuffled wall."""
    return _counts(_walls(n, np.random.default_rng(seed))[:, :14])


def game_like_hands(n: int = HANDS, seed: int = 0) -> np.ndarray:
    """Return u8[n, 34]: closed hands of 14 tiles after 1 to 17 draws, with discards by shanten, then accepted tiles."""
    rng = np.random.default_rng(seed)
    walls, draws = _walls(n, rng), rng.integers(1, _MAX_DRAWS + 1, n)
    hands = _counts(walls[:, :14])
    for drawn in range(1, _MAX_DRAWS):
        drawing = np.flatnonzero((draws > drawn) & (shanten_batch(hands) != COMPLETE))
        discards = discards_batch(hands[drawing])
        hands[drawing, np.argmin(discards.shanten * np.int32(1000) - discards.tiles, axis=1)] -= 1
        hands[drawing, walls[drawing, 13 + drawn]] += 1
    return hands


def _walls(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.permuted(np.tile(np.arange(TILES) // 4, (n, 1)), axis=1)


def _counts(kinds: np.ndarray) -> np.ndarray:
    counts = np.zeros((len(kinds), KINDS), np.uint8)
    np.add.at(counts, (np.arange(len(kinds))[:, None], kinds), 1)
    return counts


def random_player(games: int = GAMES, steps: int = 50, seed: int = 0) -> Callable[[], int]:
    """Return a function that plays some random steps of a batch and returns the number of decisions."""
    tables = Tables(games, seed=seed)
    buffer = np.empty(3 * games, np.int64)

    def play() -> int:
        count = 0
        for _ in range(steps):
            decisions = tables.decisions()
            actions = buffer[: len(decisions)]
            choose_random(tables.games, decisions.game, decisions.seat, decisions.legal, seed, actions)
            tables.step(actions)
            count += len(decisions)
        return count

    return play


def rates(contestants: dict[str, Callable[[], int]], seconds: float) -> dict[str, float]:
    """Return what each function does per second, by the median of its calls; they take turns for `seconds`.

    The functions return how much they have done. Taking turns, all of them share a slow phase of the machine.
    """
    for run in contestants.values():
        run()
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not all(samples.values()):
        for name, run in contestants.items():
            start = time.perf_counter()
            samples[name].append(run() / (time.perf_counter() - start))
    return {name: median(each) for name, each in samples.items()}


def bench_simulator(logs: list[Path], seconds: float) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield (part, its metrics) for every part, each measured for some seconds; compiles everything before.

    Play is of random legal actions, including legal masks and new games; only decisions with a choice count. Without
    `logs`, generated games are verified. Raises ValueError for logs that fail verification, since their rate would be
    meaningless.
    """
    verify_game(next(iter(generate_games(1))))
    play = rates({"decisions_per_s": random_player()}, seconds)
    yield "play", play | {"bytes_per_game": float(GAME.itemsize)}
    for name, hands in (("random hands", random_hands()), ("game-like hands", game_like_hands())):
        yield name, bench_hands(hands, seconds)
    with tempfile.TemporaryDirectory(prefix="suphx-bench-") as folder:
        if not logs:
            for number, game in enumerate(generate_games(_LOGS)):
                (Path(folder) / f"{number}.mjlog").write_bytes(write_mjlog(game))
        yield "verifying", bench_verifying(logs or [Path(folder)])


def bench_hands(hands: np.ndarray, seconds: float) -> dict[str, float]:
    """Measure hands of 14 tiles per second (u8[n, 34]): shanten, and accepted tiles after every discard."""

    def shanten() -> int:
        return len(shanten_batch(hands))

    def accepted() -> int:
        discards_batch(hands)
        return len(hands)

    return rates({"shanten_per_s": shanten, "accepted_per_s": accepted}, seconds)


def bench_verifying(paths: list[Path], workers: int | None = None) -> dict[str, float]:
    """Verify everything under `paths`; games per second over the whole run, including the start of the processes."""
    workers = workers or os.cpu_count() or 1
    summary = Summary()
    for summary, _ in verify_paths(list(paths), workers):  # noqa: B007
        pass
    if not summary.good:
        raise ValueError(f"{summary.mismatches} mismatches and {summary.errors} errors in the logs of the benchmark")
    return {"games": summary.games, "games_per_s": summary.games / summary.seconds, "workers": workers}
