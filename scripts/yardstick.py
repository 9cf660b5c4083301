"""Rate the players of held-out Tenhou games by the default agent, by dan: suphx/review/yardstick.json.

usage: python scripts/yardstick.py LOGS... [--games 1000] [--out FILE]

LOGS: archives or folders of hanchan, from which games are taken in turn. Programs (names that begin with ⓝ) are left
out. Interrupt it at any time: the same command goes on from what is in the folder of runs.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the code of this checkout

from simulator.files import write_json
from simulator.logs.archives import open_logs
from simulator.logs.formats import read_log
from simulator.logs.model import GameLog, LogError
from suphx.agent import DEFAULT_AGENT
from suphx.agent.registry import fingerprint, load_agent
from suphx.dataset.prepare import key_of
from suphx.dataset.prepared import SPLITS, split_of
from suphx.progress import progress
from suphx.review.analysis import rate_game, reviewing
from suphx.review.yardstick import YARDSTICK, Yardstick, dan_ratings
from suphx.run_folder import JsonLines, runs_folder

_TEST = list(SPLITS).index("test")


def held_out(logs: Path) -> Iterator[GameLog]:
    """Yield the whole hanchan of the logs that no network has seen."""
    for source, data in open_logs([logs]):
        try:
            for log in read_log(data, source):
                is_whole = log.dan is not None and not log.missing and log.rules.length == "east_south"
                if is_whole and split_of(np.array([key_of(log)], np.uint64))[0] == _TEST:
                    yield log
        except LogError as error:
            print(error, file=sys.stderr)


def in_turn(sources: list[Iterator[GameLog]]) -> Iterator[GameLog]:
    """Yield a game of each source, again and again."""
    while sources:
        for each in list(sources):
            log = next(each, None)
            if log is None:
                sources.remove(each)
            else:
                yield log


def main() -> None:
    """Rate games, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=YARDSTICK)
    asked = parser.parse_args()
    agent, rated = reviewing(load_agent(DEFAULT_AGENT), DEFAULT_AGENT), dict[str, list[tuple[int, float]]]()

    def read(line: bytes) -> None:
        each = json.loads(line)
        rated[each["game"]] = each["ratings"]

    path, begun = runs_folder() / "yardstick" / f"{fingerprint(DEFAULT_AGENT)}.jsonl", time.monotonic()
    with JsonLines(path, read, "rates games there", "rated game") as lines:
        before = len(rated)
        with progress("games", asked.games, done=before) as show:
            for log in in_turn([held_out(path) for path in asked.logs]):
                game = f"{key_of(log):016x}"
                if len(rated) >= asked.games:
                    break
                if game in rated:
                    continue
                ranks = log.dan or []
                seats = [seat for seat, name in enumerate(log.names) if not name.startswith("ⓝ")]
                ratings = rate_game(log, agent, seats)
                rated[game] = [
                    (ranks[seat], each) for seat, each in zip(seats, ratings, strict=True) if each is not None
                ]
                lines.add(json.dumps({"game": game, "ratings": rated[game]}))
                show(len(rated), f"{(len(rated) - before) / (time.monotonic() - begun):.2f} games/s")
    dans = dan_ratings(pair for of_game in rated.values() for pair in of_game)
    result = Yardstick(
        agent=DEFAULT_AGENT, fingerprint=fingerprint(DEFAULT_AGENT), logs=[each.name for each in asked.logs],
        games=len(rated), dans=dans,
    )  # fmt: skip
    write_json(asked.out, result.model_dump())
    for each in dans:
        print(f"{each.dan:>3} dan: {each.mean:.2f} ({each.low:.2f} to {each.high:.2f}), {each.players:,} players")


if __name__ == "__main__":
    main()
