from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from simulator.tables import Decisions
from suphx.agent.interface import AgentOutput
from suphx.agent.registry import load_agent
from suphx.errors import InputError
from suphx.evaluation.arena import MatchTerms
from suphx.evaluation.match import Means, play_match, read_rule, settings
from suphx.evaluation.protocol import one_against_three, two_against_two
from suphx.evaluation.results import GAMES_NAME, SETTINGS_NAME, Journal, MatchResults

PLAN = one_against_three(["sensible"], ["tsumogiri"])
TERMS = MatchTerms(seed=4, logs=True)


def interrupt_after(games: int):
    left = [games]

    def watch(_: MatchResults) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    return watch


def logs(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "logs").rglob("*.mjlog"))}


def test_a_match_goes_on_where_it_was_interrupted_and_comes_out_the_same(tmp_path: Path) -> None:
    whole = play_match(PLAN, TERMS, 6, Means(batch=4), tmp_path / "whole")
    first = play_match(PLAN, TERMS, 6, Means(batch=3), tmp_path / "parts", watch=interrupt_after(9))
    assert first.interrupted and first.played == 9
    second = play_match(PLAN, TERMS, 6, Means(batch=64), tmp_path / "parts")
    assert not second.interrupted and second.played == 15
    assert np.array_equal(whole.results.games, second.results.games)
    assert logs(tmp_path / "whole") == logs(tmp_path / "parts")
    assert len(logs(tmp_path / "whole")) == 24
    assert len((tmp_path / "parts" / GAMES_NAME).read_bytes().splitlines()) == 24


@pytest.mark.parametrize("threads", [1, 2])
def test_a_match_can_be_stopped_between_two_moves(threads: int) -> None:
    stop = Event()

    class Stopping:
        name = "stopping"

        def act(self, games: np.ndarray, decisions: Decisions) -> AgentOutput:
            stop.set()
            return load_agent("tsumogiri").act(games, decisions)

    outcome = play_match(
        PLAN, TERMS, 6, Means(threads=threads), load=lambda *_: [Stopping(), load_agent("tsumogiri")], stop=stop
    )
    assert outcome.interrupted and outcome.played == 0
    assert stop.is_set()  # for those who set it
    fresh = Event()
    assert not play_match(PLAN, TERMS, 1, Means(threads=threads), stop=fresh).interrupted
    assert not fresh.is_set()


def test_more_games_of_the_same_match_are_added(tmp_path: Path) -> None:
    play_match(PLAN, TERMS, 3, folder=tmp_path)
    more = play_match(PLAN, TERMS, 5, folder=tmp_path)
    assert more.played == 8 and more.deals == 5
    assert play_match(PLAN, TERMS, 2, folder=tmp_path).played == 0  # fewer are evaluated without a word


@pytest.mark.faults
def test_a_line_that_was_not_finished_is_played_again(tmp_path: Path) -> None:
    whole = play_match(PLAN, TERMS, 3, folder=tmp_path).results
    path = tmp_path / GAMES_NAME
    path.write_bytes(path.read_bytes()[:-20])
    again = play_match(PLAN, TERMS, 3, folder=tmp_path)
    assert again.played == 1 and np.array_equal(again.results.games, whole.games)
    assert path.read_bytes().count(b"\n") == 12


@pytest.mark.faults
def test_a_journal_cut_anywhere_goes_on_after_its_last_whole_line(tmp_path: Path) -> None:
    play_match(PLAN, TERMS, 2, folder=tmp_path)
    data = (tmp_path / GAMES_NAME).read_bytes()
    for cut in range(0, len(data) + 1, 97):
        (tmp_path / GAMES_NAME).write_bytes(data[:cut])
        with Journal(tmp_path, settings(PLAN, TERMS), results := MatchResults(PLAN, 2)):
            assert results.done.sum() == data[:cut].count(b"\n")
        assert (tmp_path / GAMES_NAME).read_bytes() == data[: data[:cut].rfind(b"\n") + 1]


@pytest.mark.faults
@pytest.mark.parametrize(
    "line", [b"x", b"{}", b'{"deal": 0}', b"[" * 100_000, b'{"deal":0,"table":9,"decisions":1,"ranks":[0,1,2,3]}']
)
def test_a_line_that_is_no_game_is_refused_with_its_number(tmp_path: Path, line: bytes) -> None:
    play_match(PLAN, TERMS, 1, folder=tmp_path)
    with open(tmp_path / GAMES_NAME, "ab") as file:
        file.write(line + b"\n")
    with pytest.raises(InputError, match=rf"{GAMES_NAME}, line 5: no game of this match"):
        play_match(PLAN, TERMS, 1, folder=tmp_path)


@pytest.mark.faults
def test_numbers_out_of_range_are_refused(tmp_path: Path) -> None:
    play_match(PLAN, TERMS, 1, folder=tmp_path)
    path = tmp_path / GAMES_NAME
    values = json.loads(path.read_text().splitlines()[0])
    for wrong, words in (({"scores": [2**40, 0, 0, 0]}, "line 1"), ({"ranks": [0, 3, 9, 2]}, r"ranks \[0, 3, 9, 2\]")):
        path.write_text(json.dumps(values | wrong) + "\n")
        with pytest.raises(InputError, match=words):
            play_match(PLAN, TERMS, 1, folder=tmp_path)


@pytest.mark.faults
def test_another_match_does_not_go_on_in_a_folder(tmp_path: Path) -> None:
    play_match(PLAN, TERMS, 1, folder=tmp_path)
    before = (tmp_path / GAMES_NAME).read_bytes()
    with pytest.raises(InputError, match=rf"{SETTINGS_NAME}: another match, with .*seed 4 instead of 5"):
        play_match(PLAN, MatchTerms(seed=5, logs=True), 1, folder=tmp_path)
    with pytest.raises(InputError, match="another match"):
        play_match(two_against_two("sensible", "tsumogiri"), TERMS, 1, folder=tmp_path)
    assert (tmp_path / GAMES_NAME).read_bytes() == before


@pytest.mark.faults
def test_games_without_settings_are_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / GAMES_NAME).write_bytes(b"")
    with pytest.raises(InputError, match=f"no {SETTINGS_NAME}"):
        play_match(PLAN, TERMS, 1, folder=tmp_path)


@pytest.mark.faults
def test_two_processes_do_not_play_in_one_folder(tmp_path: Path) -> None:
    with (
        Journal(tmp_path, settings(PLAN, TERMS), MatchResults(PLAN, 1)),
        pytest.raises(InputError, match=r"process [0-9]+ on .* is playing this match"),
    ):
        play_match(PLAN, TERMS, 1, folder=tmp_path)


@pytest.mark.faults
def test_a_full_disk_ends_the_match_and_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add, count = Journal.add, [0]

    class Full:
        """A file on a disk with room for ten more bytes."""

        def __init__(self, file) -> None:
            self._file = file

        def write(self, data: bytes) -> int:
            return self._file.write(data[:10])

        def __getattr__(self, name: str):
            return getattr(self._file, name)

    def then_full(journal: Journal, game) -> None:
        count[0] += 1
        if count[0] == 5:
            monkeypatch.setattr(journal, "_file", Full(journal._file))
        add(journal, game)

    monkeypatch.setattr(Journal, "add", then_full)
    with pytest.raises(OSError, match="No space left on device"):
        play_match(PLAN, TERMS, 3, folder=tmp_path)
    monkeypatch.setattr(Journal, "add", add)
    text = (tmp_path / GAMES_NAME).read_text()
    assert text.count("\n") == 4 and text.endswith("\n")
    assert play_match(PLAN, TERMS, 3, folder=tmp_path).played == 8


@pytest.mark.full
def test_a_match_stops_at_the_same_deal_however_it_is_played() -> None:
    rule = read_rule("ci=0.15")
    plan = one_against_three(["sensible"], ["random"])
    found = [play_match(plan, MatchTerms(), 200, means, rule=rule) for means in (Means(batch=7), Means(256, threads=2))]
    assert found[0].decided and found[0].deals == found[1].deals < 200
    assert found[0].results.complete_deals() >= found[0].deals


def test_a_sequential_test_tells_a_better_agent_and_not_one_from_itself() -> None:
    better = play_match(two_against_two("sensible", "tsumogiri"), MatchTerms(), 200, rule=read_rule("decided"))
    assert better.decided and better.deals < 200
    same = play_match(one_against_three(["tsumogiri"], ["tsumogiri"]), MatchTerms(), 40, rule=read_rule("decided"))
    assert not same.decided and same.deals == 40


@pytest.mark.parametrize("words", ["ci", "ci=x", "ci=2", "decided=-1", "soon", ""])
def test_other_rules_are_refused(words: str) -> None:
    with pytest.raises(InputError, match="no stopping rule"):
        read_rule(words)


def test_workers_play_the_same_games_and_one_that_dies_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os
    import signal
    import subprocess

    here = play_match(PLAN, TERMS, 8, folder=tmp_path / "here")
    killed: list[int] = []

    def kill_one(results: MatchResults) -> None:
        if results.done.sum() == 5:
            found = subprocess.run(["pgrep", "-f", "ray::_play_part"], capture_output=True, text=True, check=False)
            killed.extend(map(int, found.stdout.split()[:1]))
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    there = play_match(PLAN, TERMS, 8, Means(batch=2, workers=2), tmp_path / "there", watch=kill_one)
    assert killed and there.played == 32
    assert np.array_equal(here.results.games, there.results.games)
    assert logs(tmp_path / "here") == logs(tmp_path / "there")
