"""Our speed beside that of riichienv, mahjong and xiangting (extra `bench`), taking turns on one core.

`PYTHONPATH=tests python -m peer.speed` prints a table: what is done per second here and there, and the ratio.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import riichienv
import xiangting
from wins import as_arrays, make_wins, score_made

from simulator.efficiency import discards_batch, shanten_batch
from simulator.logs.generate import generate_games
from simulator.logs.mjai_writer import write_mjai
from simulator.logs.model import GameLog
from simulator.tiles import KINDS
from suphx.bench.features import Contestant, collect_positions, in_chunks, min_microseconds, position_encoder
from suphx.bench.simulator import game_like_hands, random_hands, random_player, rates

from .scoring import mahjong_scorer, riichienv_scorer

_START = {"oya": 0, "round_wind": 0, "scores": [25_000] * 4, "honba": 0, "kyotaku": 0}
_FOUR = xiangting.PlayerCount.FOUR


def riichienv_player(steps: int = 1000) -> Callable[[], int]:
    """Return a function that plays random steps with riichienv and returns the number of decisions.

    This was the fastest of the loops that its Python interface allows: actions are picked from the observations that
    `step` returns (masks with `find_action`, or querying the legal actions again, are slower), without an mjai log.
    Forced decisions count as well; ours counts only those with a choice.
    """
    table = riichienv.RiichiEnv("4p-red-half", skip_mjai_logging=True, rule=riichienv.GameRule.default_tenhou(), seed=0)
    observations = table.reset(**_START)

    def play() -> int:
        nonlocal observations
        number, decisions = random.random, 0
        for _ in range(steps):
            actions = {}
            for seat, observation in observations.items():
                legal = observation.legal_actions()
                actions[seat] = legal[int(number() * len(legal))]
            decisions += len(actions)
            observations = table.step(actions)
            if table.is_done:
                observations = table.reset(**_START)
        return decisions

    return play


def _counted(work: Callable[[], object], n: int) -> Callable[[], int]:
    def run() -> int:
        work()
        return n

    return run


def shanten(hands: np.ndarray) -> dict[str, Callable[[], int]]:
    """Ours takes all hands u8[n, 34] at once; the others one by one, with arguments prepared beforehand."""
    tiles = [bytes(4 * k + copy for k in range(KINDS) for copy in range(hand[k])) for hand in hands.tolist()]
    rows = hands.tolist()
    return {
        "ours": _counted(lambda: shanten_batch(hands), len(hands)),
        "riichienv": _counted(lambda: list(map(riichienv.calculate_shanten, tiles)), len(hands)),
        "xiangting": _counted(lambda: [xiangting.calculate_replacement_number(row, _FOUR) for row in rows], len(hands)),
    }


def accepted(hands: np.ndarray) -> dict[str, Callable[[], int]]:
    """Accepted tiles after every discard of hands of 14 tiles."""
    after = [(hand - np.eye(KINDS, dtype=np.uint8))[hand > 0].tolist() for hand in hands]

    def theirs() -> None:
        for rows in after:
            for row in rows:
                xiangting.calculate_necessary_tiles(row, _FOUR)

    return {
        "ours": _counted(lambda: discards_batch(hands), len(hands)),
        "xiangting": _counted(theirs, len(hands)),
    }


def scoring(n: int = 4000) -> dict[str, Callable[[], int]]:
    """Complete hands; ours includes the payments."""
    wins = list(make_wins(n, seed=1))
    arrays = as_arrays(wins)
    contestants = {"ours": _counted(lambda: score_made(arrays), n)}
    for name, scorer, count in (("riichienv", riichienv_scorer, n), ("mahjong", mahjong_scorer, n // 20)):
        scorers = [scorer(win) for win in wins[:count]]
        contestants[name] = _counted(lambda scorers=scorers: [each() for each in scorers], count)  # type: ignore[misc]
    return contestants


def _riichienv_encoder(games: Iterable[GameLog]) -> Contestant:
    """Return riichienv's encoding of every decision of the games."""
    observations = []
    for log in games:
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(write_mjai(log))
            file.flush()
            rounds = list(riichienv.MjaiReplay.from_jsonl(file.name).take_kyokus())
        observations += [step[0] for each in rounds for seat in range(4) for step in each.steps(seat)]
    return in_chunks(lambda part: [each.encode_extended() for each in observations[part]], len(observations))


def encoding(seconds: float, positions: int = 2000) -> dict[str, float]:
    """Return positions encoded per second, over the same decisions of whole games."""
    games, seats, logs = collect_positions(generate_games(positions, seed=1), positions)
    contestants = {
        "ours": position_encoder(games, seats, False),
        "ours with look-ahead": position_encoder(games, seats, True),
        "riichienv": _riichienv_encoder(logs),
    }
    return {name: 1e6 / value for name, value in min_microseconds(contestants, seconds).items()}


def compare(seconds: float = 4.0) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what is measured, and by program what it does per second."""
    yield "decisions of random play", rates({"ours": random_player(), "riichienv": riichienv_player()}, seconds)
    for name, hands in (("random", random_hands()), ("game-like", game_like_hands())):
        yield f"shanten of {name} hands", rates(shanten(hands), seconds)
        yield f"accepted tiles of {name} hands", rates(accepted(hands), seconds)
    yield "scored wins", rates(scoring(), seconds)
    yield "encoded positions", encoding(seconds)


def main() -> None:
    print("| per second | program | rate | ours over it |\n|---|---|---:|---:|")
    for name, each in compare(float(sys.argv[1]) if len(sys.argv) > 1 else 4.0):
        for program, rate in each.items():
            print(f"| {name} | {program} | {rate:,.0f} | {each['ours'] / rate:.2f} |", flush=True)


if __name__ == "__main__":
    main()
