"""The main job: the order of its steps, their share of the time, and going on; `suphx` itself is replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from suphx.cli import app
from suphx.errors import InputError
from suphx.report import job
from suphx.report.page import GAINS, steps_in

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "train.sh"
AFTER_GAMES = [
    "weak", "train-weak", "match-weak", "pretrain", "match-supervised", "reward", "train", "match"
]  # fmt: skip
PASS = sum(job._PAIRS.values())


class Calls:
    """How `suphx` was called; the clock goes on by `takes` seconds at each call, and `fails` is a step's folder."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.lines: list[list[str]] = []
        self.now, self.takes, self.fails, self.interrupts = 0.0, 20.0, "", False
        patch.setattr(job, "subprocess", SimpleNamespace(Popen=self._begin))
        patch.setattr(job, "time", SimpleNamespace(monotonic=lambda: self.now, perf_counter=lambda: self.now))
        patch.setattr(job, "_compile_seconds", lambda: 30.0)
        patch.setattr(job, "_pairs_per_second", lambda size: 7e6 / size[0] / (size[1] + 1) ** 1.5)

    def _begin(self, command: list[str], cwd: Path) -> SimpleNamespace:
        assert command[1:3] == ["-m", "suphx"] and cwd.is_dir()
        self.lines.append(command[3:])
        self.now += self.takes
        return SimpleNamespace(wait=lambda: self._end(command))

    def _end(self, command: list[str]) -> int:
        if self.interrupts:
            self.interrupts = False
            raise KeyboardInterrupt
        return 7 if self.fails and self.fails in command else 0


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


def main_job(folder: Path, minutes: float = 10, logs: tuple[Path, ...] = (), weights: bool = False) -> job.MainJob:
    return job.MainJob(folder, minutes, logs, None, weights, 0, Console(quiet=True))


def option(line: list[str], name: str) -> str:
    return line[line.index(name) + 1]


def test_from_nothing_games_are_made_and_learned_from_and_two_agents_play_themselves(tmp_path, calls):
    assert main_job(tmp_path).run() == 0
    assert list(steps_in(tmp_path / "steps.tsv")) == ["warmup", "generate", "verify", *AFTER_GAMES]
    lines = dict(zip(steps_in(tmp_path / "steps.tsv"), calls.lines, strict=True))
    assert option(lines["pretrain"], "--logs") == option(lines["generate"], "--out") == "games-400.zip"
    assert "start=weak/agent" in lines["train-weak"] and "start=pretrain/agent" in lines["train"]
    assert "reward.predictor=reward/reward.safetensors" in lines["train"]
    for name, after, before in (
        ("match-weak", "train-weak/agent", "weak/agent"),
        ("match-supervised", "pretrain/agent", "weak/agent"),
        ("match", "train/agent", "pretrain/agent"),
    ):
        assert (option(lines[name], "--challenger"), option(lines[name], "--field")) == (after, before)


def test_logs_are_learned_from_as_they_are(tmp_path, calls):
    logs = (tmp_path / "some logs", tmp_path / "more")
    assert main_job(tmp_path / "run", logs=logs).run() == 0
    assert list(steps_in(tmp_path / "run" / "steps.tsv")) == ["warmup", *AFTER_GAMES]
    given = [calls.lines[1][at + 1] for at, word in enumerate(calls.lines[1]) if word == "--logs"]
    assert given == [str(path) for path in logs]


def test_included_weights_need_no_training_before_selfplay(tmp_path, calls):
    assert main_job(tmp_path, weights=True).run() == 0
    assert list(steps_in(tmp_path / "steps.tsv")) == ["warmup", "train", "match"]
    _, training, match = calls.lines
    assert "start=sl" in training
    assert (option(match, "--challenger"), option(match, "--field")) == ("train/agent", "sl")


@pytest.mark.parametrize("minutes", [6, 10, 60])
def test_the_plan_is_as_long_as_it_may_be(tmp_path, calls, minutes):
    assert sum(job.plan(main_job(tmp_path, minutes).steps, 60 * minutes)) == pytest.approx(60 * minutes)


def test_more_time_means_more_pairs_and_larger_networks(tmp_path, calls):
    sizes, pairs = [], []
    for minutes in (5, 12, 60):
        main_job(tmp_path / str(minutes), minutes).run()
        line = next(line for line in calls.lines if "pretrain" in line[2:])
        calls.lines.clear()
        planned = steps_in(tmp_path / str(minutes) / "steps.tsv")["pretrain"][0].planned
        assert 60 * float(option(line, "--minutes")) == pytest.approx(planned, abs=1)
        sizes.append([word for word in line if word.startswith("size=")])
        pairs.append(sum(int(word.split("=")[1]) for word in line if ".pairs=" in word))
    assert sizes[0] == ["size={filters: 32, blocks: 2}"] and len({str(size) for size in sizes}) == 3
    assert pairs[0] < pairs[1] and all(each > 1.9 * PASS for each in pairs[1:])


def test_after_a_slow_step_the_others_do_less(tmp_path, calls):
    main_job(tmp_path / "quick").run()
    calls.takes = 60.0
    main_job(tmp_path / "slow").run()
    quick, slow = (steps_in(tmp_path / name / "steps.tsv") for name in ("quick", "slow"))
    for step in ("pretrain", "train-weak", "match-weak"):
        assert slow[step][0].planned < 0.8 * quick[step][0].planned


def test_selfplay_at_the_end_is_left_out_where_it_would_only_begin(tmp_path, calls):
    calls.takes = 80.0
    assert main_job(tmp_path).run() == 0
    assert list(steps_in(tmp_path / "steps.tsv"))[-2:] == ["match-supervised", "reward"]
    calls.takes, calls.fails = 56.0, "start=pretrain/agent"
    assert main_job(tmp_path / "begun").run() == 7
    calls.fails = ""  # what was begun goes on, though little time is left
    assert main_job(tmp_path / "begun").run() == 0
    assert list(steps_in(tmp_path / "begun" / "steps.tsv"))[-2:] == ["train", "match"]


def test_a_step_that_fails_ends_it_and_the_same_command_goes_on(tmp_path, calls):
    calls.fails = "train-weak"
    assert main_job(tmp_path).run() == 7
    failed = calls.lines[-1]
    calls.lines.clear()
    calls.fails, calls.takes = "", 1.0
    assert main_job(tmp_path).run() == 0
    assert calls.lines[0] == failed  # with the same settings, so that it resumes
    assert [line[0] for line in calls.lines] == [
        "train",
        "evaluate",
        "pretrain",
        "evaluate",
        "reward",
        "train",
        "evaluate",
    ]
    assert [call.status for call in steps_in(tmp_path / "steps.tsv")["train-weak"]] == [7, 0]


def test_a_failed_step_ends_the_command_with_its_status_and_without_a_report(tmp_path, calls):
    calls.fails = "warmup"
    done = CliRunner().invoke(app, ["quickstart", "--out", str(tmp_path)])
    assert done.exit_code == 7 and not (tmp_path / "report.md").exists()


def test_other_settings_need_another_folder(tmp_path, calls):
    assert main_job(tmp_path).run() == 0
    with pytest.raises(InputError, match="minutes"):
        main_job(tmp_path, 20).run()


def test_an_interrupted_command_is_waited_for(tmp_path, calls):
    calls.interrupts = True
    assert main_job(tmp_path).run() == 0 and not calls.interrupts


@pytest.mark.parametrize("more", [["--logs", "."], ["--games", "3"]])
def test_contradictions_are_refused(tmp_path, calls, more):
    done = CliRunner().invoke(app, ["quickstart", "--weights", *more, "--out", str(tmp_path)])
    assert done.exit_code == 2 and "exclude each other" in done.output
    assert not calls.lines


@pytest.mark.full
def test_the_included_weights_really_play_and_are_measured(tmp_path):
    command = [sys.executable, "-m", "suphx", "quickstart", "--weights", "--minutes", "3", "--out", str(tmp_path)]
    subprocess.run(command, check=True, env=os.environ | {"SUPHX_RUNS": str(tmp_path / "runs")})
    assert f"| {GAINS['match']} | `sl` | `train/agent` |" in (tmp_path / "report.md").read_text()


@pytest.mark.full
def test_what_the_commands_really_leave_in_three_minutes_is_reported_on(tmp_path):
    command = [sys.executable, "-m", "suphx", "quickstart", "--minutes", "3", "--out", str(tmp_path)]
    subprocess.run(command, check=True, env=os.environ | {"SUPHX_RUNS": str(tmp_path / "runs")})
    text = (tmp_path / "report.md").read_text()
    assert all(f"| {words} |" in text for name, words in GAINS.items() if name != "match")
    agent = "train/agent" if (tmp_path / "train").exists() else "pretrain/agent"  # the time may end before
    assert f"suphx web --agent {agent} " in text and (tmp_path / agent).exists()
    assert "| kong |" in text and "The reward predictor\n" in text
    assert (tmp_path / "pictures" / "gain.png").exists()
    assert {call.status for calls in steps_in(tmp_path / "steps.tsv").values() for call in calls} == {0}


def test_help_sets_nothing_up(tmp_path):
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "train.sh"
    script.write_bytes(SCRIPT.read_bytes())
    done = subprocess.run(["bash", str(script), "--help"], capture_output=True, text=True, check=True)
    assert "usage: scripts/train.sh" in done.stdout and "--minutes" in done.stdout and "set -euo" not in done.stdout
