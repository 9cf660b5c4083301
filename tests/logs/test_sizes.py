"""Reading takes time and memory that grow with the file, and never more than 512 MB, whatever the file contains."""

import bz2
import gc
import gzip
import json
import lzma
import tarfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.logs import mjlog
from simulator.logs.archives import MAX_GAME_BYTES, MAX_LOG_BYTES, open_logs, plain_data
from simulator.logs.formats import FORMATS, read_log
from simulator.logs.generate import generate_games
from simulator.logs.model import LogError

pytestmark = pytest.mark.faults

MOST = 512 << 20

ROUND = next(generate_games(1, seed=1))
ROUND.rounds, ROUND.final_scores, ROUND.final_points = ROUND.rounds[:1], None, None
GAMES = {kind.name: kind.write(ROUND).strip() for kind in FORMATS}
EVENTS = GAMES["mjai"].splitlines(keepends=True)
#: A round of mjai with as little in it as possible.
SHORT = b"".join([EVENTS[1], b'{"type":"ryukyoku"}\n{"type":"end_kyoku"}\n'])
TENHOU6 = json.loads(GAMES["tenhou6"])
TENHOU6["log"][0][2:4], TENHOU6["log"][0][16] = [[11], []], ["流局"]
for column in (5, 6, 8, 9, 11, 12, 14, 15):
    TENHOU6["log"][0][column] = [] if column > 5 else TENHOU6["log"][0][column][:1]
PART = json.dumps(TENHOU6["log"][0], separators=(",", ":"), ensure_ascii=False).encode()
SOUL = json.dumps([each["result"] for each in json.loads(GAMES["mahjong_soul"])["data"]["data"]["actions"]]).encode()
SOUL_ROUND = SOUL[1:-1]
XML = GAMES["mjlog"].removesuffix(b"</mjloggm>")


def repeated(start: bytes, part: bytes, end: bytes = b"") -> Callable[[int], bytes]:
    """Return a function that makes a file of some size: start, as many parts as fit, end."""
    return lambda size: start + part * ((size - len(start) - len(end)) // len(part)) + end


FILES = {
    "games of mjai": repeated(b"", GAMES["mjai"] + b"\n"),
    "rounds of mjai": repeated(EVENTS[0], SHORT),
    "games of one round of mjai": repeated(b"", b'{"type":"start_game"}\n' + SHORT),
    "events of mjai that say nothing": repeated(EVENTS[0] + SHORT, b'{"type":"none"}\n'),
    "events of mjai that follow nothing": repeated(EVENTS[0], b'{"type":"dora"}\n'),
    "lists in an event of mjai": repeated(b'{"type":"none","x":[[]', b",[]", b"]}"),
    "a list of mjai": repeated(b'[{"type":"none"}', b',{"type":"x"}', b"]"),
    "lists of events": repeated(b'[{"type":"none"}]\n', b'[{"type":"x"},[]]\n'),
    "games of Tenhou's JSON": repeated(b"", GAMES["tenhou6"] + b"\n"),
    "short games of Tenhou's JSON": repeated(b"", b'{"log":[' + PART + b"]}\n"),
    "rounds of Tenhou's JSON": repeated(b'{"log":[' + PART, b"," + PART, b"]}"),
    "lists in Tenhou's JSON": repeated(b'{"x":[[]', b",[]", b'],"log":[]}'),
    "rounds of mjlog": repeated(XML[: XML.index(b"<INIT")], XML[XML.index(b"<INIT") :], b"</mjloggm>"),
    "moves of mjlog": repeated(XML, b"<T1/>", b"</mjloggm>"),
    "rounds of mjx": repeated(b"", GAMES["mjx"] + b"\n"),
    "events of mjx": repeated(b'{"publicObservation":{"events":[{}', b",{}", b"]}}"),
    "rounds of Mahjong Soul": repeated(SOUL[:-1], b"," + SOUL_ROUND, b"]"),
    "records of Mahjong Soul that say nothing": repeated(b'{"head":{},"data":[{}', b',{"type":2}', b"]}"),
    "players of mjlog": repeated(XML, b'<UN n0="" n1="" n2="" n3=""/>', b"</mjloggm>"),
}


def read(data: bytes) -> str:
    try:
        return f"{len(read_log(data, 'file'))} games"
    except LogError as error:
        return str(error)


def peak(data: bytes) -> int:
    """Return how many bytes reading a file takes at the most, the file included."""
    tracemalloc.start()
    try:
        read(data)
        return tracemalloc.get_traced_memory()[1] + len(data)
    finally:
        tracemalloc.stop()


def taken(data: bytes) -> float:
    """Return the CPU seconds of a reading, without collections of what other tests have left in memory."""
    gc.freeze()  # to collect it first would take a second each time
    try:
        began = time.process_time()
        read(data)
        return time.process_time() - began
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("name", FILES)
def test_time_is_linear(name):
    """Eight times as much takes nowhere near 64 times as long, with some time for what does not grow."""
    small, large = (FILES[name](size) for size in (1 << 15, 1 << 18))
    most = 24 * min(taken(small) for _ in range(3)) + 0.15
    assert any(taken(large) < most for _ in range(3))  # once, unless something else has held it up


@pytest.mark.parametrize("name", FILES)
def test_memory_is_linear(name):
    data = FILES[name](1 << 17)
    assert peak(data) < 40 * len(data)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("a list of mjai", MAX_GAME_BYTES),
        ("events of mjai that follow nothing", MAX_GAME_BYTES),
        ("rounds of Tenhou's JSON", MAX_GAME_BYTES),
        ("players of mjlog", mjlog.MAX_BYTES),
        ("events of mjai that say nothing", MAX_LOG_BYTES),
        ("games of one round of mjai", MAX_LOG_BYTES),
        ("short games of Tenhou's JSON", MAX_LOG_BYTES),
    ],
)
def test_memory_is_bounded(name, size):
    """The files that take the most, as large as may be."""
    assert peak(FILES[name](size)) < MOST


@pytest.mark.parametrize("kind", ["mjai", "tenhou6"])
def test_a_game_is_bounded(kind, monkeypatch):
    """More than a game may have is an error that says so, before it is taken apart."""
    data = {"mjai": FILES["lists in an event of mjai"], "tenhou6": FILES["lists in Tenhou's JSON"]}[kind]
    assert "more than 8,388,608 bytes" in read(data(MAX_GAME_BYTES + 100))
    monkeypatch.setattr(f"simulator.logs.{kind}.MAX_ROUNDS", 10)
    rounds = {"mjai": FILES["rounds of mjai"], "tenhou6": FILES["short games of Tenhou's JSON"]}[kind]
    assert "more than 10 rounds" in read(rounds(1 << 14))


def test_a_gzip_of_many_empty_members_takes_linear_time():
    began = time.process_time()
    assert plain_data(gzip.compress(b"") * 200_000 + gzip.compress(b"log")) == b"log"
    assert time.process_time() - began < 10  # 0.2 s; what follows a member was copied for each: minutes


def tar_of(count: int) -> bytes:
    """Return a tar of empty logs, without its end."""
    return b"".join(tarfile.TarInfo(f"{number}.mjlog").tobuf(tarfile.GNU_FORMAT) for number in range(count))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_tar_of_many_empty_parts_takes_linear_time(compress: Callable[[bytes], bytes], tmp_path: Path):
    path = tmp_path / "logs.tar.gz"
    path.write_bytes(compress(tar_of(3)) + compress(b"") * 100_000 + compress(bytes(1024)))
    began = time.process_time()
    assert [data for _, data in open_logs([path])] == [b""] * 3
    assert time.process_time() - began < 10  # 0.8 s


def test_the_headers_of_a_tar_are_not_kept(tmp_path: Path):
    path = tmp_path / "logs.tar.gz"
    path.write_bytes(gzip.compress(tar_of(20_000) + bytes(1024)))
    tracemalloc.start()
    try:
        assert sum(data == b"" for _, data in open_logs([path])) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 4 << 20  # 20 MB, were they kept
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_name_in_a_tar_is_bounded(kind: bytes, tmp_path: Path):
    path = tmp_path / "logs.tar.gz"
    header = tarfile.TarInfo("name")
    header.type, header.size = kind, 2 << 20
    path.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(2 << 20)))
    ((_, error),) = open_logs([path])
    assert "a header of more than 1,048,576 bytes" in str(error)


def test_what_follows_a_gzip_is_not_ignored():
    assert plain_data(gzip.compress(b"log") + b"\0\0") == b"log"
    for rest in (b"\0x", b"x"):
        with pytest.raises(LogError, match="gzip"):
            plain_data(gzip.compress(b"log") + rest)
