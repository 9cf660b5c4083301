"""`suphx match` from end to end."""

from __future__ import annotations

import json
import shlex
import socket
import sys
from pathlib import Path

import pytest
from hosted import BOTS, Client
from typer.testing import CliRunner

from simulator.logs.formats import format_named
from simulator.logs.verify import verify_game
from suphx.cli import app
from suphx.errors import InputError

PYTHON = Path(sys.executable).name
OURS = ("sensible", "random", "tsumogiri")


def command(*words: str) -> str:
    """The command line of one of the bots here."""
    return shlex.join([sys.executable, "-S", str(BOTS / "faulty.py"), *words])


def match(*arguments: str):
    return CliRunner().invoke(app, ["match", *arguments, "--rules", "tenhou_east"])


def test_a_match_in_numbers(tmp_path):
    result = match(command("none", "1"), *OURS, "--games", "4", "--seed", "3", "--logs", str(tmp_path), "--json")
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    assert numbers["complete"] and numbers["games"] == len(numbers["played"]) == 4
    bots = numbers["contestants"]
    assert [each["name"] for each in bots] == [f"{PYTHON} -S faulty.py none 1", *OURS]
    assert all(sum(each["places"]) == 4 and not each["faults"] for each in bots)
    assert sum(each["points"] for each in bots) == pytest.approx(0)
    assert 0 < bots[0]["mean_ms"] <= bots[0]["max_ms"]
    seats = [game["seats"].index(0) for game in numbers["played"]]
    assert seats == [0, 1, 2, 3]
    for game in numbers["played"]:
        assert sorted(game["ranks"]) == [1, 2, 3, 4]
        (log,) = format_named("mjai").read((tmp_path / f"3-000000{game['number']}.jsonl").read_bytes(), "")
        assert verify_game(log).mismatches == []
        assert log.names[seats[game["number"]]] == f"{PYTHON} -S faulty.py none 1"
        assert [log.final_scores[game["seats"].index(bot)] for bot in range(4)] == game["scores"]


def test_a_match_in_words():
    result = match(*OURS, "sensible", "--games", "2")
    assert result.exit_code == 0
    assert "2 games, seed 0" in result.stdout and "sensible" in result.stdout


@pytest.mark.faults
@pytest.mark.parametrize(("options", "status"), [((), 0), (("--strict",), 3)])
def test_faults_are_told_and_the_match_is_complete(options, status):
    result = match(command("illegal", "3"), command("dies", "3"), "sensible", "sensible", "--games", "1", *options)
    assert result.exit_code == status
    assert f"bot 1, {PYTHON} -S faulty.py illegal 3: illegal" in result.stdout and '"9z"' in result.stdout
    assert f"bot 2, {PYTHON} -S faulty.py dies 3: gone: East 1" in result.stdout and "out of luck" in result.stdout


def test_the_time_for_a_decision_is_an_option():
    result = match(command("hangs", "3"), *OURS, "--games", "1", "--timeout", "0.2", "--json")
    (first, *_) = json.loads(result.stdout)["contestants"]
    assert first["faults"] == {"late": 3} and "within 0.2 s" in first["verdict"][0]


def test_a_client_is_waited_for():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    Client(port, "anna", games=2)
    result = match("tcp", *OURS, "--games", "2", "--port", str(port), "--json")
    assert result.exit_code == 0, result.output
    anna = json.loads(result.stdout)["contestants"][0]
    assert anna["name"] == "anna" and anna["faults"] == {}
    assert f"mjsonp://127.0.0.1:{port}/default" in result.stderr


@pytest.mark.parametrize(
    ("bots", "words"),
    [
        (("no-such-thing", *OURS), "no bot 'no-such-thing'"),
        (("sensible|no-such-thing", *OURS), "no bot 'sensible|no-such-thing'"),
        (("adapted:no-such-thing", *OURS), "names no networks of ours"),
        (("no-such-thing " + 300 * "x", *OURS), "no bot 'no-such-thing x"),
        (("", *OURS), "no bot ''"),
        (("bot:", *OURS), "a bot needs a command"),
        ((*OURS, "sensible", "--timeout", "nan"), "at most a day, not nan s"),
        ((*OURS, "sensible", "--timeout", "0"), "above 0"),
        (("tcp", *OURS, "--start-timeout", "0.05", "--port", "0"), "no client has joined"),
    ],
)
def test_what_cannot_be_is_told(bots, words):
    result = match(*bots)
    assert result.exit_code == 1 and isinstance(result.exception, InputError)
    assert words in str(result.exception)


@pytest.mark.parametrize("bots", [OURS, (*OURS, *OURS)])
def test_four_are_needed(bots):
    assert match(*bots).exit_code == 2


def test_logs_are_not_written_over(tmp_path):
    (tmp_path / "0-0000001.jsonl").write_text("kept")
    result = match(*OURS, "sensible", "--games", "2", "--logs", str(tmp_path))
    assert result.exit_code == 1 and "there is a log already" in str(result.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["0-0000001.jsonl"]


@pytest.mark.faults
def test_what_was_played_is_told_where_the_match_breaks_off(monkeypatch, tmp_path):
    """As when the disk is full at the second log."""
    import simulator.files

    written = []

    def write(path, data):
        if written:
            raise OSError(28, "No space left on device", str(path))
        written.append(path)

    monkeypatch.setattr(simulator.files, "write_whole", write)
    result = match(*OURS, "sensible", "--games", "4", "--logs", str(tmp_path), "--json")
    assert result.exit_code == 1 and isinstance(result.exception, OSError)
    numbers = json.loads(result.stdout)
    assert not numbers["complete"] and len(numbers["played"]) == 2
