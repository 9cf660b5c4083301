"""What is broken in the folder of a run is an error that names the file, and no report is written."""

from __future__ import annotations

import pytest
from run_folder import add_train, make_run
from torch.utils.tensorboard import SummaryWriter

from suphx.errors import InputError
from suphx.report.page import write_report
from suphx.report.plots import read_curves

pytestmark = pytest.mark.faults


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("steps.tsv", "train\tlong\t0\tsuphx train\n"),
        ("steps.tsv", "train 3 0\n"),
        ("pretrain/result.json", "{"),
        ("pretrain/result.json", '{"about": {}, "models": {}}'),
        ("pretrain/result.json", '{"about": {"data": "logs"}, "models": {"discard": 1}}'),
        ("reward/reward.json", "[]"),
        ("train/agent/agent.json", '{"name": "tiny", "sha256": {}}'),
        ("train/agent/agent.json", '{"name": "tiny", "sha256": {}, "about": {"games": "many", "config": "{}"}}'),
        ("match/result.json", "\x00"),
        ("match-weak/result.json", '{"agents": {}}'),
        ("match-weak/result.json", '{"games": 4, "interrupted": false, "differences": []}'),
    ],
)
def test_a_broken_file_is_named(tmp_path, name, content):
    folder = make_run(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(InputError, match=str(folder / name)):
        write_report(folder)
    assert not (folder / "report.md").exists()


def test_curves_that_are_none_are_named(tmp_path):
    add_train(tmp_path / "train")
    path = next((tmp_path / "train" / "tensorboard").iterdir())
    path.write_bytes(b"no events at all" * 10)
    with pytest.raises(InputError, match=path.name):
        write_report(tmp_path)


def test_a_damaged_curve_is_named_and_one_that_a_kill_cut_off_is_read(tmp_path):
    with SummaryWriter(str(tmp_path)) as board:
        for step in range(5):
            board.add_scalar("loss", step, step)
    path = next(tmp_path.iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    assert [step for step, _ in read_curves(tmp_path)["loss"]] == [0, 1, 2, 3]
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :])
    with pytest.raises(InputError, match=path.name):
        read_curves(tmp_path)


def test_curves_go_on_where_a_run_went_on(tmp_path):
    for number, (start, stop) in enumerate(((0, 6), (4, 8))):
        with SummaryWriter(str(tmp_path), purge_step=start, filename_suffix=f".{number}") as board:
            for step in range(start, stop):
                board.add_scalar("loss", 10 * number + step, step)
    assert read_curves(tmp_path)["loss"] == list(enumerate([0, 1, 2, 3, 14, 15, 16, 17]))


def test_numbers_that_are_none_are_left_out_of_curves(tmp_path):
    with SummaryWriter(str(tmp_path)) as board:
        for step, value in enumerate((1.0, float("nan"), float("inf"), 2.0)):
            board.add_scalar("loss", value, step)
    assert read_curves(tmp_path)["loss"] == [(0, 1), (3, 2)]


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_folder_without_a_run(tmp_path, name):
    with pytest.raises(InputError, match="nothing to report on"):
        write_report(tmp_path / name)
