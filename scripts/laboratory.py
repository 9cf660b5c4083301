"""Compare what self-play is made of, where learning shows: five seeds of a small network that has seen little.

usage: python scripts/laboratory.py LOGS [--arms RL-1,...] [--seeds 1,2,3,4,5] [--games 500,1000,2000]

The start is five networks of 32 x 2 from LOGS, whose discards have seen 6,000 pairs. Every arm of
configs/experiments/laboratory.yaml learns from its own games, is measured after each number of games against the start,
two-two on the same deals, and goes on. It uses one thread; another process may do other seeds beside it. The same
command goes on where it was interrupted. The result, docs/results/laboratory.json, holds all that was played so far.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the code of this checkout

from simulator.files import write_json
from suphx.intervals import mean_interval
from suphx.run_folder import runs_folder

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "configs" / "experiments" / "laboratory.yaml"
RESULT = ROOT / "docs" / "results" / "laboratory.json"
#: Deals of all matches; the walls of self-play are those of the seeds.
DEALS_SEED = 481_028
HANCHAN = 480
#: What each arm changes in the configuration, RL-1.
ARMS = {
    "RL-1": [],
    "RL-basic": ["reward={kind: round}"],
    "RL-2": ["learning.oracle={full_games: 500, decay_games: 500, after_rate: 1}"],
    "critic": [
        "learning.baseline=critic",
        "learning.critic={size: {filters: 32, blocks: 2}, learning_rate: 1.0e-3, steps: 4}",
    ],
    "Muon": ["learning.optimizer=muon"],
    "twice the rate": ["learning.learning_rate=1.0e-4"],
    "a quarter of the batch": ["learning.batch=256"],
    "entropy target": ["learning.entropy={start: 0.01, beta: 1.0e-3}"],
    "unclear decisions": ["learning.max_confidence=0.9"],
    "five networks": [
        "learning.models=[discard, riichi, chow, pong, kong]",
        "learning.start_temperature_of={riichi: 0.5, chow: 0.5, pong: 0.5, kong: 0.5}",
        "learning.batch_of={riichi: 64, chow: 128, pong: 64, kong: 16}",
        "learning.learning_rate_of={riichi: 1.0e-5, chow: 1.0e-5, pong: 1.0e-5, kong: 1.0e-5}",
        "learning.collapse.entropy_share=0",  # who always declares riichi has no entropy there
        "learning.replay.staleness=16",
    ],
}
START = [
    "size={filters: 32, blocks: 2}", "models.discard.pairs=6000", "average_steps=10", "test_pairs=20000",
    *(f"models.{model}.pairs=200000" for model in ("riichi", "chow", "pong", "kong")),
]  # fmt: skip


def suphx(*words: object, changes: list[str] | None = None) -> None:
    """Run a command of the program on one thread."""
    settings = [word for change in changes or [] for word in ("--set", change)]
    command = [sys.executable, "-m", "suphx", *map(str, words), "--threads", "1", *settings]
    subprocess.run(command, cwd=ROOT, check=True)


def learn(folder: Path, start: Path, seed: int, games: int, changes: list[str]) -> None:
    """Train an agent up to a number of games, and play its match against the start, unless that is done."""
    match = folder / f"match-{games}"
    if not (match / "result.json").exists():
        own = [f"start={start}", f"seed={seed}", *changes]
        suphx("train", CONFIG, "--local", "--out", folder, "--games", games, changes=own)
        suphx(
            "evaluate", "--challenger", folder / "agent", "--field", start, "--protocol", "two-two",
            "--games", HANCHAN, "--seed", DEALS_SEED, "--out", match,
        )  # fmt: skip


def gain(match: Path) -> float:
    """Return how much lower the agent's average rank is than that of the start, in their match."""
    return -float(json.loads((match / "result.json").read_text())["differences"][0]["average_rank"]["value"])


def measured(runs: Path) -> list[dict[str, Any]]:
    """Return what each arm gained over all seeds, and how much more than RL-1 with the same seeds (Student's t)."""
    rows: list[dict[str, Any]] = []
    for arm in ARMS:
        for n in sorted({int(path.name.removeprefix("match-")) for path in runs.glob(f"{arm}/*/match-*")}):
            gains = {path.parent.parent.name: gain(path.parent) for path in runs.glob(f"{arm}/*/match-{n}/result.json")}
            first = {seed: gain(path) for seed in gains if (path := runs / f"RL-1/{seed}/match-{n}").exists()}
            if gains:
                mean, interval = mean_interval(np.array(list(gains.values())))
                more, its_interval = mean_interval(np.array([gains[seed] - first[seed] for seed in first] or [np.nan]))
                rows.append({
                    "arm": arm, "games": n, "gains": gains, "gain": mean, "interval": interval,
                    "more_than_rl_1": more, "its_interval": its_interval,
                })  # fmt: skip
    return rows


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the rows as a table in Markdown: gains after each number of games, and each arm's last beside RL-1's."""
    games = sorted({row["games"] for row in rows})
    head = ["", *(f"{n:,} games" for n in games), "in the end more than RL-1", "seeds"]
    table = [head, ["---"] * len(head)]
    for arm in dict.fromkeys(row["arm"] for row in rows):
        of_arm = {row["games"]: row for row in rows if row["arm"] == arm}
        gains = [_text(of_arm[n]["gain"], of_arm[n]["interval"]) if n in of_arm else "" for n in games]
        last = of_arm[max(of_arm)]
        more = "" if arm == "RL-1" else _text(last["more_than_rl_1"], last["its_interval"])
        table.append([arm, *gains, more, str(len(last["gains"]))])
    return ["| " + " | ".join(row) + " |" for row in table]


def _text(value: float, interval: list[float] | None) -> str:
    return f"{value:+.3f}" + ("" if interval is None else f" ±{(interval[1] - interval[0]) / 2:.3f}")


def main() -> None:
    """Run what is missing, and write what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--games", default="500,1000,2000")
    options = parser.parse_args()
    runs, games = runs_folder() / "laboratory", [int(n) for n in options.games.split(",")]
    arms = options.arms.split(",")
    if unknown := sorted(set(arms) - set(ARMS)):
        parser.error(f"no arm {unknown[0]!r}; there are {', '.join(ARMS)}")
    start = runs / "start" / "agent"
    if not start.exists():
        pairs = ROOT / "configs" / "pretrain.yaml"
        suphx("pretrain", pairs, "--logs", options.logs.absolute(), "--out", start.parent, changes=START)
    for seed in map(int, options.seeds.split(",")):
        for arm in arms:
            for n in games:
                learn(runs / arm / str(seed), start, seed, n, ARMS[arm])
    rows = measured(runs)
    write_json(RESULT, {"hanchan": HANCHAN, "deals": DEALS_SEED, "arms": ARMS, "rows": rows})
    print("\n".join(lines(rows)))


if __name__ == "__main__":
    main()
