"""`scripts/train.sh`: its arguments and the order of its steps, with a stand-in for the environment and for `suphx`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "train.sh"
#: Notes how it was called, makes the file that `--out x.zip` names, and fails where FAIL says.
STAND_IN = """#!/bin/sh
echo "$*" >>"$CALLS"
[ "$1" != "${FAIL:-}" ] || exit 7
while [ $# -gt 0 ]; do case $1 in *.zip) touch "$1" ;; esac; shift; done
"""


class Place:
    """A checkout with the script, in which every call of `suphx` is noted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runs, self._calls = folder, folder / "runs", folder / "calls"
        (folder / "scripts").mkdir()
        shutil.copy(SCRIPT, folder / "scripts")
        (folder / "scripts" / "environment.sh").write_text(f"PATH={folder}/bin:$PATH\n")
        (folder / "bin").mkdir()
        (folder / "bin" / "suphx").write_text(STAND_IN)
        (folder / "bin" / "suphx").chmod(0o755)

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        self._calls.unlink(missing_ok=True)
        return subprocess.run(
            ["bash", str(self.folder / "scripts" / "train.sh"), *arguments],
            capture_output=True, text=True, cwd=self.folder,
            env=os.environ | {"SUPHX_RUNS": str(self.runs), "CALLS": str(self._calls)} | variables,
        )  # fmt: skip

    @property
    def calls(self) -> list[str]:
        """How `suphx` was called in the last run."""
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def steps(self, run: str) -> list[list[str]]:
        """The lines of a run's `steps.tsv`."""
        return [line.split("\t") for line in (self.runs / run / "steps.tsv").read_text().splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def kinds(calls: list[str]) -> list[str]:
    return [call.split()[1 if call.startswith("logs") else 0] for call in calls]


def test_from_nothing_games_are_made_learned_from_and_reported_on(place):
    done = place.run()
    assert done.returncode == 0, done.stderr
    order = ["warmup", "generate", "verify", "pretrain", "reward", "train", "evaluate", "report"]
    assert kinds(place.calls) == order
    calls = dict(zip(order, place.calls, strict=True))
    assert "--logs games-1000.zip" in calls["pretrain"] and "--logs games-1000.zip" in calls["reward"]
    assert "--set start=pretrain/agent" in calls["train"]
    assert "--set reward.predictor=reward/reward.safetensors" in calls["train"]
    assert "--challenger pretrain/agent --challenger train/agent --field pretrain/weak" in calls["evaluate"]
    assert [step[0] for step in place.steps("first")] == ["environment", *order[:-1]]
    assert {step[2] for step in place.steps("first")} == {"0"}


def test_logs_are_learned_from_as_they_are(place):
    for name in ("some logs", "more"):
        (place.folder / name).mkdir()
    done = place.run("--logs", "some logs", "--logs", str(place.folder / "more"))
    assert done.returncode == 0, done.stderr
    assert kinds(place.calls) == ["warmup", "pretrain", "reward", "train", "evaluate", "report"]
    both = f"--logs {place.folder}/some logs --logs {place.folder}/more"
    assert both in place.calls[1] and both in place.calls[2]
    assert place.steps("first-logs")[2][3].count(r"some\ logs") == 1  # as a shell takes it


def test_shipped_weights_need_no_training_before_selfplay(place):
    done = place.run("--weights")
    assert done.returncode == 0, done.stderr
    assert kinds(place.calls) == ["warmup", "train", "evaluate", "report"]
    assert "--set start=sl " in place.calls[1] and "reward.predictor" not in place.calls[1]
    assert "--challenger sl --challenger train/agent --field sl-weak" in place.calls[2]
    assert (place.runs / "first-weights").is_dir()


def test_number_of_games_and_folder(place):
    assert place.run("--games", "30", "--out", "here").returncode == 0
    assert "logs generate --games 30 --seed 0 --out games-30.zip" in place.calls
    assert (place.folder / "here" / "steps.tsv").exists()


def test_a_step_that_fails_ends_it_with_its_status_and_the_same_command_goes_on(place):
    assert place.run(FAIL="reward").returncode == 7
    assert kinds(place.calls)[-1] == "reward"
    assert place.steps("first")[-1][::2] == ["reward", "7"]
    assert place.run().returncode == 0
    assert kinds(place.calls) == ["warmup", "verify", "pretrain", "reward", "train", "evaluate", "report"]
    assert [step[0] for step in place.steps("first")].count("environment") == 1


def test_help_sets_nothing_up(place):
    done = place.run("--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: scripts/train.sh")
    assert not place.calls and not place.runs.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["more"], "more: no such argument"),
        (["--logs"], "--logs needs a value"),
        (["--logs", "nowhere"], "there is no nowhere"),
        (["--games", "few"], "few is no number of games"),
        (["--games", "0"], "0 is no number of games"),
        (["--weights", "--games", "3"], "exclude each other"),
        (["--weights", "--logs", "bin"], "exclude each other"),
        (["--logs", "bin", "--games", "3"], "exclude each other"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_done(place, arguments, words):
    done = place.run(*arguments)
    assert done.returncode == 2 and words in done.stderr
    assert not place.calls and not place.runs.exists()
