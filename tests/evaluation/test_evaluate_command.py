from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from suphx.cli import main

SMALL = ["--games", "80", "--seed", "3", "--threads", "1"]


def run(arguments: list[str], monkeypatch: pytest.MonkeyPatch, command: str = "evaluate") -> int:
    monkeypatch.setattr("sys.argv", ["suphx", command, *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def test_two_challengers_are_measured_compared_drawn_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        *("--challenger", "sensible", "--challenger", "never_folds", "--field", "random", "--json", *SMALL),
        *("--out", str(tmp_path / "match"), "--logs", "--plots", str(tmp_path / "plots")),
    ]
    assert run(arguments, monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 160 and found["deals"] == 20 and found["played_now"] == 160
    assert set(found["agents"]) == {"sensible", "never_folds"}
    assert found["agents"]["sensible"]["games"] == 80
    (difference,) = found["differences"]
    assert (difference["agent"], difference["against"]) == ("never_folds", "sensible")
    assert json.loads((tmp_path / "match" / "result.json").read_text()) == found
    assert len(list((tmp_path / "match" / "logs").rglob("*.mjlog"))) == 160
    assert {path.name for path in (tmp_path / "plots").iterdir()} >= {"ranks.png", "running.png", "stable-rank.png"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in (tmp_path / "plots").iterdir())

    assert run(arguments, monkeypatch) == 0  # the same command goes on, here with nothing left to play
    again = json.loads(capsys.readouterr().out)
    assert again["played_now"] == 0 and again["agents"] == found["agents"]


def test_a_round_robin_prints_every_agent_and_every_difference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["sensible", "never_calls", "tsumogiri"]
    arguments = [word for name in names for word in ("--challenger", name)]
    assert run([*arguments, "--protocol", "round-robin", "--games", "12", "--threads", "1"], monkeypatch) == 0
    text = capsys.readouterr().out
    assert "average rank" in text
    assert all(f"{a} minus {b}" in text for a, b in (names[:2], names[1:], (names[0], names[2])))


def test_an_agent_against_two_of_itself_is_even(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--challenger", "sensible", "--field", "sensible", "--json", *SMALL], monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["agents"]["sensible"]["average_rank"]["value"] == 2.5


def test_games_are_whole_deals(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    two_two = ["--protocol", "two-two", "--games", "14", "--challenger", "sensible", "--field", "tsumogiri", "--json"]
    assert run(two_two, monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["deals"], found["games"]) == (3, 18)


def test_the_logs_of_a_match_say_what_the_match_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Logs are read and replayed by other code than counts a game as it is played."""
    arguments = ["--challenger", "sensible", "--field", "random", "--out", str(tmp_path), "--logs", "--json", *SMALL]
    assert run(arguments, monkeypatch) == 0
    played = json.loads(capsys.readouterr().out)["agents"]["sensible"]
    monkeypatch.setattr(
        "sys.argv",
        ["suphx", "logs", "stats", str(tmp_path / "logs"), "--player", "sensible", "--workers", "1", "--json"],
    )
    with pytest.raises(SystemExit):
        main()
    logged = json.loads(capsys.readouterr().out)["agents"]["sensible"]
    values = {name: number["value"] for name, number in played.items() if isinstance(number, dict)}
    assert values == {name: logged[name]["value"] for name in values}
    assert logged["games"] == played["games"] == 80


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["--games", "4"], 1, "two deals at least, of 4 games each; --games 8 is the least"),
        (["--games", "999999999999"], 1, "--games 10000000 is the most"),
        (["--protocol", "three-one"], 1, "none of one-three"),
        (["--protocol", "two-two", "--field", "a", "--field", "b", "--field", "c"], 1, "two-two: it takes one"),
        (["--logs"], 2, "--out"),
        (["--challenger", "nobody", "--games", "8"], 1, "no agent 'nobody'"),
        (["--field", "sensible", "--field", "random"], 1, "a field of 2"),
        (["--timeout", "5"], 2, "no bot plays"),
        (["--challenger", "bot:true", "--timeout", "0"], 1, "a bot's time must be above 0"),
        (["--until", "tomorrow"], 1, "no stopping rule"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    arguments: list[str], status: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(["--challenger", "sensible", *arguments] if "nobody" not in arguments else arguments, monkeypatch) == status
    )
    assert words in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_another_match_in_the_same_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--challenger", "sensible", "--field", "tsumogiri", "--games", "8", "--out", str(tmp_path)]
    assert run(arguments, monkeypatch) == 0
    assert run([*arguments, "--seed", "1"], monkeypatch) == 1
    assert "another match" in capsys.readouterr().err


def test_few_deals_are_told_and_get_no_p(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--challenger", "sensible", "--challenger", "tsumogiri", "--threads", "1", "--json"]
    for deals in (19, 20):
        assert run([*few, "--games", str(4 * deals)], monkeypatch) == 0
        told = capsys.readouterr()
        (difference,) = json.loads(told.out)["differences"]
        assert (difference["average_rank"]["p"] is None) == ("only 19 deals" in told.err) == (deals < 20)


def test_progress_is_told_in_lines_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("suphx.progress.LINE_SECONDS", 0.0)
    assert run(["--challenger", "sensible", "--field", "tsumogiri", *SMALL], monkeypatch) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("playing: 1 of 80, ") and all(lines)  # an empty one is of a bar


def measured(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str = "evaluate"
) -> dict[str, Any]:
    assert run([*arguments, "--json"], monkeypatch, command) == 0
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.full
def test_agents_measured_one_by_one_are_compared_as_if_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = "sensible", "never_folds", "never_calls"
    field = ["--field", "tsumogiri", *SMALL]
    names = ["--challenger", first, "--challenger", second, "--challenger", third]
    at_once = measured([*names, *field], monkeypatch, capsys)

    both, last = str(tmp_path / "both"), str(tmp_path / "last")
    measured([*names[:4], *field, "--out", both], monkeypatch, capsys)
    measured([*names[4:], *field, "--games", "160", "--out", last], monkeypatch, capsys)
    of_all = [both, f"{last}/counts.safetensors"]  # of more deals those are compared that all have played
    files = [
        *("--plots", str(tmp_path / "plots"), "--csv", str(tmp_path / "numbers.csv")),
        *("--tensorboard", str(tmp_path / "board"), "--career", "--prizes", "3,1,-1,-3"),
    ]
    found = measured([*of_all, *files], monkeypatch, capsys, "compare")
    assert found["challengers"] == [first, second, third] == list(found["career"])
    assert found["games"] == 240 and found["deals"] == 20 and found["seed"] == 3
    assert found["agents"][first]["prize"]["value"] > 0
    assert (tmp_path / "plots" / "stable-rank.png").read_bytes().startswith(b"\x89PNG")
    assert list((tmp_path / "board").iterdir())
    rows = list(csv.DictReader((tmp_path / "numbers.csv").open()))
    assert {row["of"] for row in rows} == {first, second, third, f"{second} minus {first}", f"{third} minus {first}"}

    parts = {
        part: measured([*of_all, "--deals", part], monkeypatch, capsys, "compare")
        for part in (":", ":8", "8:", "::2", "1::2")
    }
    every = parts.pop(":")
    assert every["agents"] == at_once["agents"] and every["differences"] == at_once["differences"]
    assert [each["deals"] for each in parts.values()] == [8, 12, 10, 10]
    assert all(each["deals_of"] == part for part, each in parts.items())
    assert parts[":8"]["agents"] == measured([*names, *field, "--games", "32"], monkeypatch, capsys)["agents"]
    for agent, measures in at_once["agents"].items():
        for one, other in ((":8", "8:"), ("::2", "1::2")):
            sums = [parts[each]["deals"] * _rank(parts[each]["agents"][agent]) for each in (one, other)]
            assert sum(sums) / 20 == pytest.approx(_rank(measures))


def _rank(measures: dict[str, Any]) -> float:
    return float(measures["average_rank"]["value"])


@pytest.mark.parametrize(
    "playing, words",
    [
        (["--challenger", "never_folds", "--seed", "4"], "seed 4 instead of 3"),
        (["--challenger", "never_folds", "--rules", "tenhou_east"], "'tenhou_east' instead of 'tenhou'"),
        (["--challenger", "never_folds", "--field", "random"], "random, random, random instead of tsumogiri"),
        (["--challenger", "sensible"], "sensible is measured twice"),
        (["--challenger", "never_folds", "--protocol", "two-two"], "leaves it, in protocol one-three"),
    ],
)
def test_matches_that_cannot_be_compared_are_refused(
    playing: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    field = ["--field", "tsumogiri", *SMALL, "--games", "12"]
    folders = [str(tmp_path / name) for name in ("one", "other")]
    assert run(["--challenger", "sensible", *field, "--out", folders[0]], monkeypatch) == 0
    kept = field[2:] if "--field" in playing else field
    assert run([*kept, *playing, "--out", folders[1]], monkeypatch) == 0
    assert run(folders, monkeypatch, "compare") == 1
    assert words in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nothing-there"], "nothing-there: no such file"),
        (["text"], "text: no file of counts"),
        (["kept", "--deals", "2:"], "fewer than two deals"),
        (["kept", "--deals", "5"], "--deals 5: write FROM:TO"),
        (["kept", "--deals", "::0"], "--deals ::0: write"),
        (["kept", "--deals=-5:"], "--deals -5:: write"),
        (["kept", "--prizes", "1,2"], "four numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("no counts")
    assert run(["--challenger", "sensible", "--games", "12", "--threads", "1", "--out", "kept"], monkeypatch) == 0
    capsys.readouterr()
    assert run(arguments, monkeypatch, "compare") == 1
    assert words in " ".join(capsys.readouterr().err.split())
