"""The folder of a run as the steps of the main job leave it, out of results that were measured and made-up ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

from suphx.evaluation.measures import RANKS
from suphx.evaluation.report import report
from suphx.evaluation.tally import COLUMN, COLUMNS
from suphx.networks.weights import AgentCard
from suphx.report.page import GAINS
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.evaluation import Strength
from suphx.selfplay.monitor import MetricWriter

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
BEFORE, AFTER, WEAK = "pretrain/agent", "train/agent", "weak/agent"
DEALS = 60
TRAIN = {"seed": 4, "start": BEFORE, "games": 600, "evaluation": {"seed": 5, "deals": 20, "opponent": WEAK}}
STRENGTH = Strength(500, 2.25, (2.125, 2.375), -0.125, (-0.25, 0.0625))
STEPS = (
    ("warmup", 70, 0, "suphx warmup", 80),
    ("pretrain", 100, 130, "suphx pretrain pretrain.yaml --out pretrain", 150),
    ("pretrain", 60, 0, "suphx pretrain pretrain.yaml --out pretrain", 150),
    ("train", 200, 0, "suphx train first.yaml --out train --set start=pretrain/agent"),
)


def make_run(folder: Path) -> Path:
    """Make a whole run, and return its folder."""
    add_steps(folder)
    add_pretrain(folder / "pretrain")
    add_reward(folder / "reward")
    add_train(folder / "train-weak")
    add_train(folder / "train")
    for name in GAINS:
        add_match(folder / name)
    return folder


def add_steps(folder: Path) -> None:
    (folder / "steps.tsv").write_text("".join("\t".join(map(str, step)) + "\n" for step in STEPS))


def add_pretrain(folder: Path) -> None:
    """The results of the included weights."""
    folder.mkdir()
    shutil.copy(RESULTS / "pretrain.json", folder / "result.json")


def add_reward(folder: Path) -> None:
    folder.mkdir()
    shutil.copy(RESULTS / "reward.json", folder / "reward.json")


def add_train(folder: Path, **changes: object) -> None:
    """An agent's card, and curves from 50 to 500 games of which some are known: the entropy falls from 2 to 1."""
    config = TrainConfig.model_validate(TRAIN | changes)
    (folder / "agent").mkdir(parents=True)
    about = {"start": config.start, "games": "1,600", "config": config.model_dump_json()}
    (folder / "agent" / "agent.json").write_text(AgentCard(name="tiny", sha256={}, about=about).model_dump_json())
    board = MetricWriter(folder / "tensorboard", 0)
    for place, entropy in enumerate(np.linspace(2, 1, 10)):
        figures = {"entropy": entropy, "entropy_target": 1, "alpha": 0.125, "kl_behavior": 0.03125}
        figures |= {"weight_mean": 1, "weight_max": 3.5, "rejected": 0}
        named = {f"discard/{name}": value for name, value in figures.items()}
        board.write(named | {"play/reward_std": 0.75, "rate/games_per_s": 8}, 50 * (place + 1))
    board.write_strength(STRENGTH)
    board.close()


def add_match(folder: Path, rates: tuple[float, ...] = (0.55, 0.25, 0.15, 0.05)) -> dict:
    """What `suphx evaluate` writes of a match of two agents, the second first at such rates; returns it."""
    units = {AFTER: _units(rates, 2), BEFORE: _units((0.25, 0.25, 0.25, 0.25), 1)}
    result = {"games": 4 * DEALS, "deals": DEALS, "interrupted": False, **report(units, [(AFTER, BEFORE)])}
    folder.mkdir(exist_ok=True)
    (folder / "result.json").write_text(json.dumps(result, allow_nan=False))
    return result


def _units(rates: tuple[float, ...], seed: int) -> np.ndarray:
    """Return i64[deals, columns] of four games a deal, ten rounds each, two of them won."""
    ranks = np.random.default_rng(seed).choice(4, (DEALS, 4), p=rates)
    units = np.zeros((DEALS, len(COLUMNS)), np.int64)
    units[:, COLUMN["games"]] = 4
    units[:, COLUMN["rank_sum"]] = (ranks + 1).sum(axis=1)
    for rank, name in enumerate(RANKS):
        units[:, COLUMN[name]] = (ranks == rank).sum(axis=1)
    units[:, COLUMN["rounds"]], units[:, COLUMN["wins"]] = 40, 8
    return units
