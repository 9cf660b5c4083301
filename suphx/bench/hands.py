"""Benchmark shanten and accepted tiles against the fastest libraries available from Python."""

import time
from collections.abc import Callable
from contextlib import suppress
from statistics import median

import numpy as np

from simulator.efficiency import discards_batch, shanten_batch
from simulator.shanten import COMPLETE
from simulator.tiles import KINDS, TILES

HANDS = 4096
MOST_DRAWS = 17  # most draws of a seat in a round, without calls


def random_hands(n: int = HANDS, seed: int = 0) -> np.ndarray:
    """Return u8[n, 34]: closed hands of 14 tiles, each dealt from its own shuffled wall."""
    return _counts(_walls(n, np.random.default_rng(seed))[:, :14])


def game_like_hands(n: int = HANDS, seed: int = 0) -> np.ndarray:
    """Return u8[n, 34]: closed hands of 14 tiles after 1 to 17 draws.

    Each discard minimises shanten, then maximises the number of accepted tiles.
    """
    rng = np.random.default_rng(seed)
    walls, draws = _walls(n, rng), rng.integers(1, MOST_DRAWS + 1, n)
    hands = _counts(walls[:, :14])
    for drawn in range(1, MOST_DRAWS):
        going = np.flatnonzero((draws > drawn) & (shanten_batch(hands) != COMPLETE))
        found = discards_batch(hands[going])
        hands[going, np.argmin(found.shanten * np.int32(1000) - found.tiles, axis=1)] -= 1
        hands[going, walls[going, 13 + drawn]] += 1
    return hands


def bench_shanten(seconds: float = 2.0, hands: np.ndarray | None = None) -> dict[str, float]:
    """Measure shanten of hands per second on one core, for random hands and for `hands` (u8[n, 34]).

    `hands` are `game_like_hands` by default. Ours is `shanten_batch`, including its checks; the peers are called once
    per hand, as their Python interfaces require, with arguments prepared beforehand. They take turns for `seconds` per
    set of hands, and medians are reported. `..._ratio` is our speed over that of the fastest peer. Peers that are not
    installed are left out; without any, so is the ratio.
    """
    report: dict[str, float] = {}
    for name, chosen in (("random", random_hands()), ("game", game_like_hands() if hands is None else hands)):
        chosen = np.ascontiguousarray(chosen, np.uint8)
        contestants = {"ours": lambda batch=chosen: shanten_batch(batch)} | _shanten_peers(chosen)
        report |= _report(f"shanten_{name}", _median_seconds(contestants, seconds), len(chosen))
    return report


def bench_accepted(seconds: float = 2.0, hands: np.ndarray | None = None) -> dict[str, float]:
    """Measure hands of 14 tiles per second, finding shanten and accepted tiles after every discard.

    Ours is `discards_batch`; xiangting computes the necessary tiles of the hand after each discard. Otherwise as
    `bench_shanten`; `..._ours_us` is our time in microseconds per hand.
    """
    report: dict[str, float] = {}
    for name, chosen in (("random", random_hands()), ("game", game_like_hands() if hands is None else hands)):
        chosen = np.ascontiguousarray(chosen, np.uint8)
        contestants = {"ours": lambda batch=chosen: discards_batch(batch)} | _accepted_peers(chosen)
        found = _report(f"accepted_{name}", _median_seconds(contestants, seconds), len(chosen))
        report |= found | {f"accepted_{name}_ours_us": 1e6 / found[f"accepted_{name}_ours_per_second"]}
    return report


def _walls(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.permuted(np.tile(np.arange(TILES) // 4, (n, 1)), axis=1)


def _counts(kinds: np.ndarray) -> np.ndarray:
    counts = np.zeros((len(kinds), KINDS), np.uint8)
    np.add.at(counts, (np.arange(len(kinds))[:, None], kinds), 1)
    return counts


def _shanten_peers(hands: np.ndarray) -> dict[str, Callable[[], object]]:
    peers: dict[str, Callable[[], object]] = {}
    with suppress(ImportError):
        from riichienv import calculate_shanten

        # It takes physical tiles and reads them fastest as bytes.
        tiles = [bytes(4 * k + copy for k in range(KINDS) for copy in range(hand[k])) for hand in hands.tolist()]
        peers["riichienv"] = lambda: list(map(calculate_shanten, tiles))
    with suppress(ImportError):
        from xiangting import PlayerCount, calculate_replacement_number

        rows, four = hands.tolist(), PlayerCount.FOUR
        peers["xiangting"] = lambda: [calculate_replacement_number(row, four) for row in rows]
    return peers


def _accepted_peers(hands: np.ndarray) -> dict[str, Callable[[], object]]:
    try:
        from xiangting import PlayerCount, calculate_necessary_tiles
    except ImportError:
        return {}
    after = [(hand - np.eye(KINDS, dtype=np.uint8))[hand > 0].tolist() for hand in hands]
    four = PlayerCount.FOUR
    return {"xiangting": lambda: [[calculate_necessary_tiles(row, four) for row in rows] for rows in after]}


def _median_seconds(contestants: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Return each contestant's median time in seconds; they take turns, so a slow phase of the machine affects all."""
    for run in contestants.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in contestants}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not times["ours"]:
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: median(taken) for name, taken in times.items()}


def _report(what: str, taken: dict[str, float], n: int) -> dict[str, float]:
    report = {f"{what}_{name}_per_second": n / time_taken for name, time_taken in taken.items()}
    peers = [time_taken for name, time_taken in taken.items() if name != "ours"]
    return report | ({f"{what}_ratio": min(peers) / taken["ours"]} if peers else {})
