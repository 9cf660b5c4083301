"""A report of what the commands of the main job really leave, on a run too small to learn anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from suphx.cli import app

PRETRAIN = """
name: tiny
size: {filters: 8, blocks: 1}
models:
  discard: {pairs: 6_000}
  riichi: {pairs: 500}
  chow: {pairs: 1_000}
  pong: {pairs: 1_000}
  kong: {pairs: 200}
validation_pairs: 200
validations: 2
"""
REWARD = "{hidden: 8, batch: 16, epochs: 2, bootstrap: 20}"
TRAIN = """
name: tiny
start: pretrain/agent
games: 8
side_by_side: 4
reward: {kind: phi, predictor: reward/reward.safetensors}
learning: {batch: 128}
publish_steps: 1
evaluation: {every: 1000, deals: 2, opponent: pretrain/weak}
"""
COMMANDS = """
logs generate --games 60 --out games.zip
pretrain pretrain.yaml --logs games.zip --out pretrain --precision float32
reward reward.yaml --logs games.zip --out reward
train train.yaml --local --out train --precision float32 --threads 1
evaluate --challenger pretrain/agent --challenger train/agent --field pretrain/weak --games 16 --out evaluate
report .
"""


@pytest.mark.full
def test_all_parts_of_a_run_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUPHX_RUNS", str(tmp_path / "runs"))
    for name, text in (("pretrain", PRETRAIN), ("reward", REWARD), ("train", TRAIN)):
        Path(f"{name}.yaml").write_text(text)
    for line in COMMANDS.strip().splitlines():
        done = CliRunner().invoke(app, line.split())
        assert done.exit_code == 0, (line, done.output)
    text = Path("report.md").read_text()
    for title in ("Learning from games", "The reward predictor", "Self-play", "Before and after self-play"):
        assert f"{title}\n" in text
    assert "Not here" not in text
    assert "| kong |" in text and "| average rank |" in text
    assert "(pictures/selfplay.png)" in text
