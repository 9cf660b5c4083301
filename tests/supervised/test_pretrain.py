from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import pytest
import torch

from suphx.dataset.prepare import prepare_games
from suphx.errors import InputError
from suphx.networks.precision import choose_precision
from suphx.networks.weights import load_network
from suphx.supervised.policy_training import PolicyTraining
from suphx.supervised.pretrain import train_models
from suphx.supervised.training import BEST_NAME, CHECKPOINT_NAME, ChunkReport, SupervisedInterrupted
from tests.dataset.made_games import sensible_games
from tests.supervised.tiny_config import tiny_config

CONFIG = """
name: killed
size: {filters: 8, blocks: 1}
models: {discard: {pairs: 70_000}}
validation_pairs: 200
validations: 2
test_pairs: 500
generated: {games: 40}
checkpoint_seconds: 0.01
"""


def pretrain(folder: Path, runs: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "suphx", "pretrain", str(folder / "some.yaml"), "--precision", "float32"]
    variables = {**os.environ, "SUPHX_RUNS": str(folder / runs)}
    return subprocess.Popen([*command, "--threads", "1"], env=variables, stderr=subprocess.DEVNULL)


def assert_same(one: Path, two: Path) -> None:
    ours, theirs = (load_network(folder / BEST_NAME).state_dict() for folder in (one, two))
    for name, value in ours.items():
        assert torch.equal(value, theirs[name]), name


@pytest.mark.full
def test_a_run_that_was_killed_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    (tmp_path / "some.yaml").write_text(CONFIG)
    killed = pretrain(tmp_path, "killed")
    checkpoint = tmp_path / "killed" / "pretrain" / "killed" / "discard" / CHECKPOINT_NAME
    while not checkpoint.exists():
        assert killed.poll() is None
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert pretrain(tmp_path, "killed").wait() == 0
    assert pretrain(tmp_path, "whole").wait() == 0
    runs = (tmp_path / name / "pretrain" / "killed" / "discard" for name in ("killed", "whole"))
    assert_same(*runs)


def test_a_model_that_fails_ends_the_others_and_is_the_error_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    def run(training: PolicyTraining, watch: object, stop: Event) -> None:
        if training.model == "pong":
            raise RuntimeError("the disk is full")
        assert stop.wait(30)
        ended.append(training.model)
        raise SupervisedInterrupted

    monkeypatch.setattr(PolicyTraining, "train", run)
    config = tiny_config(models={"chow": {"pairs": 9}, "pong": {"pairs": 5}})
    with pytest.raises(RuntimeError, match="the disk is full"):
        train_models(config, sensible_games(), tmp_path, choose_precision("cpu", "float32", 2), lambda _: None)
    assert ended == ["chow"]


def test_models_go_side_by_side_to_the_same_weights_as_one_by_one(tmp_path: Path) -> None:
    config = tiny_config(models={"riichi": {"pairs": 800}, "kong": {"pairs": 400}})
    reports: list[ChunkReport] = []
    for threads in (1, 2):
        precision = choose_precision("cpu", "float32", threads)
        train_models(config, sensible_games(), tmp_path / str(threads), precision, reports.append)
    assert {report.model for report in reports} == {"riichi", "kong"}
    for model in ("riichi", "kong"):
        assert_same(tmp_path / "1" / model, tmp_path / "2" / model)


def test_logs_without_pairs_of_a_model_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no pairs of the riichi model to train on, or none to validate with: more"):
        train_models(tiny_config(), prepare_games([]), tmp_path, choose_precision("cpu", "float32", 1), lambda _: None)
