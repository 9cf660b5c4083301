from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile

import pytest

from simulator.logs import archives
from simulator.logs.archives import open_logs, plain_data, plan, read_chunk
from simulator.logs.model import LogError

LOGS = {f"{number:02d}.mjlog": f"<log {number}/>".encode() for number in range(7)}


def make_zip(path, logs=LOGS) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in logs.items():
            archive.writestr(name, data)


def make_tar(path, mode: str, logs=LOGS) -> None:
    with tarfile.open(path, mode) as archive:
        for name, data in logs.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def contents(*paths) -> list[bytes]:
    found = [data for _, data in open_logs(paths)]
    assert all(isinstance(data, bytes) for data in found), found
    return found


def error(*paths) -> LogError:
    errors = [data for _, data in open_logs(paths) if isinstance(data, LogError)]
    assert len(errors) == 1
    return errors[0]


def test_a_file(tmp_path):
    path = tmp_path / "anything"
    path.write_bytes(b"<log/>")
    assert list(open_logs([path])) == [(str(path), b"<log/>")]


def test_a_folder_is_walked_in_order_and_other_files_are_left_out(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.mjlog").write_bytes(b"two")
    (tmp_path / "a.json").write_bytes(b"one")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b"three"))
    (tmp_path / "README.md").write_bytes(b"no log")
    (tmp_path / ".hidden.json").write_bytes(b"no log")
    assert [plain_data(data) for data in contents(tmp_path)] == [b"one", b"two", b"three"]


def test_a_zip(tmp_path):
    make_zip(tmp_path / "logs.zip", LOGS | {"README.md": b"no log", "folder/": b""})
    assert contents(tmp_path) == list(LOGS.values())
    assert next(open_logs([tmp_path]))[0].endswith("logs.zip/00.mjlog")


@pytest.mark.parametrize(
    ("name", "mode"),
    [("a.tar", "w"), ("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("a.tar.bz2", "w:bz2"), ("a.tar.xz", "w:xz")],
)
def test_a_tar(tmp_path, name, mode):
    make_tar(tmp_path / name, mode)
    assert contents(tmp_path / name) == list(LOGS.values())


def test_a_zip_is_split_into_chunks_that_together_are_the_whole(tmp_path):
    make_zip(tmp_path / "logs.zip")
    chunks = plan([tmp_path], members=3)
    assert [(chunk.start, chunk.stop) for chunk in chunks] == [(0, 3), (3, 6), (6, 7)]
    assert [data for chunk in chunks for _, data in read_chunk(chunk)] == list(LOGS.values())


def test_a_missing_path(tmp_path):
    assert "No such file" in str(error(tmp_path / "missing.mjlog"))


def test_an_unreadable_file_does_not_stop_the_others(tmp_path):
    (tmp_path / "a.mjlog").write_bytes(b"one")
    found = list(open_logs([tmp_path / "missing", tmp_path / "a.mjlog"]))
    assert isinstance(found[0][1], LogError)
    assert found[1][1] == b"one"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "a.mjlog"
    path.write_bytes(b"one")
    path.chmod(0)
    assert "Permission denied" in str(error(path))


def test_a_file_that_vanishes_after_the_plan(tmp_path):
    path = tmp_path / "a.mjlog"
    path.write_bytes(b"one")
    (chunk,) = plan([path])
    path.unlink()
    ((_, found),) = read_chunk(chunk)
    assert "No such file" in str(found)


def test_a_folder_and_an_archive_without_logs(tmp_path):
    (tmp_path / "empty").mkdir()
    assert "without logs" in str(error(tmp_path / "empty"))
    make_zip(tmp_path / "logs.zip", {})
    assert "without logs" in str(error(tmp_path / "logs.zip"))
    make_tar(tmp_path / "logs.tar", "w", {"README.md": b""})
    assert "without logs" in str(error(tmp_path / "logs.tar"))


@pytest.mark.faults
@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.xz"])
def test_a_broken_archive(tmp_path, name):
    (make_zip(tmp_path / name) if name == "a.zip" else make_tar(tmp_path / name, "w:" + name[6:]))
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    assert any(isinstance(found, LogError) for _, found in open_logs([tmp_path / name]))


@pytest.mark.faults
def test_a_member_with_a_wrong_checksum_does_not_stop_the_others(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, data in LOGS.items():
            archive.writestr(name, data)
    data = (tmp_path / "a.zip").read_bytes().replace(b"<log 3/>", b"<log X/>")
    (tmp_path / "a.zip").write_bytes(data)
    found = [isinstance(data, bytes) for _, data in open_logs([tmp_path / "a.zip"])]
    assert found == [True, True, True, False, True, True, True]


@pytest.mark.faults
@pytest.mark.parametrize(
    ("packing", "head"),
    [(zipfile.ZIP_DEFLATED, 0), (zipfile.ZIP_BZIP2, 0), (zipfile.ZIP_LZMA, 0), (zipfile.ZIP_LZMA, 9)],
)
def test_a_broken_member_does_not_stop_the_others_however_it_is_packed(tmp_path, packing, head):
    """head: bytes before the data that say how it was packed."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in LOGS.items():
            archive.writestr(name, data)
        broken = archive.getinfo("03.mjlog")
    data = bytearray(path.read_bytes())
    start = broken.header_offset + 30 + len(broken.filename)
    data[start + head : start + broken.compress_size] = b"\xff" * (broken.compress_size - head)
    path.write_bytes(data)
    found = [data for _, data in open_logs([path])]
    assert [isinstance(each, bytes) for each in found] == [True, True, True, False, True, True, True]
    assert "a.zip/03.mjlog" in str(found[3])


@pytest.mark.faults
def test_a_zip_of_a_later_version_does_not_stop_the_others(tmp_path):
    make_zip(tmp_path / "a.zip")
    data = bytearray((tmp_path / "a.zip").read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 99  # the version needed to unpack the first member, times ten
    (tmp_path / "a.zip").write_bytes(data)
    (tmp_path / "b.mjlog").write_bytes(b"<log/>")
    broken, fine = (found for _, found in open_logs([tmp_path]))
    assert "not a readable zip archive: zip file version 9.9" in str(broken)
    assert fine == b"<log/>"


@pytest.mark.faults
def test_a_zip_bomb_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 1 << 16)
    make_zip(tmp_path / "a.zip", {"bomb.json": b"0" * (1 << 24), "fine.json": b"{}"})
    bomb, fine = (data for _, data in open_logs([tmp_path / "a.zip"]))
    assert "larger than a log may be" in str(bomb)
    assert fine == b"{}"


@pytest.mark.faults
def test_a_zip_of_many_bombs_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 1 << 20)
    make_zip(tmp_path / "a.zip", {f"{number}.json": b"0" * (1 << 19) for number in range(100)})
    found = [data for _, data in open_logs([tmp_path / "a.zip"])]
    assert isinstance(found[-1], LogError)
    assert len(found) < 100


@pytest.mark.faults
def test_a_tar_bomb_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 1 << 16)
    make_tar(tmp_path / "a.tar.gz", "w:gz", {"bomb.json": b"0" * (1 << 24)})
    assert "times its size" in str(error(tmp_path / "a.tar.gz"))


@pytest.mark.faults
def test_a_gzip_bomb_is_stopped():
    with pytest.raises(LogError, match="unpacks to more than"):
        plain_data(gzip.compress(b"0" * (1 << 22)), limit=1 << 20)


@pytest.mark.faults
def test_broken_gzip():
    data = gzip.compress(b"<log/>")
    for broken in (data[:-5], data[:12], data[:10] + b"\xff" * 20, data + b"junk"):
        with pytest.raises(LogError, match="gzip"):
            plain_data(broken)


@pytest.mark.faults
def test_an_archive_inside_an_archive_is_named(tmp_path):
    make_zip(tmp_path / "inner.zip")
    make_zip(tmp_path / "a.zip", {"inner.zip": (tmp_path / "inner.zip").read_bytes(), "b.json": b"{}"})
    found = [data for _, data in open_logs([tmp_path / "a.zip"])]
    assert "inside an archive" in str(found[0])
    assert found[1] == b"{}"


def test_a_gzip_of_many_empty_members_takes_linear_time():
    assert plain_data(gzip.compress(b"") * 20_000 + gzip.compress(b"log")) == b"log"


def test_the_names_of_members_cannot_rule_the_terminal(tmp_path):
    make_zip(tmp_path / "logs.zip", {"\x1b[2Jred.mjlog": b"<log/>"})
    ((source, _),) = open_logs([tmp_path])
    assert source.endswith("\\x1b[2Jred.mjlog")


def test_an_archive_with_files_but_no_logs_is_an_error(tmp_path):
    make_zip(tmp_path / "logs.zip", {"README.md": b"no log"})
    assert "without logs" in str(error(tmp_path / "logs.zip"))
