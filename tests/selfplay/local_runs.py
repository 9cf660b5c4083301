"""Small trainings in one process, for tests."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from selfplay_tables import precision, tiny_networks

from suphx.networks.weights import save_agent
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.local import LocalTraining
from suphx.selfplay.training import SelfPlayInterrupted, TrainingReport

GAMES = 3


def saved_start(folder: Path) -> Path:
    """Write the tiny agent that trainings start from into a folder, and return it."""
    save_agent(folder, tiny_networks(), "tiny", storage="float32")
    return folder


def values(start: Path, **changes: object) -> dict:
    return {
        "name": "tiny",
        "start": str(start),
        "rules": "tenhou_east",
        "reward": {"kind": "round"},
        "games": GAMES,
        "side_by_side": 3,
        "learning": {"models": ["discard", "chow"], "batch": 32, "learning_rate": 1e-3},
        "publish_steps": 6,
        "checkpoint_seconds": 0,
        "evaluation": None,
        "sample_games": 1,
    } | changes


def train(config: dict, folder: Path, stop_at: int | None = None) -> tuple[LocalTraining, list[TrainingReport]]:
    """Train in a folder, until the version `stop_at` if one is given."""
    training = LocalTraining(TrainConfig.model_validate(config), folder, precision())
    stop, reports = Event(), []

    def watch(report: TrainingReport) -> None:
        reports.append(report)
        if report.version == stop_at:
            stop.set()

    if stop_at is None:
        training.run(watch, stop)
    else:
        with pytest.raises(SelfPlayInterrupted):
            training.run(watch, stop)
    return training, reports
