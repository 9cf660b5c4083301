"""`suphx review` from the command line: every format, viewer addresses, and files that are none."""

from __future__ import annotations

import json
import sys
import zipfile

import pytest
from reviewed_game import LOG, everything

import suphx.review.logs
from simulator.logs.formats import FORMATS
from suphx import cli
from suphx.review.document import Review


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suphx.review.logs, "TENHOU", "http://127.0.0.1:1")  # where nobody answers
    return tmp_path


def run(monkeypatch, capsys, *arguments) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["suphx", "review", *map(str, arguments)])
    try:
        cli.main()
        status = 0
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_every_format_is_reviewed_alike(name, here, monkeypatch, capsys):
    log = next(each for each in FORMATS if each.name == name)
    (here / f"game{log.suffix}").write_bytes(log.write(everything()))
    status, _, _ = run(monkeypatch, capsys, f"game{log.suffix}", "--seat", 1)
    assert status == 0
    assert (here / "game.html").read_bytes().startswith(b"<!DOCTYPE html>")


def test_json_is_the_review_and_writes_no_page(here, monkeypatch, capsys):
    status, out, _ = run(monkeypatch, capsys, LOG, "--player", "random", "--json")
    assert status == 0
    review = Review.model_validate_json(out)
    assert [each.seat for each in review.seats] == [3]
    assert review.source == LOG.name
    assert list(here.iterdir()) == []


def test_a_viewer_address_means_the_file_at_hand_and_its_seat(here, monkeypatch, capsys):
    log = "2019010100gm-00a9-0000-0123abcd"
    (here / f"{log}.mjlog").write_bytes(LOG.read_bytes())
    _, out, _ = run(monkeypatch, capsys, f"https://tenhou.net/0/?log={log}&tw=2", "--json")
    assert [each["seat"] for each in json.loads(out)["seats"]] == [2]
    (here / f"{log}.html").touch()  # a page that was written before is not taken for the log
    status, _, _ = run(monkeypatch, capsys, f"https://tenhou.net/0/?log={log}&tw=2", "--json")
    assert status == 0
    (here / "logs").mkdir()
    (here / f"{log}.mjlog").rename(here / "logs" / f"{log}.mjlog")
    status, _, error = run(monkeypatch, capsys, f"http://tenhou.net/0/?log={log}")
    assert status == 1 and log in error and "--logs" in error
    status, _, _ = run(monkeypatch, capsys, f"http://tenhou.net/0/?log={log}", "--logs", "logs", "--seat", 0)
    assert status == 0


def test_an_address_that_holds_the_game_is_read(here, monkeypatch, capsys):
    (tenhou6,) = [each for each in FORMATS if each.name == "tenhou6"]
    address = "https://tenhou.net/6/#json=" + tenhou6.write(everything()).decode()
    status, out, _ = run(monkeypatch, capsys, address, "--seat", 0, "--json")
    assert status == 0
    assert len(json.loads(out)["rounds"]) == len(everything().rounds)


@pytest.mark.faults
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.mjlog"], "missing.mjlog: No such file"),
        (["text.txt"], "text.txt: not a game log"),
        (["cut.mjlog"], "cut.mjlog: "),
        (["game.mjlog", "--game", "2"], "game.mjlog: there is no game 2; it has 1"),
        (["game.mjlog", "--player", "Nobody"], "no player 'Nobody'"),
        (["game.mjlog", "--agent", "sensible"], "sensible cannot review"),
        (["game.mjlog", "--seat", "1", "--player", "random"], "use one of them"),
        (["game.mjlog", "--out", "./game.mjlog"], "--out game.mjlog: the page would replace the log"),
        (["moved.mjlog"], "moved.mjlog: East 1, event"),
    ],
)
def test_what_cannot_be_reviewed_is_an_error_and_leaves_no_file(arguments, said, here, monkeypatch, capsys):
    data = LOG.read_bytes()
    (here / "text.txt").write_text("hello")
    (here / "cut.mjlog").write_bytes(data[:200])
    (here / "game.mjlog").write_bytes(data)
    assert b"<D33/>" in data
    (here / "moved.mjlog").write_bytes(data.replace(b"<D33/>", b"<D34/>", 1))
    before = sorted(here.iterdir())
    status, _, error = run(monkeypatch, capsys, *arguments)
    assert status == 1
    assert said in error and "Traceback" not in error
    assert sorted(here.iterdir()) == before


@pytest.mark.faults
def test_names_of_a_log_are_made_fit_to_be_shown(here, monkeypatch, capsys):
    game = json.loads(next(each for each in FORMATS if each.name == "tenhou6").write(everything()))
    game["name"] = ["\x00", "a" * 1000, "\u202eabc", "日本"]
    (here / "game.json").write_text(json.dumps(game))
    status, out, _ = run(monkeypatch, capsys, "game.json", "--seat", 0, "--json")
    assert status == 0
    names = json.loads(out)["names"]
    assert names[0] == "" and len(names[1]) == 200 and names[2:] == ["abc", "日本"]


def test_several_files_and_archives_give_a_page_of_each_game(here, monkeypatch, capsys):
    data = LOG.read_bytes()
    with zipfile.ZipFile(here / "two.zip", "w") as archive:
        archive.writestr("a.mjlog", data)
        archive.writestr("b.mjlog", data)
    (here / "c.mjlog").write_bytes(data)
    (here / "junk.mjlog").write_bytes(b"junk")
    (here / "pages").mkdir()
    status, out, error = run(monkeypatch, capsys, "two.zip", "junk.mjlog", "c.mjlog", "--seat", 0, "--out", "pages")
    assert status == 1 and "junk.mjlog: not a game log" in error
    assert sorted(each.name for each in (here / "pages").iterdir()) == ["a.html", "b.html", "c.html"]
    assert out.count(".html") == 3
    status, out, _ = run(monkeypatch, capsys, "two.zip", "c.mjlog", "--seat", 0, "--game", 1, "--json")
    assert status == 0
    assert [json.loads(line)["source"] for line in out.splitlines()] == ["a.mjlog", "c.mjlog"]
    status, _, error = run(monkeypatch, capsys, "two.zip", "--seat", 0, "--out", "one.html")
    assert status == 1 and "a page holds one game" in error


def test_an_id_alone_is_as_good_as_its_address(here, monkeypatch, capsys):
    log = "2019010100gm-00a9-0000-0123abcd"
    (here / f"{log}.mjlog").write_bytes(LOG.read_bytes())
    status, out, _ = run(monkeypatch, capsys, log, "--seat", 3, "--json")
    assert status == 0 and json.loads(out)["source"] == f"{log}.mjlog"
    status, _, error = run(monkeypatch, capsys, "https://example.org/game/7")
    assert status == 1 and "not an address of a game" in error
