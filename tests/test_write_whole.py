"""Files that are written whole or not at all, and errors that name what was to be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.files import write_whole


def test_a_file_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    for data in (b"one", b"two"):
        write_whole(path, data)
        assert path.read_bytes() == data
    assert [each.name for each in tmp_path.iterdir()] == ["result.json"]


def full(descriptor: int) -> None:
    """Do as `os.fsync` does on a full disk: the error names no file."""
    raise OSError(28, os.strerror(28))


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("nowhere/result.json", FileNotFoundError),
        ("a file/result.json", NotADirectoryError),
        ("a folder", IsADirectoryError),
    ],
)
def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path, place: str, kind: type[OSError]) -> None:
    (tmp_path / "a file").write_bytes(b"kept")
    (tmp_path / "a folder").mkdir()
    with pytest.raises(kind) as found:
        write_whole(tmp_path / place, b"data")
    assert (found.value.filename, found.value.filename2) == (str(tmp_path / place), None)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a file", "a folder"]


def test_a_full_disk_is_told_with_the_file_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    write_whole(path, b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: .*/result\.json"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1
