"""The weights that come with the package: they load, they play, and they answer as well as their card says."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suphx.agent.registry import INCLUDED, weights_folder
from suphx.cli import app
from suphx.evaluation.arena import MatchTerms
from suphx.evaluation.match import play_match
from suphx.evaluation.protocol import one_against_three
from suphx.evaluation.statistics import summary
from suphx.networks.weights import load_card
from suphx.supervised.results import PAPER

MOST_BYTES = 26_000_000


def test_they_are_small() -> None:
    folder = weights_folder("sl").parent
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= MOST_BYTES


@pytest.mark.parametrize("name", INCLUDED)
def test_their_cards_say_where_they_come_from(name: str) -> None:
    about = load_card(weights_folder(name)).about
    made = ("suphx pretrain configs/tenhou", "suphx pretrain configs/tuned", "suphx pretrain configs/experiments/large")
    assert about["command"].startswith((*made, "none: its networks are those of"))
    assert "phoenix-hanchan-2024.zip" in about["data"]


@pytest.mark.full
def test_they_beat_random_players() -> None:
    outcome = play_match(one_against_three(["sl"], ["random"]), MatchTerms(), 5)
    found = summary(outcome.results.units(0))
    assert found["average_rank"]["value"] < 1.3


@pytest.mark.parametrize("archive", ["phoenix-hanchan-2018.zip", "phoenix-hanchan-2024.zip"])
def test_on_real_games_held_out_they_answer_as_their_results_say(real_logs: Path, tmp_path: Path, archive: str) -> None:
    logs = tmp_path / archive
    with zipfile.ZipFile(real_logs / archive) as whole, zipfile.ZipFile(logs, "w") as part:
        for name in sorted(whole.namelist())[:240]:
            part.writestr(name, whole.read(name))
    command = ["accuracy", "--logs", str(logs), "--json", "--pairs", "4000", "--threads", "1"]
    found = CliRunner().invoke(app, command, env={"SUPHX_RUNS": str(tmp_path / "runs")})
    assert found.exit_code == 0, found.output
    numbers = json.loads(found.stdout)
    said = json.loads((Path(__file__).parents[2] / "docs" / "results" / "pretrain.json").read_text())["models"]
    assert list(numbers) == list(PAPER)
    for model, found_here in numbers.items():
        low, high = found_here["interval"]
        margin = (high - low) / 2  # twice the interval: one of ten comparisons may well be outside of it
        assert low - margin <= said[model]["by_archive"][archive]["accuracy"] <= high + margin, model
