"""The report says what the files of a run say, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from run_folder import AFTER, BEFORE, DEALS, RESULTS, STEPS, add_match, add_train, make_run
from typer.testing import CliRunner

from suphx.cli import app
from suphx.report.page import GAINS, NO_GAME, _pretrain, write_report
from suphx.selfplay.monitor import MetricWriter


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = make_run(tmp_path_factory.mktemp("whole"))
    write_report(folder)
    return folder, (folder / "report.md").read_text()


def row(text: str, first: str) -> list[str]:
    """Return the cells of the only table row that begins so."""
    found = [line for line in text.splitlines() if line.startswith(f"| {first} ")]
    assert len(found) == 1, (first, found)
    return [cell.strip() for cell in found[0].strip("|").split("|")]


def test_steps_have_their_times_added_up_and_their_commands(whole):
    _, text = whole
    assert row(text, "warmup")[1:] == ["1 min 20 s", "1 min 10 s", "yes", "`suphx warmup`"]
    assert row(text, "pretrain")[1:] == ["2 min 30 s", "2 min 40 s in 2 calls", "yes", f"`{STEPS[2][3]}`"]
    assert row(text, "train")[1] == "" and row(text, "train")[4] == f"`{STEPS[3][3]}`"
    assert "All steps took 7 min 10 s." in text


def test_a_step_that_failed_is_said_to_have(tmp_path):
    folder = make_run(tmp_path)
    with open(folder / "steps.tsv", "a") as file:
        file.write("match\t3\t130\tsuphx evaluate\n")
    write_report(folder)
    assert row((folder / "report.md").read_text(), "match")[3] == "no: exit status 130"


def test_accuracies_are_those_of_the_result(whole):
    _, text = whole
    for model, numbers in json.loads((RESULTS / "pretrain.json").read_text())["models"].items():
        cells = row(text, model)
        assert cells[1].startswith(f"{100 * numbers['accuracy']:.2f} ±")
        assert cells[2] == f"{100 * numbers['commoner_answer']:.2f} %"


def test_a_network_no_better_than_the_commonest_answer_is_named():
    result = json.loads((RESULTS / "pretrain.json").read_text())
    assert not any("No better" in line for line in _pretrain(json.dumps(result)))
    riichi = result["models"]["riichi"]
    riichi["commoner_answer"] = riichi["interval"][0]
    assert _pretrain(json.dumps(result))[-1].endswith("than the commonest answer: *riichi*.")


def test_the_error_of_phi_stands_beside_the_best_simple_predictor(whole):
    _, text = whole
    errors = json.loads((RESULTS / "reward.json").read_text())["evaluation"]["errors"]["all"]
    phi, linear = errors["predictor"]["rmse"], errors["linear by round"]["excess"]
    assert f"its RMSE is {phi['value']:.2f} ({phi['low']:.2f} to {phi['high']:.2f})" in text
    assert (
        f"(*linear by round*) minus Phi's is {linear['value']:.2f} ({linear['low']:.2f} to {linear['high']:.2f})"
        in text
    )


def test_gains_are_the_differences_of_the_matches_the_other_way_round(tmp_path):
    results = [
        add_match(tmp_path / name, rates)
        for name, rates in zip(GAINS, ((0.55, 0.25, 0.15, 0.05), (0.25,) * 4, (0.05, 0.15, 0.25, 0.55)), strict=True)
    ]
    write_report(tmp_path)
    text = (tmp_path / "report.md").read_text()
    for words, result in zip(GAINS.values(), results, strict=True):
        gap = result["differences"][0]["average_rank"]
        low, high = gap["interval"]
        gain = f"{-gap['value']:+.3f} ({-high:+.3f} to {-low:+.3f})"
        assert row(text, words)[1:] == [f"`{BEFORE}`", f"`{AFTER}`", gain, f"{4 * DEALS}"]


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ((0.55, 0.25, 0.15, 0.05), "**became stronger**"),
        ((0.05, 0.15, 0.25, 0.55), "**became weaker**"),
        ((0.25, 0.25, 0.25, 0.25), "**the interval includes zero**"),
    ],
)
def test_a_gain_is_told_only_where_its_interval_is_clear_of_zero(tmp_path, rates, words):
    result = add_match(tmp_path / "match-weak", rates)
    add_train(tmp_path / "train-weak", start="weak/agent", evaluation=None)
    low, high = result["differences"][0]["average_rank"]["interval"]
    assert {"**became stronger**": high < 0, "**became weaker**": low > 0}.get(words, low <= 0 <= high)
    write_report(tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert [word for word in ("**became stronger**", "**became weaker**", "**the interval") if word in text] == [
        words.removesuffix(" includes zero**")
    ]


def test_plots_are_there_and_not_empty(whole):
    folder, text = whole
    shown = [line.split("(")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert shown == ["pictures/gain.png", "pictures/selfplay.png"]
    for path in shown:
        points = matplotlib.image.imread(folder / path)[..., :3].reshape(-1, 3)
        drawn = points[(points < 1).any(1)]
        assert len(drawn) > 0.01 * len(points) and len(np.unique(drawn, axis=0)) > 10


def test_parts_that_are_not_there_are_named_and_left_out(tmp_path):
    add_train(tmp_path / "train", start="sl", evaluation=None)
    write_report(tmp_path)
    text = (tmp_path / "report.md").read_text()
    for words in ("`pretrain/result.json`", "`reward/reward.json`", "`match/result.json`", "there is no `steps.tsv`"):
        assert words in text
    assert "Self-play from `sl`" in text and "learned from 1,600 games" in text
    for words in ("Learning from games", "The reward predictor\n", "average rank", "pretrain/agent", "None"):
        assert words not in text


def test_a_training_without_a_step_has_no_curves_to_draw(tmp_path):
    add_match(tmp_path / "match-weak")
    writer = MetricWriter(tmp_path / "train-weak" / "tensorboard", 0)
    writer.write({"rate/games_per_s": 1.0}, 0)
    writer.close()
    write_report(tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "selfplay.png" not in text and "gain.png" not in text and NO_GAME in text


def test_the_command_prints_where_the_report_is(whole):
    folder, _ = whole
    done = CliRunner().invoke(app, ["report", str(folder)])
    assert (done.exit_code, done.stdout.strip()) == (0, str(folder / "report.md"))


def test_the_same_folder_gives_the_same_report(whole):
    folder, text = whole
    write_report(folder)
    assert (folder / "report.md").read_text() == text


def test_a_training_alone_has_a_report_of_its_own(whole, tmp_path):
    folder = whole[0] / "train"
    done = CliRunner().invoke(app, ["report", str(folder)])
    assert (done.exit_code, done.stdout.strip()) == (0, str(folder / "report.md")), done.output
    text = (folder / "report.md").read_text()
    assert "## Self-play from" in text and "pictures/selfplay.png" in text and (folder / "pictures").is_dir()
    assert len(row(text, "`discard/entropy`")) == 4
