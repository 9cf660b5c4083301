"""Checkpoints: what is in them is whole, or it is said which one to go on from."""

import os
from pathlib import Path

import pytest
import torch

from suphx.checkpoint import TrainingProgress, before_of, load_checkpoint, save_checkpoint
from suphx.errors import InputError

pytestmark = pytest.mark.faults
TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(7), "c": torch.zeros(0, 4, dtype=torch.bfloat16)}


class Counted(TrainingProgress):
    games: int = 0


def saved(folder: Path, *games: int) -> Path:
    path = folder / "checkpoint.safetensors"
    for number in games:
        save_checkpoint(path, Counted(purpose="p", games=number), TENSORS | {"games": torch.tensor([number] * 100)})
    return path


def load(path: Path) -> tuple[Counted, dict[str, torch.Tensor]]:
    found = load_checkpoint(path, "p", Counted)
    assert found is not None
    return found


def test_all_of_it_comes_back(tmp_path):
    progress, tensors = load(saved(tmp_path, 5))
    assert progress.games == 5
    assert all(torch.equal(tensors[name], each) and tensors[name].dtype == each.dtype for name, each in TENSORS.items())


def test_any_flipped_byte_is_found_and_the_one_before_is_offered(tmp_path):
    path = saved(tmp_path, 5, 6)
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(InputError) as caught:
            load(path)
        assert str(path) in str(caught.value)
        assert f"the checkpoint before it is whole; to go on from that, remove {path}" in str(caught.value)
    path.unlink()
    assert load(path)[0].games == 5


def test_without_a_whole_one_before(tmp_path):
    path = saved(tmp_path, 5)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="remove it to start from scratch"):
        load(path)
    saved(tmp_path, 6)  # the damaged one is now the one before
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="so is the one before it; remove both"):
        load(path)


def test_killed_between_two_renames(tmp_path, monkeypatch):
    path = saved(tmp_path, 5)
    replace = os.replace

    def killed(one: Path, other: Path) -> None:
        if Path(other) == path:
            raise KeyboardInterrupt
        replace(one, other)

    monkeypatch.setattr("suphx.checkpoint.os.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        saved(tmp_path, 6)
    assert not path.exists() and before_of(path).exists()
    assert load(path)[0].games == 5
