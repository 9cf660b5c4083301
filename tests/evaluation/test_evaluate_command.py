from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from suphx.cli import main

SMALL = ["--games", "80", "--seed", "3", "--threads", "1"]


def run(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["suphx", "evaluate", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def test_two_challengers_are_measured_compared_drawn_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        *("--challenger", "sensible", "--challenger", "never_folds", "--field", "random", "--json", *SMALL),
        *("--out", str(tmp_path / "match"), "--logs", "--plots", str(tmp_path / "plots"), "--career"),
        *("--csv", str(tmp_path / "numbers.csv"), "--tensorboard", str(tmp_path / "board"), "--prizes", "3,1,-1,-3"),
    ]
    assert run(arguments, monkeypatch) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 160 and found["deals"] == 20 and found["played_now"] == 160
    assert set(found["agents"]) == {"sensible", "never_folds"} == set(found["career"])
    assert found["agents"]["sensible"]["games"] == 80
    assert found["agents"]["sensible"]["prize"]["value"] > 0
    (difference,) = found["differences"]
    assert (difference["agent"], difference["against"]) == ("never_folds", "sensible")
    assert json.loads((tmp_path / "match" / "result.json").read_text()) == found
    assert len(list((tmp_path / "match" / "logs").rglob("*.mjlog"))) == 160
    assert {path.name for path in (tmp_path / "plots").iterdir()} >= {"ranks.png", "running.png", "stable-rank.png"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in (tmp_path / "plots").iterdir())
    rows = list(csv.DictReader((tmp_path / "numbers.csv").open()))
    assert {row["of"] for row in rows} == {"sensible", "never_folds", "never_folds minus sensible"}
    assert list((tmp_path / "board").iterdir())

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
        (["--games", "4"], 2, "two deals at least"),
        (["--protocol", "three-one"], 2, "none of one-three"),
        (["--protocol", "two-two", "--field", "a", "--field", "b", "--field", "c"], 2, "two-two takes one"),
        (["--logs"], 2, "--out"),
        (["--challenger", "nobody", "--games", "8"], 1, "no agent 'nobody'"),
        (["--field", "sensible", "--field", "random"], 1, "a field of 2"),
        (["--prizes", "1,2"], 1, "four numbers"),
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


def measured(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    assert run([*arguments, "--json"], monkeypatch) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_agents_measured_one_by_one_are_compared_as_if_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = "sensible", "never_folds", "never_calls"
    field = ["--field", "tsumogiri", *SMALL]
    names = ["--challenger", first, "--challenger", second, "--challenger", third]
    at_once = measured([*names, *field], monkeypatch, capsys)

    kept = [str(tmp_path / "kept" / name) for name in ("first", "both", "all")]
    measured(["--challenger", first, *field, "--counts", kept[0]], monkeypatch, capsys)
    beside = ["--beside", kept[0], "--counts", kept[1]]
    joined = measured(["--challenger", second, *field, *beside], monkeypatch, capsys)
    assert joined["challengers"] == [first, second] and joined["differences"] == at_once["differences"][:1]

    measured(["--challenger", third, *field, "--counts", str(tmp_path / "third")], monkeypatch, capsys)
    from_files = ["--beside", kept[1], "--beside", str(tmp_path / "third"), "--plots", str(tmp_path / "plots")]
    found = measured([*from_files, "--counts", kept[2], "--career"], monkeypatch, capsys)
    assert found["played_now"] == 0 and found["games"] == 240 and found["seed"] == 3
    assert found["agents"] == at_once["agents"] and found["differences"] == at_once["differences"]
    assert set(found["career"]) == {first, second, third}
    assert (tmp_path / "plots" / "stable-rank.png").read_bytes().startswith(b"\x89PNG")

    again = measured(["--beside", kept[2]], monkeypatch, capsys)
    assert {**again, "career": found["career"]} == found

    more = [*field, "--games", "160"]  # of more deals those are compared that all have played
    longer = measured(["--challenger", third, *more, "--beside", kept[1]], monkeypatch, capsys)
    assert longer["agents"] == at_once["agents"]

    deals, parts = at_once["deals"], {}
    for part in (":8", "8:", "::2", "1::2"):
        parts[part] = measured(["--beside", kept[2], "--deals", part], monkeypatch, capsys)
        assert parts[part]["deals_of"] == part
    assert [each["deals"] for each in parts.values()] == [8, deals - 8, 10, 10]
    assert parts[":8"]["agents"] == measured([*names, *field, "--games", "32"], monkeypatch, capsys)["agents"]
    for agent, every in at_once["agents"].items():
        for one, other in ((":8", "8:"), ("::2", "1::2")):
            sums = [parts[each]["deals"] * _rank(parts[each]["agents"][agent]) for each in (one, other)]
            assert sum(sums) / deals == pytest.approx(_rank(every))


def _rank(measures: dict[str, Any]) -> float:
    return float(measures["average_rank"]["value"])


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["--challenger", "never_folds", "--seed", "4"], 1, "seed 4 instead of 3"),
        (["--challenger", "never_folds", "--rules", "tenhou_east"], 1, "'tenhou_east' instead of 'tenhou'"),
        (["--challenger", "never_folds", "--field", "random"], 1, "random, random, random instead of tsumogiri"),
        (["--challenger", "sensible"], 1, "sensible is measured twice"),
        (["--challenger", "never_folds", "--protocol", "two-two"], 2, "one-three only"),
        (["--games", "8"], 2, "without --challenger nothing is played"),
        (["--beside", "nothing-there"], 1, "nothing-there: no such file"),
        (["--beside", "text"], 1, "text: no file of counts"),
        (["--deals", "19:"], 1, "fewer than two deals"),
        (["--deals", "5"], 2, "'5' is not FROM:TO"),
        (["--deals", "::0"], 2, "'::0' is not FROM:TO"),
        (["--deals=-5:"], 2, "'-5:' is not FROM:TO"),
        (["--deals", "2:", "--counts", "some"], 2, "has all deals"),
        (["--challenger", "never_folds", "--deals", "2:"], 2, "only games played earlier can be left out"),
    ],
)
def test_counts_of_other_matches_are_refused(
    arguments: list[str],
    status: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("no counts")
    field = ["--field", "tsumogiri", *SMALL]
    assert run(["--challenger", "sensible", *field, "--counts", "kept"], monkeypatch) == 0
    capsys.readouterr()
    playing = (SMALL if "--field" in arguments else field) if "--challenger" in arguments else []
    assert run(["--beside", "kept", *playing, *arguments], monkeypatch) == status
    assert words in " ".join(capsys.readouterr().err.replace("│", " ").split())
