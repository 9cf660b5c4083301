"""The curves of several trainings in one picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from typer.testing import CliRunner

from suphx.cli import app
from suphx.report import plots
from suphx.selfplay.monitor import MetricWriter


@pytest.fixture
def trainings(tmp_path: Path) -> list[Path]:
    """Two trainings; the second one has a critic, and no oracle was ever shown anything."""
    found = [tmp_path / "rl-basic-1", tmp_path / "rl-1-1"]
    for number, folder in enumerate(found):
        board = MetricWriter(folder / "tensorboard", 0)
        for games in range(100, 1100, 100):
            figures = {"discard/kl_reference": games / 1e4, "discard/entropy": 0.75 - number / 4, "play/gamma": 0.0}
            board.write(figures | ({"critic/explained_variance": 0.125} if number else {}), games)
        board.close()
    return found


def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    figures: list[Figure] = []
    write = plots.write_figure
    monkeypatch.setattr(plots, "write_figure", lambda path, figure: (figures.append(figure), write(path, figure)))
    return figures


def report(*words: object):
    return CliRunner().invoke(app, ["report", *map(str, words)])


def test_each_panel_has_a_line_of_each_training_that_has_the_curve(trainings, tmp_path, monkeypatch):
    figures = drawn(monkeypatch)
    done = report(*trainings, "--curves", tmp_path / "curves.png")
    assert done.exit_code == 0, done.output
    assert imread(tmp_path / "curves.png").shape[1] > 500
    panels = {axes.get_title(): axes for axes in figures[0].axes if axes.get_title()}
    assert sorted(title.split()[0] for title in panels) == ["KL", "entropy", "variance"]
    lines = {
        title: dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True)) for title, axes in panels.items()
    }
    assert set(lines["entropy (nats)"]) == {"rl-basic-1", "rl-1-1"}
    assert lines["entropy (nats)"]["rl-1-1"].get_ydata()[-1] == pytest.approx(0.5)
    assert lines["KL from the start (nats)"]["rl-basic-1"].get_xdata()[-1] == 1000
    assert set(lines["variance of the rewards that the critic explains"]) == {"rl-1-1"}
    (legend,) = figures[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["rl-basic-1", "rl-1-1"]


def test_trainings_of_one_name_are_told_apart_by_their_folders(trainings, tmp_path, monkeypatch):
    figures = drawn(monkeypatch)
    other = tmp_path / "again" / trainings[0].name
    other.parent.mkdir()
    trainings[1].rename(other)
    assert report(trainings[0], other, "--curves", tmp_path / "curves.svg").exit_code == 0
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == [str(trainings[0]), str(other)]


def test_what_cannot_be_drawn_is_said(trainings, tmp_path):
    empty = tmp_path / "empty"
    for words, said in (
        ([trainings[0], empty, "--curves", tmp_path / "a.png"], f"{empty}: no curves"),
        ([trainings[0], "--curves", tmp_path / "a.txt"], "a picture is a .png or an .svg"),
        (trainings, "--curves for several"),
    ):
        done = report(*words)
        assert done.exit_code != 0
        assert said in f"{done.output}{done.exception}".replace("\n", "")
    assert not list(tmp_path.glob("a.*"))


def test_a_folder_of_other_curves_is_said_to_have_none_of_self_play(tmp_path):
    board = MetricWriter(tmp_path / "run" / "tensorboard", 0)
    board.write({"discard/validation_accuracy": 0.5}, 10)
    board.close()
    done = report(tmp_path / "run", "--curves", tmp_path / "a.png")
    assert done.exit_code != 0
    assert "no curves of a training by self-play" in f"{done.output}{done.exception}"
